//! The compilers that an experiment's native code needs, found or fetched before anything is built.
//!
//! Nothing here changes the environment or builds anything: a toolchain is found, and its builder is told where it is.

pub mod cuda;
pub mod nvcc;
