//! From feature lists to executables in the store.
//!
//! Every build uses the same target folder, one after another, so that cargo keeps what they share. An executable is
//! copied into the store right after its build, because the next one overwrites it; benches run from the store alone.

pub mod archives;
pub mod cargo;
mod control;
pub mod executables;
pub mod features;
mod folder;
mod inputs;
mod kept;
mod made;
mod plan;
pub mod settings;
pub mod store;
mod suspects;
mod untold;

pub use plan::{Built, Contents, Request, build_all};
pub use store::Store;
pub use suspects::Again;
