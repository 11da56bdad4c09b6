//! The target folder of the harness: a folder of its own inside the project's, with a lock.
//!
//! Between cargo's exit and the copy into the store nobody else may put another executable in that place. A plain `cargo
//! build` in the project writes elsewhere, and a second harness waits here until the first has its builds in the store.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
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

    /// A folder beside it with nothing in it, under a longer name, for the control build. What a killed one left is removed.
    pub(super) fn control(&self) -> Result<ControlFolder> {
        let path = self.path.with_file_name("ablate-control-build");
        remove(&path)?;
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(ControlFolder { path })
    }
}

/// The folder of the control build, removed with this value.
#[derive(Debug)]
pub(super) struct ControlFolder {
    path: PathBuf,
}

impl ControlFolder {
    /// What cargo gets as `--target-dir`.
    pub(super) fn target(&self) -> PathBuf {
        self.path.join("target")
    }

    /// A second path to the workspace.
    pub(super) fn checkout(&self, root: &Path) -> Result<PathBuf> {
        let link = self.path.join("checkout");
        symlink(root, &link).with_context(|| format!("cannot link {} to {}", link.display(), root.display()))?;
        Ok(link)
    }

    /// Removes what was built.
    pub(super) fn empty(&self) -> Result<()> {
        remove(&self.target())
    }
}

impl Drop for ControlFolder {
    /// What cannot be removed now is removed before the next control build.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes a folder; links in it, not what they lead to.
fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
