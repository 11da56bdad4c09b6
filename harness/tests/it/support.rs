//! A small project in a temporary folder, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with a project in it.
pub(crate) struct Project {
    folder: PathBuf,
    /// Removes the folder at the end, where it is a temporary one.
    _temporary: Option<TempDir>,
}

/// What a command printed and its exit code.
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// A project named `toy` with two features and no experiment.
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let project = Self { folder: temporary.path().to_owned(), _temporary: Some(temporary) };
        project.write(
            "Cargo.toml",
            "[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[features]\nfast = []\nsmall = []\n\n[workspace]\n",
        );
        project.write("src/main.rs", "fn main() {}\n");
        project
    }

    /// An empty project in a folder that stays, so that cargo knows it again in the next run of the tests.
    pub(crate) fn lasting(folder: PathBuf) -> Self {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder is made");
        Self { folder, _temporary: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes a file of the project, with the folders above it.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder is made");
        fs::write(path, text).expect("a file is written");
    }

    /// Runs `ablate` in the project's folder.
    pub(crate) fn ablate(&self, args: &[&str]) -> Answer {
        ablate(self.path(), args)
    }

    /// Whether the project has a folder or file of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }
}

/// Runs `ablate` in a folder, without a terminal.
pub(crate) fn ablate(folder: &Path, args: &[&str]) -> Answer {
    answer(&mut command(folder, args))
}

/// `ablate` in a folder, without a terminal, to be given more of an environment.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ablate"));
    command.args(args).current_dir(folder).env_remove("COLUMNS").env_remove("CARGO_TARGET_DIR");
    command.env_remove("RUSTUP_TOOLCHAIN").env("NO_COLOR", "1");
    command
}

/// Runs a command to its end.
pub(crate) fn answer(command: &mut Command) -> Answer {
    let output: Output = command.output().expect("the program starts");
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
