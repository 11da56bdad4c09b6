//! The CUDA part of the Groth16 prover.
//!
//! Nothing native is built yet: the package is an empty shell, so that the workspace builds and tests on a machine
//! without nvcc.
#![forbid(unsafe_code)]
