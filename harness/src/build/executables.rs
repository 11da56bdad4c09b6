//! The executable of one build, looked into right after it: its digest, and whether it holds the archives of the build.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::archives::Native;
use super::cargo::Outcome;
use crate::digest::executable::{ExecutableDigest, Held, executable, holds};
use crate::digest::{DigestError, Roots};

/// What an executable comes to.
#[derive(Clone, Debug)]
pub struct Looked {
    /// Its digest, or why it is compared byte for byte: a phrase.
    pub digest: Result<Arc<ExecutableDigest>, String>,
    /// What it holds of each archive of the build, in their order; `None` where the archive or the executable cannot be
    /// read.
    pub held: Vec<Option<Held>>,
}

impl Looked {
    /// The digest of what is loaded, where there is one.
    pub fn loaded(&self) -> Option<&str> {
        self.digest.as_ref().ok().map(|digest| digest.loaded.as_str())
    }
}

/// Looks into an executable. One without symbols is refused: what it holds cannot be told.
pub fn look(executable_path: &Path, natives: &[Native], roots: &Roots) -> Result<Looked> {
    let bytes = fs::read(executable_path).with_context(|| format!("cannot read {}", executable_path.display()))?;
    let digest = match executable(&bytes, roots) {
        Err(error @ DigestError::Stripped) => bail!("the executable cannot be verified: {error}"),
        digest => digest.map(Arc::new).map_err(|error| error.to_string()),
    };
    let held = natives.iter().map(|native| {
        let archive = fs::read(&native.path).ok()?;
        holds(&bytes, &archive).ok()
    });
    Ok(Looked { digest, held: held.collect() })
}

/// Every folder whose path the compiler may have put into the executable, by a name that does not move with it. `root` is the
/// folder of the workspace it was built from.
pub fn roots(root: &Path, outcome: &Outcome, target_dir: &Path) -> Roots {
    let folders = outcome.out_dirs.iter().flat_map(|(name, folders)| folders.iter().map(move |folder| (name, folder)));
    let scripts = folders.map(|(name, folder)| (format!("out of {name}"), folder.as_path()));
    let packages = outcome.packages.iter().map(|(name, package)| (name.clone(), package.folder.as_path()));
    let fixed = [("root".to_owned(), root), ("target".to_owned(), target_dir)];
    let folders: Vec<(String, &Path)> = scripts.chain(packages).chain(fixed).collect();
    Roots::new(folders.iter().map(|(name, path)| (name.as_str(), *path)))
}
