//! What tells cargo and compilers how to build, beside the sources: variables, and files of the project.
//!
//! Variables are filtered from what `cmd` has read; nothing is read from the environment here. `PATH` and the toolchain that
//! rustup chose are not among them: what they lead to is told by the versions of the tools and by stamps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::store::digest_of;

/// Variables that change what is built, by name or by how the name begins.
const NAMES: [&str; 16] = [
    "AR",
    "ARFLAGS",
    "AS",
    "CC",
    "CFLAGS",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "LDFLAGS",
    "LIBRARY_PATH",
    "RUSTC",
    "RUSTFLAGS",
    "SOURCE_DATE_EPOCH",
];
const PREFIXES: [&str; 15] = [
    "AR_",
    "CARGO_BUILD_",
    "CARGO_ENCODED_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CARGO_UNSTABLE_",
    "CC_",
    "CFLAGS_",
    "CUDA_",
    "CXXFLAGS_",
    "CXX_",
    "HOST_",
    "NVCC",
    "RUSTC_",
    "TARGET_",
];

/// Variables that begin so and decide where and how fast it is built, not what.
const NOT: [&str; 4] = ["CARGO_BUILD_BUILD_DIR", "CARGO_BUILD_JOBS", "CARGO_BUILD_TARGET_DIR", "CARGO_TARGET_DIR"];

/// The variables that cargo and compilers go by, out of all that are set.
pub fn variables(all: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, String> {
    let counts = |name: &str| NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    all.into_iter().filter(|(name, _)| counts(name) && !NOT.contains(&name.as_str())).collect()
}

/// Files of a workspace and of cargo's own folder that tell cargo how to build, whether they are there or not.
pub fn files(root: &Path, cargo_home: Option<&Path>) -> Vec<PathBuf> {
    let names = ["Cargo.lock", "Cargo.toml", "rust-toolchain", "rust-toolchain.toml"];
    let mut files: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    // Cargo reads its configuration in every folder above the one it is started in.
    let folders = root.ancestors().map(|folder| folder.join(".cargo")).chain(cargo_home.map(Path::to_owned));
    files.extend(folders.flat_map(|folder| ["config.toml", "config"].map(|name| folder.join(name))));
    files
}

/// Those that are there, by path, with their digests.
pub fn digests(root: &Path, cargo_home: Option<&Path>) -> BTreeMap<String, String> {
    let digest = |file: PathBuf| Some((file.display().to_string(), digest_of(&file).ok()?));
    files(root, cargo_home).into_iter().filter_map(digest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_builds_go_by_is_kept() {
        let names = [
            "RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CC_x86_64-unknown-linux-gnu",
            "NVCC_APPEND_FLAGS",
            "HOME",
            "TOKEN",
            "CCACHE_DIR",
        ];
        let kept = variables(names.map(|name| (name.to_owned(), "1".to_owned())));
        assert_eq!(
            kept.into_keys().collect::<Vec<_>>(),
            ["CC_x86_64-unknown-linux-gnu", "NVCC_APPEND_FLAGS", "RUSTFLAGS"]
        );
    }

    #[test]
    fn settings_are_those_of_the_workspace_of_folders_above_it_and_of_cargo() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("outer/inner");
        std::fs::create_dir_all(root.join(".cargo")).expect("made");
        std::fs::create_dir_all(folder.path().join("outer/.cargo")).expect("made");
        std::fs::create_dir(folder.path().join("home")).expect("made");
        let above = ["outer/.cargo/config.toml", "outer/inner/.cargo/config.toml", "outer/inner/rust-toolchain.toml"];
        for file in above.into_iter().chain(["home/config.toml"]) {
            std::fs::write(folder.path().join(file), "").expect("written");
        }
        let below = |path: &String| path.starts_with(&folder.path().display().to_string());
        let count = |home: Option<&Path>| digests(&root, home).keys().filter(|path| below(path)).count();
        assert_eq!((count(None), count(Some(&folder.path().join("home")))), (3, 4));
    }
}
