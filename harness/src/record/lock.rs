//! One writer to a run's folder at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The lock's file name.
pub(super) const NAME: &str = "lock";

/// Held until it is dropped; the system gives it back also when its holder is killed.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder. Fails, saying who holds it, where somebody does.
    pub(super) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it is a courtesy: without it the message is only less helpful.
                let _ = file.read_to_string(&mut holder);
                bail!("{} is being written by {}; wait for it, or end it", folder.display(), described(&holder));
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        sign(&mut file).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { _file: file })
    }
}

fn described(holder: &str) -> &str {
    match holder.trim() {
        "" => "another process",
        holder => holder,
    }
}

fn sign(file: &mut File) -> std::io::Result<()> {
    let host = crate::host::name();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "process {} on {host} since {}", std::process::id(), crate::host::now().strftime("%F %T UTC"))
}
