//! Executables by the digest of their bytes.
//!
//! Invariant: the file named by a digest has that digest, or using it is an error. A file enters under a temporary
//! name, is synced and then renamed, so a killed program leaves no half of one.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The store of a project: `.ablate/store` in its root.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// What each digest's file looked like when its content was last read and found right.
    known: Mutex<HashMap<String, Identity>>,
}

/// Changes with every write to a file and with every other file put in its place; users cannot set `ctime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    /// In bytes.
    pub(crate) size: u64,
    changed: (i64, i64),
}

/// An executable of the store that may not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It is not there.
    #[error("{} is missing from the store", .0.display())]
    Missing(PathBuf),
    /// It is there with other content.
    #[error("{} was replaced: its digest is now {now}", .path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
        /// The digest of what stands there.
        now: String,
    },
}

impl Store {
    /// Opens the store of the project, making its folder where there is none. Git is told to leave it alone.
    pub fn open(root: &Path) -> Result<Self> {
        let home = root.join(".ablate");
        let folder = home.join("store");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the store {}", folder.display()))?;
        let ignore = home.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").with_context(|| format!("cannot write {}", ignore.display()))?;
        }
        Ok(Self { folder, known: Mutex::default() })
    }

    /// Where the executable of that digest is, or would be.
    pub fn path(&self, digest: &str) -> PathBuf {
        self.folder.join(digest)
    }

    /// Copies an executable in and gives back its digest and size in bytes. One that is there already stays as it is:
    /// another run may be taking samples from it.
    pub fn insert(&self, executable: &Path) -> Result<(String, u64)> {
        let context = || format!("cannot copy {} into the store {}", executable.display(), self.folder.display());
        let there =
            File::open(executable).and_then(|mut file| transfer(&mut file, &mut io::sink())).with_context(context)?;
        if self.checked(&there.0).is_ok() {
            return Ok(there);
        }
        self.copy(executable).with_context(context)
    }

    fn copy(&self, executable: &Path) -> io::Result<(String, u64)> {
        let mut copy = tempfile::NamedTempFile::new_in(&self.folder)?;
        let (digest, size) = transfer(&mut File::open(executable)?, copy.as_file_mut())?;
        copy.as_file().set_permissions(fs::Permissions::from_mode(0o555))?;
        copy.as_file().sync_all()?;
        copy.persist(self.path(&digest))?;
        File::open(&self.folder)?.sync_all()?;
        Ok((digest, size))
    }

    /// The executable of that digest, if what stands there still has it. Its content is read again only when the file
    /// is not the one that was last found right.
    pub fn checked(&self, digest: &str) -> Result<PathBuf, StoreError> {
        let path = self.path(digest);
        let missing = |_| StoreError::Missing(path.clone());
        let identity = Identity::of(&path).map_err(missing)?;
        if self.known.lock().unwrap_or_else(PoisonError::into_inner).get(digest) == Some(&identity) {
            return Ok(path);
        }
        self.read_again(digest)
    }

    /// Whether the executable was left alone since it was last found right: not written, nor another put in its place and
    /// taken away again. Where it was not, its content is read, and an error says that it is another.
    pub fn untouched(&self, digest: &str) -> Result<bool, StoreError> {
        let before = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(digest).copied();
        let path = self.checked(digest)?;
        Ok(before.is_some() && before == Identity::of(&path).ok())
    }

    /// The executable of that digest, its content read in any case.
    pub fn read_again(&self, digest: &str) -> Result<PathBuf, StoreError> {
        let path = self.path(digest);
        let missing = |_| StoreError::Missing(path.clone());
        let identity = Identity::of(&path).map_err(missing)?;
        let now = digest_of(&path).map_err(missing)?;
        if now != digest {
            return Err(StoreError::Replaced { path, now });
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(digest.to_owned(), identity);
        Ok(path)
    }
}

/// SHA-256 of a file, in hexadecimal.
pub fn digest_of(path: &Path) -> io::Result<String> {
    Ok(transfer(&mut File::open(path)?, &mut io::sink())?.0)
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

fn transfer(from: &mut impl Read, to: &mut impl Write) -> io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    let mut size = 0;
    loop {
        let length = match from.read(&mut buffer) {
            Ok(0) => return Ok((hex(&hasher.finalize()), size)),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..length]);
        to.write_all(&buffer[..length])?;
        size += length as u64;
    }
}

impl Identity {
    /// The file's as it is now.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled() -> (tempfile::TempDir, Store, String) {
        let root = tempfile::tempdir().expect("a folder");
        let program = root.path().join("program");
        fs::write(&program, "abc").expect("written");
        let store = Store::open(root.path()).expect("a store");
        let (digest, size) = store.insert(&program).expect("inserted");
        assert_eq!(size, 3);
        (root, store, digest)
    }

    #[test]
    fn a_file_is_named_by_its_sha_256_and_nobody_may_write_it() {
        let (_root, store, digest) = filled();
        // FIPS 180-2, appendix B.1.
        assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let path = store.checked(&digest).expect("there");
        assert_eq!(fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o555);
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("listed").count(), 1);
    }

    #[test]
    fn a_replaced_file_is_found_also_after_it_was_found_right() {
        let (_root, store, digest) = filled();
        let path = store.checked(&digest).expect("there");
        fs::remove_file(&path).expect("removed");
        assert_eq!(store.checked(&digest), Err(StoreError::Missing(path.clone())));
        fs::write(&path, "abd").expect("written");
        assert!(matches!(store.checked(&digest), Err(StoreError::Replaced { .. })));
        fs::write(&path, "abc").expect("written");
        assert_eq!(store.checked(&digest), Ok(path));
    }

    #[test]
    fn an_edit_in_place_is_found() {
        let (_root, store, digest) = filled();
        let path = store.checked(&digest).expect("there");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made writable");
        fs::write(&path, "abd").expect("written");
        assert!(matches!(store.checked(&digest), Err(StoreError::Replaced { .. })));
    }

    #[test]
    fn another_file_that_was_there_for_a_while_is_noticed() {
        let (root, store, digest) = filled();
        let path = store.checked(&digest).expect("there");
        assert_eq!(store.untouched(&digest), Ok(true));
        let aside = root.path().join("aside");
        fs::rename(&path, &aside).expect("moved away");
        fs::write(&path, "abd").expect("another in its place");
        fs::rename(&aside, &path).expect("and back");
        assert_eq!(store.untouched(&digest), Ok(false));
        assert_eq!(store.untouched(&digest), Ok(true), "from then on it is known as it is");
        store.insert(&root.path().join("program")).expect("inserted again");
        assert_eq!(store.untouched(&digest), Ok(true), "what is right stays as it is");
    }

    #[test]
    fn the_same_content_enters_twice_as_one_file() {
        let (root, store, digest) = filled();
        assert_eq!(store.insert(&root.path().join("program")).expect("inserted").0, digest);
        assert!(store.insert(&root.path().join("nothing")).is_err());
        assert_eq!(fs::read_dir(root.path().join(".ablate/store")).expect("listed").count(), 1);
    }
}
