//! `ablate verify`: the table of builds, and its exit code.

use crate::subject::{FILE, experiment, project, runs};
use crate::support::Project;

/// A program that looks at none of its features. Built whole, equal code gives equal files.
const TINY: &str = "fn main() {\n    println!(\"x\");\n}\n";
const WHOLE: &str = "codegen-units = 1\nlto = \"fat\"\npanic = \"abort\"\n";

#[test]
fn builds_that_are_what_they_claim_pass() {
    let project = project();
    project.write(FILE, &experiment(&["slow", "quick"], &[], "[10]"));
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    assert_eq!(answer.stdout.matches("rebuilt").count(), 4, "{}", answer.stdout);
    let again = project.ablate(&["verify", FILE]);
    assert_eq!(again.stdout.matches("fresh").count(), 4, "{}", again.stdout);
    assert_eq!(again.code, Some(0));
    assert!(runs(&project).is_empty());
}

#[test]
fn a_feature_that_changes_nothing_is_inert() {
    let project = project();
    project.write("src/main.rs", TINY);
    project.write(
        "Cargo.toml",
        &format!("{}{WHOLE}", include_str!("../fixtures/subject/Cargo.toml").replace("opt-level = 0", "opt-level = 3")),
    );
    let text = experiment(&["idle"], &[], "[10]").replace("iterations = 1", "parse = \"process\"");
    project.write(FILE, &text);
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["idle inert", "feature `idle`", "byte for byte", "idle is base"] {
        assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
    }
    let run = project.ablate(&["run", FILE]);
    assert_eq!(run.code, Some(4), "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("nothing to measure"), "{}", run.stdout);
}

#[test]
fn a_failed_build_and_a_lie_are_findings() {
    let project = project();
    project.write(FILE, &experiment(&["broken", "lying"], &[], "[10]"));
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["broken build failed", "broken on purpose", "lying wrong binary", "the arm's are [lying]"] {
        assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
    }
}

/// A program that tells the features it was built with, as `cfg!` has them.
const HONEST: &str = r###"fn main() {
    let features = [("std", cfg!(feature = "std")), ("fast", cfg!(feature = "fast")), ("small", cfg!(feature = "small"))];
    let on: Vec<String> = features.iter().filter(|(_, on)| *on).map(|(name, _)| format!("\"{name}\"")).collect();
    println!(r##"{{"ev":"hello","protocol":1,"program":"toy","features":[{}]}}"##, on.join(","));
}
"###;

/// An experiment over one feature of that program.
fn over(feature: &str) -> String {
    format!(
        "schema = 1\nname = \"{feature}\"\nquestion = \"?\"\n[target]\npackage = \"toy\"\n[[factor]]\nid = \"F\"\n\
         feature = \"{feature}\"\n[[bench]]\nname = \"b\"\nargs = []\nmetric = \"total\"\niterations = 1\n[measure]\n\
         looks = [8]\nmin_effect = \"5%\"\n"
    )
}

#[test]
fn features_that_default_or_another_turns_on_are_no_lie() {
    let project = Project::new();
    project.write("src/main.rs", HONEST);
    project.write(
        "Cargo.toml",
        "[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[features]\ndefault = [\"std\"]\nstd = []\n\
         fast = []\nsmall = []\nboth = [\"fast\", \"small\"]\n\n[workspace]\n",
    );
    project.write(FILE, &over("both"));
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    project.write("src/main.rs", &HONEST.replace("cfg!(feature = \"small\")", "true"));
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(4), "base says small, which nothing turned on\n{}", answer.stdout);
}

#[test]
fn two_harnesses_in_one_project_never_mistake_their_binaries() {
    let project = Project::new();
    project.write("src/main.rs", HONEST);
    for feature in ["fast", "small"] {
        project.write(&format!("{feature}.toml"), &over(feature));
    }
    for _ in 0..5 {
        std::thread::scope(|scope| {
            let verify = |feature: &'static str| {
                let project = &project;
                scope.spawn(move || project.ablate(&["verify", &format!("{feature}.toml")]))
            };
            for answer in [verify("fast"), verify("small")].map(|thread| thread.join().expect("no panic")) {
                assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
            }
        });
    }
    assert!(!project.has("target/release"), "the project's own target folder is left alone");
}

#[test]
fn a_command_arm_is_built_by_its_own_command() {
    let project = Project::new();
    project.write("make.sh", "printf '#!/bin/sh\\n' > other.sh && chmod +x other.sh\n");
    let text = "schema = 1\nname = \"peer\"\nquestion = \"?\"\n[[arm]]\nid = \"base\"\ncommand = [\"true\"]\n[[arm]]\n\
                id = \"other\"\ncommand = [\"./other.sh\"]\nbuild = [\"sh\", \"make.sh\"]\n[[bench]]\nname = \"b\"\nargs = []\n\
                parse = \"process\"\nmetric = \"span\"\n[measure]\nlooks = [8]\nmin_effect = \"5%\"\n";
    project.write(FILE, text);
    let answer = project.ablate(&["verify", FILE]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    assert!(project.has("other.sh"));
    project.write("make.sh", "echo no compiler >&2; exit 3\n");
    let answer = project.ablate(&["run", FILE]);
    assert_eq!(answer.code, Some(2), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["build of arm other", "no compiler", "exit code 3"] {
        assert!(answer.stderr.contains(words), "{words}:\n{}", answer.stderr);
    }
    assert!(runs(&project).is_empty());
}
