//! What executables and archives were made from, kept from the build that made them.
//!
//! Cargo goes by times of modification and by the files that a build script names. When it takes something for up to date, the
//! files that went into it are compared here with what they were when it was made. Cargo itself says which files an executable
//! is made from, so one that changed proves the executable old. An archive may be made from any file of its package, or not,
//! so one that changed is a reason to build it again from nothing and to compare.
//!
//! A manifest beside an archive says the same and more; an archive that has one is left to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::archives::Native;
use super::inputs::Files;
use super::kept;
use super::store::hex;

/// Kinds of files that no compiler of an archive reads; cargo watches Rust sources by itself.
const NOT_NATIVE: [&str; 2] = ["rs", "md"];

/// What was kept, in `.ablate/made`, and when these builds began.
#[derive(Debug)]
pub(super) struct Made {
    folder: PathBuf,
    began: SystemTime,
}

/// What is kept of something that was made.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Which making this is of: digests, and a time where there is one.
    of: String,
    /// What it was made from.
    files: Files,
}

impl Made {
    /// Opens what is kept in a project. `target` is where cargo is about to build: what is made from now on has the times of
    /// that disk's clock.
    pub(super) fn open(root: &Path, target: &Path) -> Result<Self> {
        let began = tempfile::NamedTempFile::new_in(target)
            .and_then(|file| file.as_file().metadata()?.modified())
            .with_context(|| format!("cannot write into {}", target.display()))?;
        Ok(Self { folder: root.join(".ablate/made"), began })
    }

    /// The files that changed since an executable was linked, where cargo took it for up to date. `command` is what builds it;
    /// `files` is nothing where one of them changed just now.
    pub(super) fn executable(
        &self,
        command: &[String],
        rebuilt: bool,
        raw: &str,
        files: Option<Files>,
    ) -> Result<Vec<String>> {
        // The first build of a project has no lock file yet.
        let words: Vec<&str> = command.iter().map(String::as_str).filter(|word| *word != "--locked").collect();
        let place = self.place(&words.join("\0"));
        if rebuilt {
            keep(&place, raw, files)?;
            return Ok(Vec::new());
        }
        Ok(kept::read(&place)
            .filter(|kept: &Kept| kept.of == raw)
            .zip(files)
            .map(|(kept, now)| differing(&kept.files, &now))
            .unwrap_or_default())
    }

    /// Why an archive must be built again before it can be trusted: the files of its package that changed since its build
    /// script ran, or none where nothing is known of that. `None`: it can be trusted, or its manifest tells.
    pub(super) fn archive(&self, native: &Native, files: Option<Files>) -> Result<Option<Vec<String>>> {
        let (None, Some((time, of))) = (&native.manifest, making(native)) else { return Ok(None) };
        let place = self.place(&native.path.to_string_lossy());
        let (kept, Some(files)) = (kept::read(&place).filter(|kept: &Kept| kept.of == of), files) else {
            return Ok(None);
        };
        match kept {
            Some(kept) => Ok(Some(differing(&kept.files, &native_only(files))).filter(|changed| !changed.is_empty())),
            None if time >= self.began => self.trust(native, files).map(|()| None),
            None => Ok(Some(Vec::new())),
        }
    }

    /// Enters that an archive is what these files make.
    pub(super) fn trust(&self, native: &Native, files: Files) -> Result<()> {
        let Some((_, of)) = making(native) else { return Ok(()) };
        keep(&self.place(&native.path.to_string_lossy()), &of, Some(native_only(files)))
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}.json", hex(&Sha256::digest(name))))
    }
}

/// When an archive was made, by the file in which cargo keeps what its build script said, and words for that making.
fn making(native: &Native) -> Option<(SystemTime, String)> {
    let raw = &native.digest.as_ref().ok()?.raw;
    let said = native.path.parent()?.with_file_name("output");
    let time = fs::metadata(said).and_then(|metadata| metadata.modified()).ok()?;
    Some((time, format!("{raw} {time:?}")))
}

fn native_only(files: Files) -> Files {
    let other = |name: &str| {
        let end = Path::new(name).extension();
        NOT_NATIVE.iter().any(|kind| end.is_some_and(|end| end == *kind))
    };
    files.into_iter().filter(|(name, _)| !other(name)).collect()
}

/// The files that are not the same on both sides, each once, in order.
fn differing(before: &Files, now: &Files) -> Vec<String> {
    let all: BTreeMap<&String, &String> = before.iter().chain(now).collect();
    all.into_keys().filter(|name| before.get(*name) != now.get(*name)).cloned().collect()
}

/// Keeps it; without files it is forgotten.
fn keep(place: &Path, of: &str, files: Option<Files>) -> Result<()> {
    match files {
        Some(files) => kept::write(place, &Kept { of: of.to_owned(), files }),
        None => kept::forget(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(of: &[(&str, &str)]) -> Files {
        of.iter().map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())).collect()
    }

    #[test]
    fn what_changed_came_or_went_differs() {
        let before = files(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let now = files(&[("a", "1"), ("b", "2"), ("d", "1")]);
        assert_eq!(differing(&before, &now), ["b", "c", "d"]);
        assert!(differing(&before, &before).is_empty());
    }

    #[test]
    fn an_executable_is_compared_with_what_it_was_linked_from_and_with_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = Made::open(folder.path(), folder.path()).expect("opened");
        let command = ["cargo".to_owned(), "build".to_owned()];
        let changed = |rebuilt, raw: &str, of: &[(&str, &str)]| {
            made.executable(&command, rebuilt, raw, Some(files(of))).expect("kept")
        };
        assert!(changed(false, "x", &[("a", "1")]).is_empty(), "nothing is known");
        assert!(changed(true, "x", &[("a", "1")]).is_empty());
        assert!(changed(false, "x", &[("a", "1")]).is_empty());
        assert_eq!(changed(false, "x", &[("a", "2")]), ["a"]);
        assert_eq!(changed(false, "x", &[("a", "2")]), ["a"], "it stays so until it is linked again");
        assert!(changed(false, "y", &[("a", "2")]).is_empty(), "another executable");
        assert!(changed(true, "y", &[("a", "2")]).is_empty());
        assert!(changed(false, "y", &[("a", "2")]).is_empty());
        assert!(made.executable(&command, true, "y", None).expect("forgotten").is_empty());
        assert!(changed(false, "y", &[("a", "3")]).is_empty(), "a source changed while it was linked");
    }
}
