//! A Groth16 prover over BLS12-381 whose optimisations are build-time toggles.
//!
//! The notation is that of Groth, *On the Size of Pairing-based Non-interactive Arguments* (2016), section 3.2.
#![deny(unsafe_code)]

pub mod assignment;
pub mod base_field;
mod batch_add;
pub mod circuits;
pub mod curve;
pub mod density;
pub mod domain;
pub mod fixed_base;
pub mod generator;
pub mod info;
pub mod label;
pub mod msm;
pub mod params;
pub mod proof;
pub mod prove;
pub mod quotient;
pub mod randomness;
mod seeds;
pub mod timeline;
pub mod toggles;
pub mod toxic;
pub mod verifier;
pub mod windows;
pub mod worker;
