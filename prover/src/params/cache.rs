//! Parameter files on disk: made once from a seed, and never used unless their checksum holds.
//!
//! ```text
//! .params/mixed-2-20.seed-1.params        the parameters, in bellperson's layout
//! .params/mixed-2-20.seed-1.params.json   its sidecar: what it is, and its SHA-256
//! .params/mixed-2-20.seed-1.params.lock   held while it is made
//! ```
//!
//! **Everything here is insecure, for benches and tests only**: the seed is the trapdoor. The sidecar says so.
//!
//! Invariants: a parameter file that stands under its name is whole, and its sidecar stood there before it. Two set-ups of one
//! name wait for each other. A file that does not match its sidecar is an error, which names the file and the remedy; it is
//! never used and never replaced unasked.
//!
//! What the bytes mean is not known here: the caller reads and writes them, and returns their SHA-256. So a circuit that changed
//! under its name is not noticed here either; see [`Cache::stale`].

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The version of the sidecar.
const FORMAT: u32 = 1;

/// Which parameters: those of one circuit from one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The circuit as it is written on the command line.
    pub circuit: String,
    /// The seed of the secrets.
    pub setup_seed: u64,
}

impl Key {
    fn file_name(&self) -> String {
        let circuit: String = self.circuit.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{circuit}.seed-{}.params", self.setup_seed)
    }
}

/// How many points each section has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Public inputs, the constant one included.
    pub ic: usize,
    /// The H query.
    pub h: usize,
    /// The L query.
    pub l: usize,
    /// The A query.
    pub a: usize,
    /// The B query in G1.
    pub b_g1: usize,
    /// The B query in G2.
    pub b_g2: usize,
}

/// What is known of a parameter file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sidecar {
    /// The version of this format.
    format: u32,
    /// For whoever finds the file.
    warning: String,
    /// The circuit.
    pub circuit: String,
    /// The seed of the secrets.
    pub setup_seed: u64,
    /// Points in each section.
    pub sizes: Sizes,
    /// The file's length.
    pub bytes: u64,
    /// The file's SHA-256 in hexadecimal.
    pub sha256: String,
}

const WARNING: &str = "insecure, for benches only: whoever knows the seed can prove anything";

/// Why parameters could not be had.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Nobody made them yet.
    #[error("no parameters at {}: run `{command}`", path.display())]
    Missing {
        /// Where they would be.
        path: PathBuf,
        /// What makes them.
        command: String,
    },
    /// They, or their sidecar, are not what was written.
    #[error("parameter file {}: {fault}; {remedy}", path.display())]
    Damaged {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
        /// What to do.
        remedy: String,
    },
    /// The file system refused.
    #[error("parameter file {}: {action} failed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// Attaches the path and the action to an error of the file system.
fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> CacheError {
    let path = path.to_owned();
    move |source| CacheError::Io { path, action, source }
}

/// A folder of parameter files.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where the parameters are or would be.
    pub fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(key.file_name())
    }

    /// The command that makes the parameters.
    fn command(&self, key: &Key) -> String {
        let Key { circuit, setup_seed } = key;
        format!("prover setup --circuit {circuit} --setup-seed {setup_seed} --params-dir {}", self.folder.display())
    }

    fn remedy(&self, key: &Key) -> String {
        format!("delete the parameter file and run `{}`", self.command(key))
    }

    /// The error that parameters which were loaded are not those of the key, for the reason `fault`.
    pub fn stale(&self, key: &Key, fault: String) -> CacheError {
        damaged(&self.path(key), fault, &self.remedy(key))
    }

    /// Loads parameters by `read`, which is given the open file and its length, and returns what it read and the SHA-256 of
    /// all bytes.
    pub fn load<T, E: std::error::Error>(
        &self,
        key: &Key,
        read: impl FnOnce(File, u64) -> Result<(T, [u8; 32]), E>,
    ) -> Result<T, CacheError> {
        let path = self.path(key);
        let remedy = self.remedy(key);
        if !path.exists() {
            return Err(CacheError::Missing { path, command: self.command(key) });
        }
        let damaged = |path: &Path, fault: String| damaged(path, fault, &remedy);
        let sidecar = Sidecar::read(&path).map_err(|fault| damaged(&path, fault))?;
        sidecar.must_be_of(key).map_err(|fault| damaged(&path, fault))?;
        load_checked(&path, Some(&sidecar), &remedy, read)
    }

    /// Makes parameters by `write` unless they are there. `write` is given the open file, and returns the number of points in
    /// each section and the SHA-256 of all bytes. Returns whether they were made now.
    ///
    /// Parameters that are there are not looked into: load them for that.
    pub fn make<E: From<CacheError>>(
        &self,
        key: &Key,
        write: impl FnOnce(&mut File) -> Result<(Sizes, [u8; 32]), E>,
    ) -> Result<bool, E> {
        fs::create_dir_all(&self.folder).map_err(failed(&self.folder, "creating the folder"))?;
        let path = self.path(key);
        // The lock is given back when `lock` is closed, however this process ends.
        let lock_path = with_suffix(&path, ".lock");
        let lock = File::create(&lock_path).map_err(failed(&lock_path, "creating the lock"))?;
        lock.lock().map_err(failed(&lock_path, "locking"))?;
        if path.exists() {
            return Ok(false);
        }
        let partial = with_suffix(&path, ".partial");
        let mut file = File::create(&partial).map_err(failed(&partial, "creating it"))?;
        let (sizes, sha256) = write(&mut file)?;
        file.sync_all().map_err(failed(&partial, "syncing"))?;
        let bytes = file.metadata().map_err(failed(&partial, "reading its length"))?.len();
        let Key { circuit, setup_seed } = key.clone();
        Sidecar {
            format: FORMAT,
            warning: WARNING.to_owned(),
            circuit,
            setup_seed,
            sizes,
            bytes,
            sha256: hex(&sha256),
        }
        .write(&path)?;
        fs::rename(&partial, &path).map_err(failed(&path, "renaming into place"))?;
        sync_folder(&self.folder)?;
        Ok(true)
    }
}

