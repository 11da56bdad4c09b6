//! Digests of archives made by real compilers.

mod cuda;
mod executable;
mod holds;
mod host;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::{ArchiveDigest, Roots, archive, differences};

/// A folder in which things are compiled; its path becomes `<root>` in digests.
struct Workshop {
    _folder: TempDir,
    root: PathBuf,
}

impl Workshop {
    fn new() -> Self {
        Self::named("w")
    }

    /// With a last part of its path of that name: a longer one moves what lies behind it.
    fn named(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join(name);
        fs::create_dir(&root).expect("a folder");
        Self { _folder: folder, root }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::write(&path, text).expect("a file is written");
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Runs gcc on a source, named by its absolute path as cc does, and returns the object.
    fn gcc(&self, name: &str, text: &str, flags: &[&str]) -> PathBuf {
        let source = self.write(name, text);
        let object = source.with_extension("o");
        run(Command::new("gcc").args(["-O2", "-fPIC", "-c"]).args(flags).arg(&source).arg("-o").arg(&object));
        object
    }

    /// Archives objects, with member dates and owners left out (`D`) or kept (`U`), and reads the result.
    fn ar(&self, mode: &str, objects: &[&Path]) -> Vec<u8> {
        let file = self.root.join("lib.a");
        let _ = fs::remove_file(&file);
        run(Command::new("ar").arg(format!("crs{mode}")).arg(&file).args(objects));
        fs::read(file).expect("the archive is there")
    }

    fn digest(&self, bytes: &[u8]) -> ArchiveDigest {
        archive(bytes, &Roots::new([("root", self.root.as_path())])).expect("digested")
    }

    /// An archive of one C source.
    fn of(&self, text: &str, flags: &[&str]) -> ArchiveDigest {
        let object = self.gcc("source.c", text, flags);
        self.digest(&self.ar("D", &[&object]))
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("the compiler starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The parts that differ, as text.
fn parts(one: &ArchiveDigest, other: &ArchiveDigest) -> Vec<String> {
    differences(one, other).iter().map(ToString::to_string).collect()
}
