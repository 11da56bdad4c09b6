//! This repository's own archive, by the real nvcc and its own build script.
//!
//! `toggles` and `b_g2` take its sources as they are. `inputs` takes the build script as it is and gives it sources of a few
//! lines, since what a build notices does not depend on how much there is to compile.

mod b_g2;
mod inputs;
mod rebuilds;
mod toggles;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nvcc::repository;
use crate::support::Project;

/// Where the experiments of these projects lie.
const FILE: &str = "own.toml";

/// Files of this repository that git knows and that lie at or under `path`, relative to the repository.
fn tracked(path: &str) -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "-z", "--", path]).current_dir(repository()).output();
    let listed = String::from_utf8(listed.expect("git runs").stdout).expect("names are text");
    listed.split('\0').map(PathBuf::from).filter(|file| repository().join(file).is_file()).collect()
}

/// Copies what git knows at or under `path` into a folder.
fn copy_tracked(path: &str, folder: &Path) {
    for file in tracked(path) {
        let to = folder.join(&file);
        fs::create_dir_all(to.parent().expect("a file lies in a folder")).expect("a folder is made");
        fs::copy(repository().join(file), to).expect("copied");
    }
}

/// A project of that name around the repository's build script, with a program that calls `groth16_cuda::stamp`. What these
/// projects depend on is compiled once for all of them.
fn project(name: &str, manifest: &str) -> Project {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own");
    let project = Project::lasting(folder.join(name));
    project.write(".cargo/config.toml", &format!("[build]\ntarget-dir = '{}'\n", folder.join("target").display()));
    project.write("Cargo.toml", manifest);
    project.write(
        "src/main.rs",
        "//! Says which archive it has.\n\nfn main() {\n    println!(\"{}\", groth16_cuda::stamp());\n}\n",
    );
    copy_tracked("build.rs", project.path());
    copy_tracked("cuda/build", project.path());
    project
}

/// Writes the project's lock file: the versions of this repository's, without what the project does not need.
fn lock(project: &Project) {
    fs::copy(repository().join("Cargo.lock"), project.path().join("Cargo.lock")).expect("copied");
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version=1"]).current_dir(project.path()).env_remove("CARGO_TARGET_DIR");
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// An experiment over the archive with such a table of factors and such a design.
fn experiment(factors: &str) -> String {
    format!(
        "schema = 1\nname = \"own\"\nquestion = \"?\"\n[target]\npackage = \"own\"\n{factors}\
         [[archive]]\npackage = \"groth16-cuda\"\nfile = \"libgroth16_cuda.a\"\n\
         [[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n[measure]\nlooks = [12]\nmin_effect = \"5%\"\n"
    )
}
