//! The library behind `ablate`: which build-time toggle made a program slower, by how much, how sure, and was the binary
//! that ran really the build its label says.
#![forbid(unsafe_code)]

pub mod build;
pub mod bundle;
pub mod cli;
pub mod cmd;
pub mod design;
pub mod digest;
pub mod experiment;
pub mod explain;
pub mod gpu;
pub mod host;
pub mod interrupt;
pub mod judge;
pub mod limits;
pub mod measure;
pub mod output;
pub mod preflight;
pub mod programs;
pub mod progress;
pub mod record;
pub mod report;
pub mod schedule;
pub mod session;
pub mod shell;
pub mod stamp;
pub mod stats;
pub mod toolchain;
pub mod verify;
pub mod worker;
