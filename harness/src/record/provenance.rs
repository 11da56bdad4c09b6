//! What a run keeps of where its builds come from, beside the builds themselves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Everything that went into the builds and is not one of them. Digests are SHA-256 in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Where cargo was started: the root of the target's workspace.
    pub folder: String,
    /// The sources that cargo says the builds read.
    pub inputs: Inputs,
    /// Files that tell cargo how to build, by path, and their digests: Cargo.lock, rust-toolchain.toml, .cargo/config.toml.
    pub settings: BTreeMap<String, String>,
    /// Variables that cargo and compilers go by, where they were set.
    pub environment: BTreeMap<String, String>,
    /// Base built a second time; `None` where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
}

/// Sources, manifests and settings on this machine's disk; packages of a registry are named by the lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// How many files.
    pub files: u64,
    /// Of their paths below the workspace and their contents.
    pub digest: String,
}

/// What building base a second time came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Whether it was built for an earlier run, from the same inputs to the same base.
    pub kept: bool,
    /// Whether the sources had another path too, and not the target folder alone.
    pub moved_sources: bool,
    /// What was compared.
    pub compared: Vec<String>,
    /// What came out different, or why it could not be built; empty: nothing.
    pub differing: Vec<String>,
    /// What build scripts could print, so that cargo knows what base may be made from as well: `cargo::rerun-if-…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<String>,
    /// Whether the user said to go on in spite of a difference.
    pub allowed: bool,
    /// How long cargo took.
    pub ns: u64,
    /// The command that built it.
    pub command: Vec<String>,
}
