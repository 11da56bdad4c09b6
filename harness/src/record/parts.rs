//! The parts of the native archives of a run: what a later comparison of two builds needs, when the archives are gone.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::digest::ArchiveDigest;

/// The folder in a run's folder: one file an archive, named by the digest of the archive as it was.
pub(super) const FOLDER: &str = "archives";

/// What one archive held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchiveParts {
    /// Its digests: of the whole, of members, sections, functions and kernels.
    pub digest: ArchiveDigest,
    /// The manifest beside it: everything that went in. Its SHA-256 is the stamp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
}

impl ArchiveParts {
    /// Reads those of the archive with that `raw` digest; `None` where the run has none, as runs of earlier versions.
    pub fn read(run: &Path, raw: &str) -> Result<Option<Self>> {
        let path = file(run, raw);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        serde_json::from_slice(&bytes).map(Some).with_context(|| format!("{} is damaged", path.display()))
    }

    /// The file's content.
    pub(super) fn json(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).context("cannot write the parts of an archive as JSON")
    }
}

/// Where the parts of an archive are. The digest comes from a file that anybody may have edited.
pub(super) fn file(run: &Path, raw: &str) -> PathBuf {
    let plain: String = raw.chars().filter(char::is_ascii_alphanumeric).collect();
    run.join(FOLDER).join(format!("{plain}.json"))
}
