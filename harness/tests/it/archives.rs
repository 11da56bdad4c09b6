//! `ablate verify` over a program with a native archive, made by gcc: what is as declared passes, each fault is found.

use std::fs::{self, File, FileTimes};
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Answer, Project};

pub(crate) const FILE: &str = "experiments/native.toml";

/// The project, with an experiment over features and what each is said to change.
pub(crate) fn project(factors: &[(&str, &str)]) -> Project {
    let project = Project::new();
    let files = [
        ("Cargo.toml", include_str!("../fixtures/native/Cargo.toml")),
        ("src/main.rs", include_str!("../fixtures/native/src/main.rs")),
        ("k-sys/Cargo.toml", include_str!("../fixtures/native/k-sys/Cargo.toml")),
        ("k-sys/build.rs", include_str!("../fixtures/native/k-sys/build.rs")),
        ("k-sys/src/lib.rs", include_str!("../fixtures/native/k-sys/src/lib.rs")),
        ("k-sys/k.c", include_str!("../fixtures/native/k-sys/k.c")),
        ("k-sys/k.h", include_str!("../fixtures/native/k-sys/k.h")),
    ];
    for (name, text) in files {
        project.write(name, text);
    }
    let factors: Vec<String> = factors
        .iter()
        .map(|(name, changes)| format!("[[factor]]\nid = \"{name}\"\nfeature = \"{name}\"\nchanges = {changes}\n"))
        .collect();
    project.write(
        FILE,
        &format!(
            "schema = 1\nname = \"native\"\nquestion = \"?\"\n[target]\npackage = \"native\"\n{}\
             [[archive]]\npackage = \"k-sys\"\nfile = \"libk.a\"\n[design]\nkind = \"add-one\"\n\
             [[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n\
             [measure]\nlooks = [12]\nmin_effect = \"5%\"\n",
            factors.concat()
        ),
    );
    project
}

pub(crate) fn verify(project: &Project, code: i32) -> Answer {
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(code), "{}\n{}", answer.stdout, answer.stderr);
    answer
}

fn assert_says(answer: &Answer, words: &[&str]) {
    for words in words {
        assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
    }
}

/// The archives that the builds left, one for each set of features.
fn archives(project: &Project) -> Vec<PathBuf> {
    let folders = fs::read_dir(project.path().join("target/ablate/release/build")).expect("built");
    folders.map(|entry| entry.expect("an entry").path().join("out/libk.a")).filter(|path| path.is_file()).collect()
}

/// Writes a file and gives it the time of modification that it had.
pub(crate) fn edit_under_the_old_time(project: &Project, name: &str, text: &str) {
    let path = project.path().join(name);
    let old = fs::metadata(&path).expect("there").modified().expect("a time");
    project.write(name, text);
    let file = File::options().write(true).open(&path).expect("opened");
    file.set_times(FileTimes::new().set_modified(old)).expect("set");
}

pub(crate) const HOST_AND_BINARY: &str = "[\"archive-host\", \"binary\"]";

#[test]
fn toggles_that_do_what_they_say_pass_and_those_that_do_not_are_inert() {
    let project = project(&[("fast", HOST_AND_BINARY), ("idle", HOST_AND_BINARY), ("lost", HOST_AND_BINARY)]);
    let answer = verify(&project, 4);
    assert_says(
        &answer,
        &[
            "host changed, as declared",
            "unchanged, though host is declared",
            "idle inert: factor idle switches feature `idle` on",
            "the feature reaches the compiler (the stamps differ)",
            "lost inert: factor lost",
            "`lost` does not reach it",
        ],
    );
    assert!(!answer.stdout.contains("fast inert") && !answer.stdout.contains("stale"), "{}", answer.stdout);
    assert_eq!(archives(&project).len(), 3, "base and `lost` share one");
}

#[test]
fn an_edit_under_the_old_time_and_an_edited_header_are_stale_and_mended_as_told() {
    let project = project(&[("fast", HOST_AND_BINARY)]);
    verify(&project, 0);
    let again = verify(&project, 0);
    assert_eq!(again.stdout.matches(" fresh ").count(), 3, "{}", again.stdout);

    let header = include_str!("../fixtures/native/k-sys/k.h").replace("21", "22");
    project.write("k-sys/k.h", &header);
    let answer = verify(&project, 4);
    assert_says(&answer, &["base stale", "fast stale", "k/k.h", "has another content"]);
    let told: String = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = told.split('`').find(|words| words.starts_with("cargo clean")).expect("a remedy");
    let mut command = Command::new("sh");
    command.args(["-c", told]).current_dir(project.path()).env_remove("CARGO_TARGET_DIR");
    assert!(command.output().expect("it runs").status.success(), "{told}");
    verify(&project, 0);

    let source = include_str!("../fixtures/native/k-sys/k.c").replace("K * 2", "K * 4");
    edit_under_the_old_time(&project, "k-sys/k.c", &source);
    assert_says(&verify(&project, 4), &["stale", "k/k.c"]);
}

#[test]
fn an_archive_that_was_overwritten_is_stale() {
    let project = project(&[("fast", HOST_AND_BINARY)]);
    verify(&project, 0);
    let [one, two] = archives(&project).try_into().expect("two archives");
    fs::copy(&one, &two).expect("overwritten");
    assert_says(&verify(&project, 4), &["stale", "is not the archive of the manifest beside it"]);
    fs::write(&two, "!<arch>\n").expect("overwritten");
    assert_says(&verify(&project, 4), &["stale", "it has no members"]);
}

#[test]
fn more_than_is_declared_and_a_feature_that_another_package_turns_on_leak() {
    let project = project(&[("fast", "[\"binary\"]")]);
    assert_says(&verify(&project, 4), &["fast leaking", "archive-host changed from base to fast", "k in k.o changed"]);

    let manifest = include_str!("../fixtures/native/Cargo.toml")
        .replace("path = \"k-sys\"", "path = \"k-sys\", features = [\"fast\"]");
    project.write("Cargo.toml", &manifest);
    assert_says(
        &verify(&project, 4),
        &["base leaking", "feature `fast` of package `k-sys` is on", "cargo tree -e features -i k-sys"],
    );
}

#[test]
fn an_archive_of_a_package_that_is_not_built_is_an_error() {
    let project = project(&[("fast", HOST_AND_BINARY)]);
    let text = fs::read_to_string(project.path().join(FILE)).expect("read").replace("\"k-sys\"", "\"z-sys\"");
    project.write(FILE, &text);
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(2), "{}", answer.stdout);
    assert!(
        answer.stderr.contains("archive: no build script of package `z-sys` runs in this build"),
        "{}",
        answer.stderr
    );
}
