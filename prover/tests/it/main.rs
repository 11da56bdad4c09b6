//! The library's integration tests: whole proofs, checked in the exponent, by the verifier and against each other.

mod batches;
mod circuits;
#[cfg(feature = "cuda")]
mod cuda;
mod exponent;
mod faults;
mod reference;
