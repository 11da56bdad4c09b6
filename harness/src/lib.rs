//! The library behind `ablate`: which build-time toggle made a program slower, by how much, how sure, and was the binary
//! that ran really the build its label says.
#![forbid(unsafe_code)]

pub mod cli;
pub mod cmd;
pub mod design;
pub mod experiment;
pub mod judge;
pub mod record;
pub mod schedule;
