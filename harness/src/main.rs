//! The `ablate` program.

fn main() {}
