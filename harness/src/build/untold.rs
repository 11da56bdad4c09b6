//! What a build may be made from without cargo's knowing: variables that build scripts read in silence, and libraries that
//! lie among the sources.
//!
//! Cargo runs a build script again when a variable changes that the script told it of, and compiles again when a file does
//! that it knows. Of anything else it finds yesterday's build up to date. So the control build, which starts from nothing, is
//! made again wherever one of these changed.
//!
//! A variable is known by its name in the sources of a build script, taken from the script's dep-info. One whose name is put
//! together, or is read by a program that the script starts, is not; `--control` builds again in any case.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::cargo::{Built, Outcome};
use super::inputs::of_dep_info;
use super::store::hex;

/// How names begin that cargo sets for every build script.
const OF_CARGO: &str = "CARGO_";

/// Further ones, and those that differ from shell to shell; what `PATH` leads to is told by the compilers' own stamps.
const NOT: [&str; 12] = [
    "DEBUG",
    "HOST",
    "LD_LIBRARY_PATH",
    "NUM_JOBS",
    "OPT_LEVEL",
    "OUT_DIR",
    "PATH",
    "PROFILE",
    "RUSTC",
    "RUSTDOC",
    "TARGET",
    "_",
];

/// What cargo was not told of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Untold {
    /// Variables that are set and that a build script names, and their values.
    pub(super) variables: BTreeMap<String, String>,
    /// Libraries and object files.
    libraries: Vec<PathBuf>,
}

impl Untold {
    /// That of the packages on disk in one build. `root` is the folder of the workspace, `set` all variables that are set.
    pub(super) fn of(outcome: &Outcome, root: &Path, libraries: Vec<PathBuf>, set: &BTreeMap<String, String>) -> Self {
        let mut named = BTreeSet::new();
        for (name, package) in outcome.packages.iter().filter(|(_, package)| package.local) {
            let told = outcome.out_dirs.get(name).into_iter().flatten().flat_map(|folder| told(folder));
            let told: BTreeSet<String> = told.collect();
            named.extend(words(package, root).difference(&told).cloned());
        }
        let variables = set.iter().filter(|(name, _)| named.contains(*name));
        Self { variables: variables.map(|(name, value)| (name.clone(), value.clone())).collect(), libraries }
    }

    /// The variables as a shell writes them, and digests of their values.
    pub(super) fn digests(&self) -> impl Iterator<Item = (String, String)> {
        self.variables.iter().map(|(name, value)| (format!("${name}"), hex(&Sha256::digest(value))))
    }

    /// What build scripts could print so that cargo knows.
    pub(super) fn directives(&self) -> Vec<String> {
        let variables = self.variables.keys().map(|name| format!("cargo::rerun-if-env-changed={name}"));
        let libraries = self.libraries.iter().map(|file| format!("cargo::rerun-if-changed={}", file.display()));
        variables.chain(libraries).collect()
    }
}

/// Every word in the sources of a package's build scripts that may be the name of a variable.
fn words(package: &Built, root: &Path) -> BTreeSet<String> {
    let sources = package.scripts.iter().filter_map(|script| script.parent()).flat_map(dep_info);
    let texts =
        sources.flat_map(|dep_info| of_dep_info(&dep_info, root)).filter_map(|file| fs::read_to_string(file).ok());
    let of_text = |text: String| {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        words.filter(|word| !word.starts_with(OF_CARGO) && !NOT.contains(word)).map(str::to_owned).collect::<Vec<_>>()
    };
    texts.flat_map(of_text).collect()
}

/// The dep-info files in the folder of a compiled build script.
fn dep_info(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "d")).collect()
}

/// The variables that a build script told cargo of, by the folder that it wrote into: cargo keeps what it printed beside that.
fn told(out_dir: &Path) -> Vec<String> {
    let said = fs::read_to_string(out_dir.with_file_name("output")).unwrap_or_default();
    let directives = said.lines().filter_map(|line| line.trim().strip_prefix("cargo:"));
    let directives = directives.map(|directive| directive.strip_prefix(':').unwrap_or(directive));
    directives.filter_map(|directive| directive.strip_prefix("rerun-if-env-changed=")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The names that count of a build script with this source that printed these lines, where `set` are set.
    fn counted(source: &str, said: &str, set: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("below")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("k/build.rs", source);
        write("build/k-1/build_script_build-1.d", "build/k-1/build_script_build-1: k/build.rs\n");
        write("build/k-2/output", said);
        let script = folder.path().join("build/k-1/build-script-build");
        let package = Built { local: true, scripts: vec![script], ..Built::default() };
        let outcome = Outcome {
            command: Vec::new(),
            compiled: Vec::new(),
            fresh: 0,
            out_dirs: [("k 0.1.0".to_owned(), vec![folder.path().join("build/k-2/out")])].into(),
            packages: [("k 0.1.0".to_owned(), package)].into(),
            time: Duration::ZERO,
            executable: Err(String::new()),
        };
        let set = set.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
        Untold::of(&outcome, folder.path(), Vec::new(), &set).variables.into_keys().collect()
    }

    #[test]
    fn a_variable_counts_that_is_named_and_set_and_of_which_cargo_was_not_told() {
        let script =
            "fn main() { std::env::var(\"K_FLAGS\"); std::env::var(\"PATH\"); std::env::var(\"CARGO_HOME\"); }";
        let set = ["K_FLAGS", "FLAGS", "PATH", "CARGO_HOME"];
        assert_eq!(counted(script, "", &set), ["K_FLAGS"]);
        assert_eq!(counted(script, "", &["FLAGS"]), [""; 0]);
        for told in ["cargo::rerun-if-env-changed=K_FLAGS\n", "warning\ncargo:rerun-if-env-changed=K_FLAGS\n"] {
            assert_eq!(counted(script, told, &set), [""; 0]);
        }
        assert_eq!(counted(script, "cargo::rerun-if-env-changed=K\n", &set), ["K_FLAGS"]);
    }

    #[test]
    fn directives_are_what_a_script_would_print() {
        let untold = Untold { variables: [("V".into(), "1".into())].into(), libraries: vec!["/p/liba.a".into()] };
        let expected = ["cargo::rerun-if-env-changed=V", "cargo::rerun-if-changed=/p/liba.a"];
        assert_eq!(untold.directives(), expected);
    }
}
