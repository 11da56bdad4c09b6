//! What a bundle says of itself before it is unpacked.

use std::path::{Component, Path};

use anyhow::{Result, bail};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::needs::Needs;
use crate::record::Run;

/// The head of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleHead {
    /// When it was made.
    pub made: Timestamp,
    /// The version of the program that made it and travels in it.
    pub ablate: String,
    /// What the machine must have that measures it.
    pub needs: Needs,
    /// The plan: arms, builds, findings, the building machine. Its id and time are not those of any run.
    pub run: Run,
    /// Every file in it, in the order in which they lie in the archive.
    pub files: Vec<Packed>,
    /// Length of the first section: this program, compressed by gzip.
    pub program_bytes: u64,
    /// Length of the second section: the files, as tar compressed by Zstandard.
    pub files_bytes: u64,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packed {
    /// Below the folder it is unpacked into, with `/`.
    pub path: String,
    /// SHA-256 of its content.
    pub sha256: String,
    /// Its size.
    pub size_bytes: u64,
    /// Whether it may be run.
    pub executable: bool,
}

impl BundleHead {
    /// Refuses paths that lead out of the folder. No bundle that this program made has one.
    pub(super) fn check_paths(&self) -> Result<()> {
        match self.files.iter().find(|file| !is_below(&file.path)) {
            Some(file) => {
                bail!("the bundle holds the path {:?}, which may lead anywhere; it is not unpacked", file.path)
            }
            None => Ok(()),
        }
    }
}

/// Whether a path names something below the folder it is taken from.
pub(super) fn is_below(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_their_folder() {
        assert!(is_below("a/b") && is_below(".ablate/store/x"));
        for bad in ["", "/etc/passwd", "../x", "a/../../x", ".", "./a"] {
            assert!(!is_below(bad), "{bad}");
        }
    }
}
