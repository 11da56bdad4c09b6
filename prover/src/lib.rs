//! A Groth16 prover over BLS12-381 whose optimisations are build-time toggles.
//!
//! The notation is that of Groth, *On the Size of Pairing-based Non-interactive Arguments* (2016), section 3.2.
pub mod circuits;
pub mod params;
pub mod proof;
pub mod timeline;
pub mod worker;
