//! The published `bellpepper-core` as an oracle: one driver, built against it and against this package, prints every
//! gadget's and several real circuits' variables, constraints, names and values, and must print the same.
//!
//! The driver is a package outside the workspace, since the workspace's patch would reach it. Two differences are wanted and
//! not printed: combinations with the same terms are equal here however they were built, where there the order shows; and
//! comparing two systems where one has all of the other's constraints and more, counts ignored, panics there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which `bellpepper-core` the driver is built against.
#[derive(Clone, Copy)]
enum Side {
    Published,
    Ours { features: &'static str },
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Published => "driver-published",
            Self::Ours { features: "" } => "driver-ours",
            Self::Ours { .. } => "driver-ours-smallvec",
        }
    }

    /// What its manifest has beyond the template.
    fn manifest(self) -> String {
        let dependency = "\n[dependencies.bellpepper-core]\nversion = \"=0.2.1\"\n";
        match self {
            Self::Published => dependency.to_owned(),
            Self::Ours { features } => {
                let features: Vec<_> = features.split_terminator(' ').collect();
                let path = env!("CARGO_MANIFEST_DIR");
                format!("{dependency}features = {features:?}\n\n[patch.crates-io]\nbellpepper-core.path = {path:?}\n")
            }
        }
    }
}

#[test]
fn gadgets_and_circuits_are_those_of_the_published_package() {
    let published = output(Side::Published);
    assert!(published.len() > 2000, "the driver printed only {} lines", published.len());
    for features in ["", "smallvec"] {
        let ours = output(Side::Ours { features });
        for (line, (ours, published)) in ours.iter().zip(&published).enumerate() {
            assert_eq!(ours, published, "line {} with features [{features}]", line + 1);
        }
        assert_eq!(ours.len(), published.len());
    }
}

/// The lines that the driver prints when built against `side`.
fn output(side: Side) -> Vec<String> {
    let package = lay_out(side);
    let target = package.with_file_name("target");
    let run = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{}: {}", side.name(), String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("the driver prints text").lines().map(str::to_owned).collect()
}

/// Writes the driver as a package for `side` and returns its folder. All sides share a target folder beside it.
fn lay_out(side: Side) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/published");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("published").join(side.name());
    fs::create_dir_all(package.join("src")).expect("the target folder is writable");
    let lock = package.join("Cargo.lock");
    if !lock.exists() {
        // The workspace's versions; cargo adds what the published package needs besides.
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock"), lock)
            .expect("the workspace has a lock");
    }
    let template = fs::read_to_string(source.join("Cargo.template.toml")).expect("the template is there");
    write(&package.join("Cargo.toml"), &(template.replace("NAME", side.name()) + &side.manifest()));
    for file in fs::read_dir(source.join("src")).expect("the driver is there") {
        let file = file.expect("the driver is readable").path();
        let text = fs::read_to_string(&file).expect("the driver is text");
        write(&package.join("src").join(file.file_name().expect("a file has a name")), &text);
    }
    package
}

/// Writes a file unless it is so already, so that nothing is built twice.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|before| before == text) {
        return;
    }
    fs::write(path, text).expect("the target folder is writable");
}
