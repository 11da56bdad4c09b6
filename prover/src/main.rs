//! The `prover` program.

fn main() {}
