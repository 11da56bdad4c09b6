//! The control build, inputs that move, and binaries that are touched while they run.

use std::fs;

use crate::archives::{HOST_AND_BINARY, project, verify};
use crate::subject::{FILE as SUBJECT, experiment, run_json, sample_lines, the_run};
use crate::support::{Answer, Project};

const FILE: &str = crate::archives::FILE;

/// What the program printed as one line, so that words can be looked for across its line breaks.
fn said(answer: &Answer) -> String {
    answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn assert_says(answer: &Answer, words: &[&str]) {
    let said = said(answer);
    let missing: Vec<_> = words.iter().filter(|word| !said.contains(*word)).collect();
    assert!(missing.is_empty(), "without {missing:?}:\n{}\n{}", answer.stdout, answer.stderr);
}

/// The native project with another build script.
fn with_script(change: impl Fn(&str) -> String) -> Project {
    let project = project(&[("fast", HOST_AND_BINARY)]);
    project.write("k-sys/build.rs", &change(include_str!("../fixtures/native/k-sys/build.rs")));
    project
}

#[test]
fn base_is_built_twice_once_and_again_when_asked_or_when_an_input_changed() {
    let project = project(&[("fast", HOST_AND_BINARY)]);
    let kept = "control build of base: the same again (from an earlier build)";
    let made = "control build of base: the same again (";
    let first = verify(&project, 0);
    assert!(said(&first).contains(made) && !said(&first).contains(kept), "{}", first.stdout);
    assert_says(&verify(&project, 0), &[kept]);
    let forced = project.ablate(&["verify", FILE, "--control"]);
    assert!(said(&forced).contains(made) && !said(&forced).contains(kept), "{}", forced.stdout);
    project.write("README.md", "no input");
    assert_says(&verify(&project, 0), &[kept]);
    project.write("k-sys/k.c", &include_str!("../fixtures/native/k-sys/k.c").replace("K * 2", "K * 4"));
    let edited = verify(&project, 0);
    assert!(!said(&edited).contains(kept), "{}", edited.stdout);
    assert!(!project.has("target/ablate-control-build"), "what it built is removed");
}

/// A build script that puts the time into the object, as compilers with `__TIME__` or a temporary name do.
pub(crate) fn with_the_time() -> Project {
    let project = with_script(|script| {
        let time = "std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos()";
        script.replace(".args(&defines)", &format!(".args(&defines).arg(format!(\"-DNONCE={{}}UL\", {time} as u64))"))
    });
    let source = include_str!("../fixtures/native/k-sys/k.c");
    project.write("k-sys/k.c", &format!("{source}\nunsigned long k_made_at = NONCE;\n"));
    project
}

#[test]
fn a_build_that_differs_every_time_is_not_reproducible_unless_that_is_allowed() {
    let project = with_the_time();
    let words = [
        "base not reproducible: base built a second time from the same inputs under another path differs",
        "k_made_at in k.o changed",
    ];
    assert_says(&verify(&project, 4), &words);
    assert_says(&verify(&project, 4), &words);
    let run = project.ablate(&["run", FILE]);
    assert_eq!(run.code, Some(4), "{}\n{}", run.stdout, run.stderr);
    assert!(sample_lines(&the_run(&project)).is_empty(), "nothing is measured that could not be trusted");
    fs::remove_dir_all(project.path().join("results")).expect("removed");

    let allowed = project.ablate(&["run", FILE, "--allow", "not-reproducible"]);
    assert!(matches!(allowed.code, Some(0 | 1 | 3)), "{}\n{}", allowed.stdout, allowed.stderr);
    let run = the_run(&project);
    let json = run_json(&run);
    assert_eq!(json["provenance"]["control"]["allowed"], true);
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(0), "{json}");
    let id = run.file_name().expect("a name").to_str().expect("text");
    for page in ["summary.md", "index.html"] {
        let text = fs::read_to_string(project.path().join("reports").join(id).join(page)).expect("a page");
        assert!(text.contains("base is not reproducible"), "{page}");
    }
}

#[test]
fn a_control_build_that_failed_is_tried_again() {
    let outside = tempfile::tempdir().expect("a folder");
    let full = outside.path().join("full");
    fs::write(&full, "").expect("written");
    let fails = format!(
        "assert!(!(env::var(\"OUT_DIR\").unwrap().contains(\"control-build\") && Path::new({full:?}).exists()), \"full\");"
    );
    let project = with_script(|script| {
        let script = script.replace("    let defines:", &format!("    {fails}\n    let defines:"));
        script.replace("Path::new", "std::path::Path::new")
    });
    assert_says(&verify(&project, 4), &["base not reproducible: base", "it could not be built a second time"]);
    fs::remove_file(&full).expect("removed");
    verify(&project, 0);
}

#[test]
fn a_base_that_only_cargo_takes_for_up_to_date_is_stale() {
    let project = with_script(|script| {
        script.replace(".args(&defines)", ".args(&defines).arg(fs::read_to_string(\"extra\").unwrap())")
    });
    let source = include_str!("../fixtures/native/k-sys/k.c").replace("K * 2", "K * EXTRA");
    project.write("k-sys/k.c", &source);
    project.write("k-sys/extra", "-DEXTRA=2");
    verify(&project, 0);
    project.write("k-sys/extra", "-DEXTRA=4");
    assert_says(
        &verify(&project, 4),
        &[
            "base stale: cargo found base up to date, and base built from nothing is another",
            "k in k.o changed",
            "cargo clean",
        ],
    );
}

/// A program that moves its own file away and back: before and after it ran, the store is as it was.
const MOVER: &str = "fn main() {\n    let own = std::env::current_exe().unwrap();\n    let aside = own.with_extension(\"aside\");\n    \
                     std::fs::rename(&own, &aside).unwrap();\n    std::fs::rename(&aside, &own).unwrap();\n    \
                     println!(\"{}\", cfg!(feature = \"slow\"));\n}\n";

#[test]
fn a_binary_that_was_moved_while_it_ran_gives_no_number() {
    let project = crate::subject::project();
    project.write("src/main.rs", MOVER);
    project.write(SUBJECT, &experiment(&["slow"], &[], "[8]").replace("iterations = 1", "parse = \"process\""));
    let answer = project.ablate(&["run", SUBJECT]);
    assert_eq!(answer.code, Some(5), "{}\n{}", answer.stdout, answer.stderr);
    let samples = sample_lines(&the_run(&project));
    assert_eq!(samples.len(), 3, "the run stops after a block of failures");
    assert!(samples.iter().all(|line| line.contains("was moved or written while it ran")), "{samples:?}");
}
