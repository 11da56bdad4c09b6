//! The package's integration tests: whole proofs, checked in the exponent, by the verifier and against each other; and the
//! program as a process.

mod arms;
mod batches;
mod circuits;
mod commands;
#[cfg(feature = "cuda")]
mod cuda;
mod exponent;
mod faults;
#[cfg(feature = "porep")]
mod porep;
mod program;
mod reference;
mod worker;