/// Loads the parameters in a file of any name by `read`, as [`Cache::load`] does. Where a sidecar stands beside it, the
/// checksum must hold; where none does, `read` alone judges the bytes.
pub fn load_file<T, E: std::error::Error>(
    path: &Path,
    read: impl FnOnce(File, u64) -> Result<(T, [u8; 32]), E>,
) -> Result<T, CacheError> {
    let remedy = "put a good copy in its place";
    let has_sidecar = with_suffix(path, ".json").exists();
    let sidecar = has_sidecar.then(|| Sidecar::read(path)).transpose().map_err(|fault| damaged(path, fault, remedy))?;
    load_checked(path, sidecar.as_ref(), remedy, read)
}

fn load_checked<T, E: std::error::Error>(
    path: &Path,
    sidecar: Option<&Sidecar>,
    remedy: &str,
    read: impl FnOnce(File, u64) -> Result<(T, [u8; 32]), E>,
) -> Result<T, CacheError> {
    let file = File::open(path).map_err(failed(path, "opening"))?;
    let length = file.metadata().map_err(failed(path, "reading its length"))?.len();
    let (parameters, sha256) = read(file, length).map_err(|fault| damaged(path, fault.to_string(), remedy))?;
    match sidecar {
        Some(sidecar) if sidecar.sha256 != hex(&sha256) => {
            let fault = format!("its SHA-256 is {}, but its sidecar says {}", hex(&sha256), sidecar.sha256);
            Err(damaged(path, fault, remedy))
        }
        _ => Ok(parameters),
    }
}

fn damaged(path: &Path, fault: String, remedy: &str) -> CacheError {
    CacheError::Damaged { path: path.to_owned(), fault, remedy: remedy.to_owned() }
}

impl Sidecar {
    /// Reads the sidecar of the parameters at `path`.
    fn read(path: &Path) -> Result<Self, String> {
        let path = with_suffix(path, ".json");
        let fault = |e: &dyn std::fmt::Display| format!("its sidecar {} cannot be used: {e}", path.display());
        let text = fs::read_to_string(&path).map_err(|e| fault(&e))?;
        let sidecar: Self = serde_json::from_str(&text).map_err(|e| fault(&e))?;
        match sidecar.format {
            FORMAT => Ok(sidecar),
            other => Err(fault(&format!("format {other}, where this program knows {FORMAT}"))),
        }
    }

    fn must_be_of(&self, key: &Key) -> Result<(), String> {
        let Key { circuit, setup_seed } = key;
        if (&self.circuit, self.setup_seed) == (circuit, *setup_seed) {
            return Ok(());
        }
        Err(format!(
            "its sidecar is of {} with set-up seed {}, not of {circuit} with {setup_seed}",
            self.circuit, self.setup_seed
        ))
    }

    /// Writes the sidecar of the parameters at `path`.
    fn write(&self, path: &Path) -> Result<(), CacheError> {
        let path = with_suffix(path, ".json");
        let partial = with_suffix(&path, ".partial");
        let write = || {
            let mut file = File::create(&partial)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.sync_all()?;
            fs::rename(&partial, &path)
        };
        write().map_err(failed(&path, "writing the sidecar"))
    }
}

/// A rename lasts once its folder is on disk.
fn sync_folder(folder: &Path) -> Result<(), CacheError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed(folder, "syncing the folder"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
