//! The library behind `ablate`: which build-time toggle made a program slower, by how much, how sure, and was the binary
//! that ran really the build its label says.
#![forbid(unsafe_code)]

pub mod experiment;
pub mod judge;
pub mod record;
pub mod toolchain;
