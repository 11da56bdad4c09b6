//! The target folder of the harness: a folder of its own inside the project's, with a lock.
//!
//! Between cargo's exit and the copy into the store nobody else may put another executable in that place. A plain `cargo
//! build` in the project writes elsewhere, and a second harness waits here until the first has its builds in the store.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// How often a locked folder is looked at again.
const GLANCE: Duration = Duration::from_millis(200);

/// A target folder that nobody else builds in while this value lives.
#[derive(Debug)]
pub(super) struct TargetFolder {
    path: PathBuf,
    /// Held, and let go of by the system also when this process is killed.
    _lock: File,
}

impl TargetFolder {
    /// Takes the folder `ablate` inside the target folder of the project. Waits where another process has it.
    pub(super) fn take(project: &Path, progress: &Progress, interrupt: &Interrupt) -> Result<Self> {
        let path = project.join("ablate");
        fs::create_dir_all(&path).with_context(|| format!("cannot make the target folder {}", path.display()))?;
        let file = path.join(".lock");
        let lock = File::create(&file).with_context(|| format!("cannot write {}", file.display()))?;
        let mut told = false;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path, _lock: lock }),
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("cannot lock {}", file.display()));
                }
                Err(TryLockError::WouldBlock) => {}
            }
            if !told {
                progress.say(&format!("another ablate is building in {}; waiting for it", path.display()));
                told = true;
            }
            if interrupt.requested() {
                bail!("interrupted while another ablate was building; nothing was recorded");
            }
            thread::sleep(GLANCE);
        }
    }

    /// What cargo gets as `--target-dir`.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
