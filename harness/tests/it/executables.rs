//! Digests of executables over real builds of two small crates, and what `ablate verify` makes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ablate::digest::executable::{ExecutableDigest, differences, executable};
use ablate::digest::{DigestError, Roots};

use crate::support::Project;

const FILE: &str = "experiments/crates.toml";
const KEEP: [&str; 4] = ["-C", "link-arg=-Wl,--emit-relocs", "-C", "strip=debuginfo"];

/// Writes the two crates, with a line of `dep` replaced.
fn write_crates(folder: &Path, from: &str, to: &str) {
    let library = include_str!("../fixtures/crates/dep/src/lib.rs");
    assert!(library.contains(from), "{from}");
    let files = [
        ("Cargo.toml", include_str!("../fixtures/crates/Cargo.toml")),
        ("src/main.rs", include_str!("../fixtures/crates/src/main.rs")),
        ("dep/Cargo.toml", include_str!("../fixtures/crates/dep/Cargo.toml")),
        ("dep/src/lib.rs", &library.replace(from, to)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
}

/// The crates in a folder of their own.
struct Crates {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

impl Crates {
    fn new() -> Self {
        let crates = Self { folder: tempfile::tempdir().expect("a folder"), environment: Vec::new() };
        write_crates(crates.folder.path(), "", "");
        crates
    }

    fn with(mut self, environment: &[(&str, &str)]) -> Self {
        self.environment = environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        self
    }

    /// Builds with a feature, if it has a name, and gives back the executable.
    fn build(&self, feature: &str, arguments: &[&str]) -> Vec<u8> {
        let target = self.folder.path().join("target");
        // Through a shell, for its umask.
        let status = Command::new("sh")
            .args([
                "-c",
                "umask ${MASK:-022}; exec cargo \"$@\"",
                "sh",
                "rustc",
                "--quiet",
                "--release",
                "--bin",
                "crates",
            ])
            .args(["--features", feature, "--target-dir"])
            .arg(&target)
            .arg("--")
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("CARGO_TARGET_DIR")
            .envs(self.environment.iter().cloned())
            .status()
            .expect("cargo runs");
        assert!(status.success(), "{feature}");
        fs::read(target.join("release/crates")).expect("built")
    }

    fn digest(&self, feature: &str) -> ExecutableDigest {
        self.digest_of(&self.build(feature, &KEEP))
    }

    fn digest_of(&self, bytes: &[u8]) -> ExecutableDigest {
        let packages = [("crates", PathBuf::new()), ("dep", "dep".into())];
        let folders = packages.map(|(name, folder)| (name, self.folder.path().join(folder)));
        let roots = Roots::new(folders.iter().map(|(name, folder)| (*name, folder.as_path())));
        executable(bytes, &roots).expect("digested")
    }
}

fn parts(one: &ExecutableDigest, other: &ExecutableDigest) -> Vec<String> {
    differences(one, other).iter().map(ToString::to_string).collect()
}

fn assert_equal(one: &ExecutableDigest, other: &ExecutableDigest, what: &str) {
    assert_eq!(parts(one, other), [""; 0], "{what}");
    assert_eq!(one.binary, other.binary, "{what}");
}

#[test]
fn a_feature_that_renames_every_symbol_and_one_that_reorders_functions_change_nothing() {
    let crates = Crates::new();
    let base = crates.digest("");
    for feature in ["idle", "order"] {
        let other = crates.digest(feature);
        assert_ne!(other.raw, base.raw, "{feature}: the file must differ, or nothing is shown");
        assert_equal(&base, &other, feature);
    }
    assert!(base.parts.iter().filter(|part| part.function).count() > 300);
}

#[test]
fn whatever_changes_code_or_data_changes_the_digest_and_is_named() {
    let crates = Crates::new();
    let base = crates.digest("");
    let table = [("constant", "dep::work"), ("table", "dep::TABLE"), ("string", "dep::NAMES")];
    for (feature, part) in table {
        let other = crates.digest(feature);
        assert_ne!(other.binary, base.binary, "{feature}");
        let found = parts(&base, &other);
        assert!(found.contains(&format!("{part} in the executable changed")), "{feature}: {found:?}");
        assert!(found.len() <= 3, "{feature}: {found:?}");
    }
}

#[test]
fn where_when_and_by_whom_it_was_built_is_not_in_the_digest() {
    let here = Crates::new();
    let base = here.digest("");
    let elsewhere = tempfile::Builder::new().prefix(&"long".repeat(20)).tempdir().expect("a folder");
    let temporary = tempfile::tempdir().expect("a folder");
    let moved = Crates { folder: elsewhere, environment: Vec::new() }.with(&[
        ("MASK", "077"),
        ("TMPDIR", temporary.path().to_str().expect("text")),
        ("USER", "somebody"),
        ("LOGNAME", "somebody"),
    ]);
    write_crates(moved.folder.path(), "pub trait Shape {", "pub trait Shape { // in one line");
    assert_equal(&base, &moved.digest(""), "moved, with a comment");
    fs::remove_dir_all(here.folder.path().join("target")).expect("removed");
    assert_equal(&base, &here.digest(""), "from clean");
    let source = here.folder.path().join("dep/src/lib.rs");
    let text = fs::read(&source).expect("read");
    fs::write(&source, text).expect("touched");
    assert_equal(&base, &here.digest(""), "touched");
}

#[test]
fn a_path_in_the_data_moves_with_the_checkout() {
    let count = "CALLS.fetch_add(count, Ordering::Relaxed);";
    let path = format!("static WHERE: &str = env!(\"CARGO_MANIFEST_DIR\"); println!(\"{{WHERE}}\"); {count}");
    let digest = |prefix: &str| {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir().expect("a folder");
        let crates = Crates { folder, environment: Vec::new() };
        write_crates(crates.folder.path(), count, &path);
        let built = crates.build("", &KEEP);
        let text = crates.folder.path().to_str().expect("text").as_bytes();
        assert!(built.windows(text.len()).any(|window| window == text), "the path is in the executable");
        (crates.digest_of(&built), executable(&built, &Roots::default()).expect("digested"))
    };
    let (here, there) = (digest("a"), digest("some-other-folder"));
    assert_equal(&here.0, &there.0, "moved");
    assert_ne!(here.1.binary, there.1.binary, "a folder that nobody named shows");
}

#[test]
fn other_ways_to_compile_are_digested_as_well() {
    let whole = [("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_PANIC", "abort")];
    let thin = [("CARGO_PROFILE_RELEASE_LTO", "thin"), ("CARGO_PROFILE_RELEASE_STRIP", "true")];
    let new_names = [("RUSTFLAGS", "-Csymbol-mangling-version=v0 -Clink-arg=-fuse-ld=bfd")];
    for environment in [&whole[..], &thin, &new_names] {
        let crates = Crates::new().with(environment);
        let base = crates.digest("");
        assert_equal(&base, &crates.digest("idle"), &format!("{environment:?}"));
        let found = parts(&base, &crates.digest("constant"));
        assert_eq!(found, ["dep::work in the executable changed"], "{environment:?}");
    }
}

#[test]
fn keeping_relocations_leaves_every_function_where_it_is() {
    let crates = Crates::new();
    let (kept, plain) = (crates.build("", &KEEP), crates.build("", &[]));
    assert_ne!(kept, plain);
    let functions = |bytes: &[u8]| {
        let file = crates.folder.path().join("file");
        fs::write(&file, bytes).expect("written");
        let output = Command::new("nm").args(["-n", "-S", "--defined-only"]).arg(&file).output().expect("runs");
        let text = String::from_utf8(output.stdout).expect("text");
        // Address, size, kind, name.
        let code = |line: &&str| matches!(line.split(' ').nth(2), Some("t" | "T"));
        text.lines().filter(code).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(functions(&kept), functions(&plain));
    assert!(functions(&kept).len() > 300);
}

#[test]
fn an_executable_that_cannot_be_looked_into_is_refused_with_the_remedy() {
    let crates = Crates::new();
    let refused = |bytes: &[u8]| executable(bytes, &Roots::default()).expect_err("refused");
    assert_eq!(refused(&crates.build("", &[])), DigestError::NoRelocations);
    let stripped = refused(&crates.build("", &["-C", "strip=symbols"]));
    assert_eq!(stripped, DigestError::Stripped);
    assert!(stripped.to_string().contains("take `strip` out of the profile"), "{stripped}");
    let whole = crates.build("", &KEEP);
    for length in [0, 3, 64, 4096, whole.len() / 2, whole.len() - 1] {
        assert!(executable(&whole[..length], &Roots::default()).is_err(), "cut at {length}");
    }
}

/// The crates as a project with an experiment over features.
fn project(features: &[&str]) -> Project {
    let project = Project::new();
    write_crates(project.path(), "", "");
    let factors: Vec<String> =
        features.iter().map(|name| format!("[[factor]]\nid = \"{name}\"\nfeature = \"{name}\"\n")).collect();
    project.write(
        FILE,
        &format!(
            "schema = 1\nname = \"crates\"\nquestion = \"?\"\n[target]\npackage = \"crates\"\n{}\
             [design]\nkind = \"add-one\"\n[[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n\
             [measure]\nlooks = [12]\nmin_effect = \"5%\"\n",
            factors.concat()
        ),
    );
    project
}

#[test]
fn an_inert_feature_in_pure_rust_is_found_though_every_symbol_was_renamed() {
    let project = project(&["idle", "constant"]);
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["idle inert", "the binary of idle is, function by function, that of base"] {
        assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
    }
    assert!(!answer.stdout.contains("constant inert"), "{}", answer.stdout);
}

#[test]
fn a_profile_that_strips_is_verified_and_a_linker_that_strips_is_refused() {
    let manifest = include_str!("../fixtures/crates/Cargo.toml");
    let stripping = project(&["constant"]);
    stripping.write("Cargo.toml", &format!("{manifest}strip = true\n"));
    let answer = stripping.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    stripping
        .write(".cargo/config.toml", "[build]\nrustflags = [\"-Clink-arg=-fuse-ld=bfd\", \"-Clink-arg=-Wl,-s\"]\n");
    let answer = stripping.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(2), "{}\n{}", answer.stdout, answer.stderr);
    assert!(answer.stderr.contains("stripped of its symbols"), "{}", answer.stderr);
}

#[test]
fn a_linker_that_cannot_keep_relocations_leaves_a_comparison_of_bytes_and_says_so() {
    let project = project(&["constant"]);
    let linker = project.path().join("linker");
    let script = "#!/bin/sh\nfor a in \"$@\"; do case \"$a\" in *emit-relocs*) echo \"unknown option $a\" >&2; exit 1;; esac; done\nexec cc \"$@\"\n";
    project.write("linker", script);
    assert!(Command::new("chmod").arg("+x").arg(&linker).status().expect("runs").success());
    project.write(
        ".cargo/config.toml",
        &format!("[target.x86_64-unknown-linux-gnu]\nlinker = \"{}\"\n", linker.display()),
    );
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("executables are compared byte for byte"), "{}", answer.stdout);
}
