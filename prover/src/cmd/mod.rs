//! One file for each command. Each has its arguments and a `run` that returns whether all proofs were right.

pub(crate) mod generate;
pub(crate) mod info;
pub(crate) mod prove;
pub(crate) mod setup;
pub(crate) mod synth;
pub(crate) mod verify;

mod backend;
mod limits;
mod params;
mod shape;
mod spin;
mod start;
