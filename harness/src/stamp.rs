//! The manifest that a build script leaves beside its archive: everything that went in, and whether it is still so.
//!
//! The archive `libNAME.a` may come with `NAME.manifest`, lines of a kind, a space and a value, of which `file SHA256 PATH`
//! are looked at here; and with `NAME.roots`, lines `ROOT FOLDER` that say where the first part of each PATH lies; a PATH
//! that begins with `/` needs none. `ROOT $PATH/PROGRAM` stands for the folder where `PATH` leads to that program, so that
//! another compiler in an earlier folder is a changed file. The SHA-256 of the whole manifest is the stamp. It stands in the
//! section `.ablate.stamp` of archive and executable, and the program says it in its hello.
//!
//! Cargo compares times of modification; here the content of every file is hashed anew, so that an edit that kept the old
//! time is found. What it means that something changed is not decided here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::build::store::{Identity, digest_of, hex};
use crate::toolchain::nvcc::on_path;

/// What went into an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// SHA-256 of the manifest's text.
    pub stamp: String,
    /// Its text.
    pub text: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Portable path and digest of every file, in the manifest's order.
    files: Vec<(String, String)>,
    /// Places by the name that stands for them.
    roots: BTreeMap<String, Place>,
}

/// Where a root lies.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In this folder.
    Folder(PathBuf),
    /// Where `PATH` leads to the program of this name.
    Program(PathBuf),
}

/// Files as they are now, each hashed once however many manifests name it, and again where it was touched.
#[derive(Debug, Default)]
pub struct Inputs {
    path: Option<OsString>,
    digests: BTreeMap<PathBuf, (Option<Identity>, Option<String>)>,
}

impl Inputs {
    /// Programs are looked up on this `PATH`.
    pub fn new(path: Option<OsString>) -> Self {
        Self { path, digests: BTreeMap::new() }
    }

    /// Where `PATH` leads to a program; a path that does not exist, and says what was looked for, where it does not.
    fn program(&self, name: &Path) -> PathBuf {
        let found = self.path.as_ref().and_then(|path| on_path(name, path));
        found.unwrap_or_else(|| Path::new(ON_PATH).join(name))
    }

    /// A file's digest; `None` where there is no file.
    fn digest(&mut self, path: &Path) -> Result<Option<String>> {
        let now = Identity::of(path).ok();
        if let Some((then, known)) = self.digests.get(path)
            && *then == now
        {
            return Ok(known.clone());
        }
        let digest = read_digest(path)?;
        self.digests.insert(path.to_owned(), (now, digest.clone()));
        Ok(digest)
    }
}

/// Stands for the folders of `PATH` in a list of roots.
const ON_PATH: &str = "$PATH";

impl Place {
    fn read(text: &str) -> Self {
        match Path::new(text).strip_prefix(ON_PATH) {
            Ok(program) => Self::Program(program.to_owned()),
            Err(_) => Self::Folder(text.into()),
        }
    }
}

/// A file that is not what it was when the archive was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedInput {
    /// Its path in the manifest.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it is still there.
    pub exists: bool,
}

impl Manifest {
    /// Reads the manifest that belongs to an archive; `None` where there is none.
    pub fn of(archive: &Path) -> Result<Option<Self>> {
        let Some(path) = beside(archive, "manifest") else { return Ok(None) };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let files = text.lines().filter_map(|line| line.strip_prefix("file "));
        let files: Vec<(String, String)> = files
            .map(|line| line.split_once(' ').map(|(digest, name)| (name.to_owned(), digest.to_owned())))
            .collect::<Option<_>>()
            .with_context(|| format!("{}: a `file` line has no path; build again", path.display()))?;
        let roots = roots(archive)?;
        Ok(Some(Self { stamp: hex(&Sha256::digest(&text)), text, path, files, roots }))
    }

    /// The folders that the files lie in, by name.
    pub fn roots(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.roots.iter().filter_map(|(name, place)| match place {
            Place::Folder(folder) => Some((name.as_str(), folder.as_path())),
            Place::Program(_) => None,
        })
    }

    /// Where every file lies.
    pub fn files(&self, inputs: &Inputs) -> Result<Vec<PathBuf>> {
        self.files.iter().map(|(name, _)| self.resolve(name, inputs)).collect()
    }

    /// Hashes every file again and gives back those that differ.
    pub fn changed(&self, inputs: &mut Inputs) -> Result<Vec<ChangedInput>> {
        let mut changed = Vec::new();
        for (name, digest) in &self.files {
            let path = self.resolve(name, inputs)?;
            let now = inputs.digest(&path)?;
            if now.as_ref() != Some(digest) {
                changed.push(ChangedInput { name: name.clone(), path, exists: now.is_some() });
            }
        }
        Ok(changed)
    }

    fn resolve(&self, name: &str, inputs: &Inputs) -> Result<PathBuf> {
        if name.starts_with('/') {
            return Ok(name.into());
        }
        let (root, rest) = name.split_once('/').unwrap_or((name, ""));
        match self.roots.get(root) {
            Some(Place::Folder(folder)) => Ok(folder.join(rest)),
            Some(Place::Program(program)) => Ok(inputs.program(program)),
            None => bail!("{} names {name}, but no folder goes by `{root}`; build again", self.path.display()),
        }
    }
}

/// `NAME.extension` beside `libNAME.a`.
fn beside(archive: &Path, extension: &str) -> Option<PathBuf> {
    let stem = archive.file_stem()?.to_str()?;
    Some(archive.with_file_name(format!("{}.{extension}", stem.strip_prefix("lib").unwrap_or(stem))))
}

