//! Where a run that was measured from a bundle was built, and where it was measured.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Host;

/// The bundle that a run was measured from, and the stays in which that was done.
///
/// A block belongs to one stay, so that the arms that are compared within it ran on one machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundled {
    /// The digest in the bundle's signature.
    pub digest: String,
    /// When it was made.
    pub made: Timestamp,
    /// Version of the program that made it.
    pub ablate: String,
    /// Where the builds were made and verified.
    pub built_on: Host,
    /// In order; at least one.
    pub stays: Vec<Stay>,
}

/// A time on one machine, from its boot or from the program's first start there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stay {
    /// When it began.
    pub began: Timestamp,
    /// The machine.
    pub host: Host,
    /// The kernel's name for this boot of it.
    pub boot: String,
    /// Identities of its GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpu_uuids: Vec<String>,
    /// The blocks from this one on are of this stay, up to those of the next.
    pub first_block: u32,
}
