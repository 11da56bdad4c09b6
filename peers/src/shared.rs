//! What every peer shares with our own prover, compiled from its very sources: the same circuits from the same seeds, the
//! same parameter files, the same protocol. Nothing of the prover itself is here.
//!
//! The prover's package cannot be a dependency: its features reach into the replaced bellpepper-core, and a peer is to be
//! measured on the published one.

#[path = "../../prover/src/circuits/mod.rs"]
pub mod circuits;
pub mod params;
#[path = "../../prover/src/randomness.rs"]
pub mod randomness;
#[path = "../../prover/src/seeds.rs"]
mod seeds;
#[path = "../../prover/src/timeline.rs"]
pub mod timeline;
#[path = "../../prover/src/toxic.rs"]
pub mod toxic;
#[path = "../../prover/src/worker/mod.rs"]
pub mod worker;