fn roots(archive: &Path) -> Result<BTreeMap<String, Place>> {
    let Some(path) = beside(archive, "roots") else { return Ok(BTreeMap::new()) };
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}; build again", path.display()))?;
    Ok(text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, place)| (name.to_owned(), Place::read(place)))
        .collect())
}

/// A file's digest; `None` where there is no file.
fn read_digest(path: &Path) -> Result<Option<String>> {
    match digest_of(path) {
        Ok(digest) => Ok(Some(digest)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// A folder with `src/a b.cu`, which is "abc", and the manifest of an archive that was made from it.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("src")).expect("made");
        fs::write(folder.path().join("src/a b.cu"), "abc").expect("written");
        let manifest = format!("manifest 1\nnvcc 13.0\nenv CXXFLAGS\nfile {ABC} cuda/a b.cu\n");
        fs::write(folder.path().join("k.manifest"), manifest).expect("written");
        let roots = format!("cuda {}\n", folder.path().join("src").display());
        fs::write(folder.path().join("k.roots"), roots).expect("written");
        let archive = folder.path().join("libk.a");
        (folder, archive)
    }

    fn changed(archive: &Path) -> Vec<(String, bool)> {
        let manifest = Manifest::of(archive).expect("read").expect("there is one");
        let changed = manifest.changed(&mut Inputs::default()).expect("hashed");
        changed.into_iter().map(|input| (input.name, input.exists)).collect()
    }

    #[test]
    fn the_stamp_is_the_digest_of_the_manifest_as_it_is() {
        let (folder, archive) = folder();
        let manifest = Manifest::of(&archive).expect("read").expect("there is one");
        assert_eq!(manifest.stamp, digest_of(&folder.path().join("k.manifest")).expect("hashed"));
        assert_eq!(changed(&archive), []);
        assert_eq!(Manifest::of(&folder.path().join("libother.a")).expect("read"), None);
    }

    #[test]
    fn an_edit_that_kept_the_old_time_is_found_and_so_is_a_missing_file() {
        let (folder, archive) = folder();
        let source = folder.path().join("src/a b.cu");
        let old = fs::metadata(&source).expect("there").modified().expect("a time");
        fs::write(&source, "abd").expect("written");
        let file = fs::File::options().write(true).open(&source).expect("opened");
        file.set_times(FileTimes::new().set_modified(old)).expect("set");
        assert_eq!(changed(&archive), [("cuda/a b.cu".to_owned(), true)]);
        fs::remove_file(&source).expect("removed");
        assert_eq!(changed(&archive), [("cuda/a b.cu".to_owned(), false)]);
    }

    #[test]
    fn a_program_in_an_earlier_folder_of_path_is_another_and_an_equal_one_is_not() {
        let (folder, archive) = folder();
        fs::write(folder.path().join("k.manifest"), format!("manifest 1\nfile {ABC} host/c++\n")).expect("written");
        fs::write(folder.path().join("k.roots"), "host $PATH/c++\n").expect("written");
        let folders = ["first", "second"].map(|name| folder.path().join(name));
        let install = |folder: &Path, text: &str| {
            fs::create_dir_all(folder).expect("made");
            fs::write(folder.join("c++"), text).expect("written");
            fs::set_permissions(folder.join("c++"), fs::Permissions::from_mode(0o755)).expect("made executable");
        };
        let changed = || {
            let manifest = Manifest::of(&archive).expect("read").expect("there is one");
            let path = std::env::join_paths(&folders).expect("folders without colons");
            manifest.changed(&mut Inputs::new(Some(path))).expect("hashed")
        };
        assert!(matches!(changed().as_slice(), [input] if !input.exists && input.path == Path::new("$PATH/c++")));
        install(&folders[1], "abc");
        assert_eq!(changed(), []);
        install(&folders[0], "abc");
        assert_eq!(changed(), [], "the same compiler, found elsewhere");
        install(&folders[0], "abd");
        assert!(matches!(changed().as_slice(), [input] if input.exists && input.path == folders[0].join("c++")));
    }

    #[test]
    fn a_path_from_the_root_is_taken_as_it_is() {
        let (folder, archive) = folder();
        let header = folder.path().join("stdio.h");
        fs::write(&header, "abc").expect("written");
        fs::write(folder.path().join("k.manifest"), format!("manifest 1\nfile {ABC} {}\n", header.display()))
            .expect("written");
        assert_eq!(changed(&archive), []);
        fs::write(&header, "abd").expect("written");
        assert_eq!(changed(&archive), [(header.display().to_string(), true)]);
    }

    #[test]
    fn a_touched_file_has_not_changed() {
        let (folder, archive) = folder();
        let file = fs::File::options().write(true).open(folder.path().join("src/a b.cu")).expect("opened");
        let later = SystemTime::now() + Duration::from_hours(1);
        file.set_times(FileTimes::new().set_modified(later)).expect("set");
        assert_eq!(changed(&archive), []);
    }

    #[test]
    fn what_does_not_read_as_a_manifest_is_an_error_that_names_it() {
        let (folder, archive) = folder();
        let error = |text: &str| {
            fs::write(folder.path().join("k.manifest"), text).expect("written");
            let read = Manifest::of(&archive).and_then(|manifest| {
                let manifest = manifest.expect("there is one");
                manifest.changed(&mut Inputs::default())
            });
            format!("{:#}", read.expect_err("refused"))
        };
        assert!(error("manifest 1\nfile abc\n").contains("k.manifest: a `file` line has no path"));
        assert!(error("manifest 1\nfile abc sppark/x.h\n").contains("no folder goes by `sppark`"));
        fs::remove_file(folder.path().join("k.roots")).expect("removed");
        assert!(error("manifest 1\n").contains("k.roots"));
    }
}
