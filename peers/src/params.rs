//! Parameter files, whatever is in them.

#[path = "../../prover/src/params/cache.rs"]
pub mod cache;
