//! Programs that take part in the build: where one lies, and how it was found.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// What is run.
    pub(crate) path: PathBuf,
    /// The name by which it was looked up on `PATH`; `None` where its place was given.
    name: Option<PathBuf>,
}

impl Program {
    /// A bare name is looked up on `PATH`, as a shell would; anything else is a place. `None` where there is no file.
    pub(crate) fn find(given: &Path) -> Option<Self> {
        if given.components().count() > 1 {
            let path = std::path::absolute(given).ok()?;
            return path.is_file().then_some(Self { path, name: None });
        }
        let folders = env::var_os("PATH")?;
        let path = env::split_paths(&folders).map(|folder| folder.join(given)).find(|path| is_executable(path))?;
        Some(Self { path, name: Some(given.to_owned()) })
    }

    /// Its file name.
    pub(crate) fn file_name(&self) -> &Path {
        self.path.file_name().map_or(&self.path, Path::new)
    }

    /// Where it is to be looked for again: `$PATH/NAME`, or its folder. So a reader of the manifest notices another program
    /// of that name in an earlier folder of `PATH`, and a longer `PATH` that leads to the same one changes nothing.
    pub(crate) fn place(&self) -> String {
        match &self.name {
            Some(name) => format!("$PATH/{}", name.display()),
            None => self.path.parent().unwrap_or(Path::new("/")).display().to_string(),
        }
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
