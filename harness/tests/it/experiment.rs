//! Experiments that must be refused: exit code 2, a message that names file, key and remedy, and no half-made run. And
//! those of this repository, which must not be.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use ablate::{design, experiment, judge};
use insta::assert_snapshot;

use crate::support::Project;

/// An experiment without its benches and [measure].
const HEAD: &str = r#"schema = 1
name = "toy"
question = "Is it fast?"

[target]
package = "toy"

[[factor]]
id = "F"
feature = "fast"
"#;

const BENCH: &str = r#"
[[bench]]
name = "all"
parse = "process"
metric = "span"
"#;

const MEASURE: &str = r#"
[measure]
looks = [8]
min_effect = "5%"
"#;

/// The message for an experiment that `run` and `verify` must refuse alike before anything is made.
fn refusal(text: &str) -> String {
    let project = Project::new();
    project.write("experiments/toy.toml", text);
    let answers = ["run", "verify"].map(|command| project.ablate(&[command, "experiments/toy.toml"]));
    for answer in &answers {
        assert_eq!(answer.code, Some(2), "{}", answer.stderr);
        assert_eq!(answer.stdout, "");
    }
    for made in ["results", "reports", "target", "Cargo.lock"] {
        assert!(!project.has(made), "{made} was made");
    }
    let [run, verify] = answers;
    assert_eq!(run.stderr, verify.stderr);
    let folder = project.path().canonicalize().expect("the folder exists");
    run.stderr.replace(&folder.display().to_string(), "ROOT")
}

#[test]
fn an_unknown_key() {
    let bench = BENCH.replace("metric", "metrik");
    assert_snapshot!(
        refusal(&format!("{HEAD}{bench}{MEASURE}")),
        @"error: experiments/toy.toml:15: unknown key `metrik` in [[bench]]; did you mean `metric`?"
    );
}

#[test]
fn two_factors_with_one_id() {
    let twin = "\n[[factor]]\nid = \"F\"\nfeature = \"small\"\n";
    assert_snapshot!(
        refusal(&format!("{HEAD}{twin}{BENCH}{MEASURE}")),
        @"error: experiments/toy.toml:13: factor[1].id: `F` is already the id of factor[0]; give each its own"
    );
}

#[test]
fn no_bench() {
    let expected =
        "error: experiments/toy.toml:1: bench: nothing to measure: add a [[bench]] with `name`, `args` and `metric`\n";
    assert_eq!(refusal(&format!("{HEAD}{MEASURE}")), expected);
    assert_eq!(refusal(&format!("bench = []\n{HEAD}{MEASURE}")), expected);
}

#[test]
fn no_looks() {
    let measure = MEASURE.replace("[8]", "[]");
    assert_snapshot!(
        refusal(&format!("{HEAD}{BENCH}{measure}")),
        @"error: experiments/toy.toml:18: measure.looks: no look means no verdict; name the numbers of blocks at which to judge, such as [16, 24]"
    );
}

#[test]
fn a_missing_manifest() {
    let head = HEAD.replace("[target]", "[target]\nmanifest = \"crates/toy/Cargo.toml\"");
    assert_snapshot!(
        refusal(&format!("{head}{BENCH}{MEASURE}")),
        @"error: experiments/toy.toml:6: target.manifest: no such file: ROOT/crates/toy/Cargo.toml; the path is relative to the project's root, the folder of the nearest Cargo.toml at or above the experiment (or -C DIR)"
    );
}

#[test]
fn a_full_factorial_of_20_factors() {
    let (head, _) = HEAD.split_once("[[factor]]").expect("it has a factor");
    let mut text = format!("{head}[design]\nkind = \"full\"\n");
    for number in 0..20 {
        write!(text, "\n[[factor]]\nid = \"F{number}\"\nfeature = \"f{number}\"\n").expect("a string takes all");
    }
    assert_snapshot!(
        refusal(&format!("{text}{BENCH}{MEASURE}")),
        @r#"error: experiments/toy.toml: design.kind = "full" makes 1048576 arms of 20 factors, more than 256; write kind = "add-and-leave", kind = "add-one" (21 arms), or kind = "list" and name the arms you need"#
    );
}

#[test]
fn an_experiment_that_is_not_there() {
    let project = Project::new();
    let answer = project.ablate(&["run", "experiments/none.toml"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.starts_with("error: cannot read experiment experiments/none.toml: "), "{}", answer.stderr);
    assert!(!project.has("results"));
}

#[test]
fn a_root_that_is_not_there() {
    let project = Project::new();
    project.write("experiments/toy.toml", &format!("{HEAD}{BENCH}{MEASURE}"));
    for args in [&["-C", "nowhere", "run", "experiments/toy.toml"][..], &["-C", "nowhere", "list"]] {
        let answer = project.ablate(args);
        assert_eq!(answer.code, Some(2));
        assert!(
            answer.stderr.starts_with("error: -C nowhere: not a folder that can be entered: "),
            "{}",
            answer.stderr
        );
    }
}

#[test]
fn the_experiments_of_this_repository_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let file = entry.expect("it can be listed").path();
        if file.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let read = experiment::load(&file, None).unwrap_or_else(|error| panic!("{error}"));
        let plan = design::arms(&read).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(plan.notices, [] as [&str; 0], "{}", read.name);
        assert!(read.expect.is_some(), "{} carries its expected answer", read.name);
        judge::check_plan(&read.measure.looks, read.measure.alpha, judge::family(&read, &plan.arms))
            .unwrap_or_else(|error| panic!("{}: {error}", read.name));
        assert_eq!(file.file_stem().and_then(|stem| stem.to_str()), Some(read.name.as_str()), "named as its file");
        names.push(read.name);
    }
    for name in ["peers", "quick", "selftest"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing");
    }
}

#[test]
fn the_example_of_the_readme_is_right() {
    let readme = include_str!("../../../README.md");
    let blocks: Vec<&str> = readme.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2, "an experiment, and an arm to be added to it");
    let project = Project::new();
    project.write("experiments/hash.toml", &blocks.concat());
    let read =
        experiment::load(&project.path().join("experiments/hash.toml"), None).unwrap_or_else(|error| panic!("{error}"));
    let plan = design::arms(&read).unwrap_or_else(|error| panic!("{error}"));
    let ids: Vec<&str> = plan.arms.iter().map(|arm| arm.id.as_str()).collect();
    assert_eq!(ids, ["base", "base-again", "H", "T=4", "other"]);
    judge::check_plan(&read.measure.looks, read.measure.alpha, judge::family(&read, &plan.arms))
        .expect("its looks can decide something");
}
