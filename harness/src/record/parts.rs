//! The parts of the native archives of a run: what a later comparison of two builds needs, when the archives are gone.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::Build;
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
    /// Reads those of the archive with that `raw` digest; `None` where the run's folder has none, as runs of earlier versions.
    pub fn read(run: &Path, raw: &str) -> Result<Option<Self>> {
        let path = run.join(place(raw));
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        serde_json::from_slice(&bytes).map(Some).with_context(|| format!("{} is damaged", path.display()))
    }

    /// Reads those of every archive of the builds, each once. What is not there is left out.
    pub fn read_all(folder: &Path, builds: &[Build]) -> Result<Vec<Self>> {
        let raws: BTreeSet<&str> = builds.iter().flat_map(|build| &build.archives).map(|of| of.raw.as_str()).collect();
        raws.into_iter().filter_map(|raw| Self::read(folder, raw).transpose()).collect()
    }

    /// Where the files in a run's folder that hold such parts are below it, with `/`, in order.
    pub fn places(run: &Path) -> Result<Vec<String>> {
        let folder = run.join(FOLDER);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.display())),
        };
        let mut places = Vec::new();
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                places.extend(path.file_name().map(|name| format!("{FOLDER}/{}", name.to_string_lossy())));
            }
        }
        places.sort();
        Ok(places)
    }

    /// Where its file is below the run's folder, with `/`.
    pub fn place(&self) -> String {
        place(&self.digest.raw)
    }

    /// The file's content.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string(self).context("cannot write the parts of an archive as JSON")
    }
}

/// Where the parts of an archive are. The digest comes from a file that anybody may have edited.
fn place(raw: &str) -> String {
    let plain: String = raw.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{FOLDER}/{plain}.json")
}
