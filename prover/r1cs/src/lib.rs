//! The circuit front end: rank-1 constraint systems, linear combinations, and the gadgets that circuits are built from.
//!
//! A circuit is written once, against the trait [`ConstraintSystem`], and synthesized into whatever implements it: a
//! prover's assignment, a parameter generator, or [`test_cs::TestConstraintSystem`]. Its constraints say
//! ⟨A, z⟩ · ⟨B, z⟩ = ⟨C, z⟩, where each side is a [`LinearCombination`] of the variables z and z₀ is the constant one
//! ([`ConstraintSystem::one`]).
//!
//! The package stands in for the published `bellpepper-core` 0.2 throughout the workspace (`[patch.crates-io]`), so real
//! circuits run on it unmodified. It has that version's public interface, allocates the same variables, forms the same
//! constraints and gives them the same names; `tests/published.rs` holds the two against each other. It proves nothing
//! and knows no curve.
//!
//! Its one toggle is feature `smallvec` (A1): where the terms of a linear combination lie, see
//! `linear_combination/storage.rs`.
#![forbid(unsafe_code)]

pub mod boolean;
mod comparable;
mod constraint_system;
mod linear_combination;
pub mod num;
pub mod test_cs;
mod variable;

pub use comparable::{Comparable, Constraint, Delta};
pub use constraint_system::{Circuit, ConstraintSystem, Namespace, SynthesisError};
pub use linear_combination::LinearCombination;
pub use variable::{Index, Variable};

/// The version whose interface this package has.
pub const BELLPEPPER_VERSION: &str = env!("CARGO_PKG_VERSION");
