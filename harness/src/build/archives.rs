//! The native archives of one build: found where cargo says, read and digested right after it.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::cargo::Outcome;
use super::store::{Identity, hex};
use crate::digest::{self, ArchiveDigest, Roots};
use crate::experiment::{Archive, Experiment};
use crate::record::{ArchiveParts, BuiltArchive};
use crate::stamp::{self, ChangedInput, Manifest};

/// An archive of one build.
#[derive(Clone, Debug)]
pub struct Native {
    /// The package whose build script made it.
    pub package: String,
    /// File name.
    pub file: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Features of the package that were on.
    pub features: BTreeSet<String>,
    /// What it holds, or why that cannot be told: a phrase.
    pub digest: Result<Arc<ArchiveDigest>, String>,
    /// The digest of the manifest beside it, if there is one.
    pub manifest: Option<String>,
    /// The manifest's text.
    pub manifest_text: Option<String>,
    /// Inputs of the manifest that are no longer what they were.
    pub changed: Vec<ChangedInput>,
    /// Every file that its manifest names.
    pub inputs: Vec<PathBuf>,
}

impl Native {
    /// What it consists of, for a later comparison; `None` where it cannot be read.
    pub fn parts(&self) -> Option<ArchiveParts> {
        let digest = ArchiveDigest::clone(self.digest.as_ref().ok()?);
        Some(ArchiveParts { digest, manifest: self.manifest_text.clone() })
    }

    /// What is kept of it; `None` where it cannot be read.
    pub fn record(&self) -> Option<BuiltArchive> {
        let digest = self.digest.as_ref().ok()?;
        Some(BuiltArchive {
            package: self.package.clone(),
            file: self.file.clone(),
            path: self.path.display().to_string(),
            raw: digest.raw.clone(),
            host: digest.host.clone(),
            device: digest.device.clone(),
            device_all: digest.device_all.clone(),
            stamp: digest.stamp.clone(),
        })
    }
}

/// Reads archives, each file and input once however many builds share it.
#[derive(Debug, Default)]
pub struct Reader {
    /// By path and SHA-256 of the file.
    digests: HashMap<(PathBuf, String), Result<Arc<ArchiveDigest>, String>>,
    /// The files of manifests, each as it was when it was last read.
    inputs: HashMap<PathBuf, (Option<Identity>, Option<String>)>,
}

impl Reader {
    /// The experiment's archives in one build, in the experiment's order. `root` is the folder of the workspace it was
    /// built from.
    pub fn read(&mut self, experiment: &Experiment, outcome: &Outcome, root: &Path) -> Result<Vec<Native>> {
        experiment.archives.iter().map(|archive| self.archive(experiment, archive, outcome, root)).collect()
    }

    fn archive(
        &mut self,
        experiment: &Experiment,
        archive: &Archive,
        outcome: &Outcome,
        root: &Path,
    ) -> Result<Native> {
        let (package, folder) = out_dir(experiment, archive, outcome)?;
        let path = folder.join(&archive.file);
        let manifest = Manifest::of(&path)?;
        let changed = manifest.as_ref().map(|manifest| manifest.changed(|file| self.input(file))).transpose()?;
        let inputs = manifest.as_ref().map(Manifest::files).transpose()?;
        let roots = roots(root, outcome, &folder, manifest.as_ref());
        Ok(Native {
            package: archive.package.clone(),
            file: archive.file.clone(),
            digest: self.digest(&path, &roots),
            path,
            features: outcome.packages.get(&package).map(|package| package.features.clone()).unwrap_or_default(),
            manifest: manifest.as_ref().map(|manifest| manifest.stamp.clone()),
            manifest_text: manifest.map(|manifest| manifest.text),
            changed: changed.unwrap_or_default(),
            inputs: inputs.unwrap_or_default(),
        })
    }

    /// The digest of a file, which is read again only where it was touched.
    fn input(&mut self, file: &Path) -> Result<Option<String>> {
        let now = Identity::of(file).ok();
        if let Some((then, digest)) = self.inputs.get(file)
            && *then == now
        {
            return Ok(digest.clone());
        }
        let digest = stamp::read_digest(file)?;
        self.inputs.insert(file.to_owned(), (now, digest.clone()));
        Ok(digest)
    }

    fn digest(&mut self, path: &Path, roots: &Roots) -> Result<Arc<ArchiveDigest>, String> {
        let bytes = fs::read(path).map_err(|error| format!("it cannot be read ({error})"))?;
        let read = || digest::archive(&bytes, roots).map(Arc::new).map_err(|error| error.to_string());
        self.digests.entry((path.to_owned(), hex(&Sha256::digest(&bytes)))).or_insert_with(read).clone()
    }
}

/// The folder of the package's build script in this very build, and the package's name and version.
fn out_dir(experiment: &Experiment, archive: &Archive, outcome: &Outcome) -> Result<(String, PathBuf)> {
    let of_package = |name: &str| name.split(' ').next() == Some(archive.package.as_str());
    let mut found: Vec<_> = outcome.out_dirs.iter().filter(|(name, _)| of_package(name)).collect();
    if found.len() > 1 {
        found.retain(|(_, folder)| folder.join(&archive.file).is_file());
    }
    match found.as_slice() {
        [(name, folder)] => Ok(((*name).clone(), (*folder).clone())),
        [] => bail!(
            "{}: archive: no build script of package `{}` runs in this build; name the package whose build script makes \
             {}, or leave [[archive]] out",
            experiment.file.display(),
            archive.package,
            archive.file
        ),
        several => bail!(
            "{}: archive: {} versions of package `{}` are in this build, each with a {}; which is meant cannot be told",
            experiment.file.display(),
            several.len(),
            archive.package,
            archive.file
        ),
    }
}

/// Every folder whose path a compiler may have put into the archive.
fn roots(root: &Path, outcome: &Outcome, out_dir: &Path, manifest: Option<&Manifest>) -> Roots {
    let mut folders: Vec<(String, &Path)> = vec![("out".to_owned(), out_dir), ("root".to_owned(), root)];
    // <target>/<profile>/build/<package>-<hash>/out
    folders.extend(out_dir.ancestors().nth(4).map(|target| ("target".to_owned(), target)));
    folders.extend(outcome.packages.iter().map(|(name, package)| (name.clone(), package.folder.as_path())));
    folders.extend(manifest.into_iter().flat_map(Manifest::roots).map(|(name, path)| (name.to_owned(), path)));
    Roots::new(folders.iter().map(|(name, path)| (name.as_str(), *path)))
}

/// The content of an executable's stamp section.
pub fn stamp_of_executable(path: &Path) -> Result<Option<String>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    digest::stamp_of_executable(&bytes).with_context(|| format!("cannot read {}", path.display()))
}
