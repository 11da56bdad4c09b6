//! One file that takes an experiment to a machine without cargo, git or nvcc, and one that brings the results back.
//!
//! A bundle holds the experiment, its verified plan, every executable under its digest, and this program. Nothing in here
//! builds or measures: what goes in was made by [`crate::session`], and what comes out is measured by it.
//!
//! Invariant: nothing of a file is used before the digest over all of it was found right, and no file is unpacked whose
//! own digest is another than the one written down when it was packed.

mod container;
mod elf;
mod head;
mod needs;
mod pack;
mod results;
mod stays;
mod unpack;

pub use container::{Kind, Opened, open};
pub use head::{BundleHead, Packed};
pub use needs::{Machine, Needs};
pub use pack::{Made, Order, pack};
pub use results::{import, pack_results, restore};
pub use stays::{Place, differences, enter};
pub use unpack::{archives, default_folder, unpack};
