//! `ablate verify`: the table of builds, and its exit code.

use crate::subject::{FILE, experiment, project, runs};

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
