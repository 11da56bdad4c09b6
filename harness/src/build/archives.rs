//! The native archives of one build: found where cargo says, read and digested right after it.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::cargo::Outcome;
use super::store::hex;
use crate::digest::{self, ArchiveDigest, Roots};
use crate::experiment::{Archive, Experiment};
use crate::record::{ArchiveParts, BuiltArchive};
use crate::stamp::{ChangedInput, Inputs, Manifest};

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
    /// Where the sources of its manifest lie, if none of them is in this checkout, though the package is.
    pub elsewhere: Option<PathBuf>,
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
#[derive(Debug)]
pub struct Reader {
    /// By path and SHA-256 of the file.
    digests: HashMap<(PathBuf, String), Result<Arc<ArchiveDigest>, String>>,
    inputs: Inputs,
}

impl Reader {
    /// Programs among the inputs are looked up on this `PATH`.
    pub fn new(path: Option<OsString>) -> Self {
        Self { digests: HashMap::new(), inputs: Inputs::new(path) }
    }

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
        let changed = manifest.as_ref().map(|manifest| manifest.changed(&mut self.inputs)).transpose()?;
        let inputs = manifest.as_ref().map(|manifest| manifest.files(&self.inputs)).transpose()?;
        let local = outcome.packages.get(&package).filter(|package| package.local);
        let elsewhere = manifest.as_ref().zip(local).and_then(|(manifest, package)| {
            let here = [root, &package.folder];
            elsewhere(manifest, inputs.as_deref().unwrap_or_default(), &here)
        });
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
            elsewhere,
            inputs: inputs.unwrap_or_default(),
        })
    }

    fn digest(&mut self, path: &Path, roots: &Roots) -> Result<Arc<ArchiveDigest>, String> {
        let bytes = fs::read(path).map_err(|error| format!("it cannot be read ({error})"))?;
        let read = || digest::archive(&bytes, roots).map(Arc::new).map_err(|error| error.to_string());
        self.digests.entry((path.to_owned(), hex(&Sha256::digest(&bytes)))).or_insert_with(read).clone()
    }
}

/// The folder of the package's build script in this very build, and the package's name and version. Of several folders
/// with one and the same archive any will do.
fn out_dir(experiment: &Experiment, archive: &Archive, outcome: &Outcome) -> Result<(String, PathBuf)> {
    let of_package = |name: &str| name.split(' ').next() == Some(archive.package.as_str());
    let packages = outcome.out_dirs.iter().filter(|(name, _)| of_package(name));
    let mut found: Vec<_> =
        packages.flat_map(|(name, folders)| folders.iter().map(move |folder| (name, folder))).collect();
    if found.iter().any(|(_, folder)| folder.join(&archive.file).is_file()) {
        let content = |folder: &Path| fs::read(folder.join(&archive.file)).ok();
        found.retain(|(_, folder)| folder.join(&archive.file).is_file());
        found.dedup_by(|(_, one), (_, other)| content(one) == content(other));
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
            "{}: archive: package `{}` is built {} times in this build, as several versions or for the host too, each with \
             another {}; which is meant cannot be told",
            experiment.file.display(),
            archive.package,
            several.len(),
            archive.file
        ),
    }
}

/// The first folder of a manifest none of whose files lies in one of the folders `here`.
fn elsewhere(manifest: &Manifest, files: &[PathBuf], here: &[&Path]) -> Option<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here: Vec<PathBuf> = here.iter().map(|folder| real(folder)).collect();
    let is_here = |file: &PathBuf| here.iter().any(|folder| real(file).starts_with(folder));
    let (_, folder) = manifest.roots().next()?;
    (!files.is_empty() && !files.iter().any(is_here)).then(|| folder.to_owned())
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;

    /// The folder that is chosen among build scripts of `package version`, each with an archive of that content.
    fn chosen(scripts: &[(&str, Option<&str>)]) -> Result<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut outcome = Outcome {
            command: Vec::new(),
            compiled: Vec::new(),
            fresh: 0,
            out_dirs: BTreeMap::new(),
            packages: BTreeMap::new(),
            time: Duration::ZERO,
            executable: Err(String::new()),
        };
        for (at, (package, content)) in scripts.iter().enumerate() {
            let out = folder.path().join(at.to_string());
            fs::create_dir(&out).expect("made");
            if let Some(content) = content {
                fs::write(out.join("libk.a"), content).expect("written");
            }
            outcome.out_dirs.entry((*package).to_owned()).or_default().push(out);
        }
        let file = folder.path().join("x.toml");
        let text = "schema = 1\nname = \"x\"\nquestion = \"?\"\ntarget = { package = \"p\" }\n\
                    factor = [{ id = \"A\", feature = \"a\" }]\nbench = [{ name = \"b\", metric = \"span\" }]\n\
                    measure = { looks = [20], min_effect = \"1%\" }\n";
        fs::write(&file, text).expect("written");
        fs::write(folder.path().join("Cargo.toml"), "").expect("written");
        let experiment = crate::experiment::load(&file, Some(folder.path())).expect("an experiment");
        let archive = Archive { package: "k-sys".into(), file: "libk.a".into() };
        let (name, out) = out_dir(&experiment, &archive, &outcome)?;
        Ok(format!("{name} in {}", out.file_name().expect("a name").display()))
    }

    #[test]
    fn the_archive_is_that_of_the_package_and_never_guessed() {
        assert_eq!(chosen(&[("k-sys 1.0.0", None), ("k 1.0.0", Some("x"))]).expect("one"), "k-sys 1.0.0 in 0");
        let with_one = chosen(&[("k-sys 1.0.0", None), ("k-sys 2.0.0", Some("x"))]);
        assert_eq!(with_one.expect("one has the file"), "k-sys 2.0.0 in 1");
        let alike = chosen(&[("k-sys 1.0.0", Some("x")), ("k-sys 1.0.0", Some("x"))]);
        assert_eq!(alike.expect("for the host too"), "k-sys 1.0.0 in 0");
        let refused = |scripts: &[(&str, Option<&str>)]| chosen(scripts).expect_err("refused").to_string();
        assert!(refused(&[("k 1.0.0", Some("x"))]).contains("no build script of package `k-sys`"));
        let several = refused(&[("k-sys 1.0.0", Some("x")), ("k-sys 1.0.0", Some("y"))]);
        assert!(several.contains("is built 2 times in this build"), "{several}");
    }
}
