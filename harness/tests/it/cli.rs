//! Help, usage errors, `list`.

use insta::assert_snapshot;

use crate::support::{Project, ablate};

fn help(args: &[&str]) -> String {
    let answer = ablate(&std::env::temp_dir(), args);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    answer.stdout
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(help(&["--help"]));
}

#[test]
fn help_of_run() {
    assert_snapshot!(help(&["run", "--help"]));
}

#[test]
fn help_of_verify() {
    assert_snapshot!(help(&["verify", "--help"]));
}

#[test]
fn help_of_build() {
    assert_snapshot!(help(&["build", "--help"]));
}

#[test]
fn help_of_bench() {
    assert_snapshot!(help(&["bench", "--help"]));
}

#[test]
fn help_of_report() {
    assert_snapshot!(help(&["report", "--help"]));
}

#[test]
fn help_of_explain() {
    assert_snapshot!(help(&["explain", "--help"]));
}

#[test]
fn help_of_list() {
    assert_snapshot!(help(&["list", "--help"]));
}

#[test]
fn a_usage_error_is_exit_code_2() {
    let project = Project::new();
    for args in [&[][..], &["rum"], &["run"], &["run", "x.toml", "--rezume"], &["report"]] {
        let answer = project.ablate(args);
        assert_eq!(answer.code, Some(2), "{args:?}");
        assert!(answer.stderr.contains("Usage: ablate"), "{args:?}: {}", answer.stderr);
    }
}

#[test]
fn list_of_an_empty_project() {
    let answer = Project::new().ablate(&["list"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert_eq!(answer.stdout, "nothing in experiments/\n\nnothing in results/\n");
}

#[test]
fn list_outside_of_a_project_names_the_remedy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = ablate(folder.path(), &["list"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("-C DIR"), "{}", answer.stderr);
}

#[test]
fn list_shows_the_unreadable_beside_the_rest() {
    let project = Project::new();
    project.write("experiments/good.toml", GOOD);
    project.write("experiments/bad.toml", "schema = 1\nnome = \"bad\"\n");
    project.write("results/good-1/run.json", RUN);
    let sample = |block: &str, arm| SAMPLE.replace("BLOCK", block).replace("ARM", arm);
    let samples = [sample("0", "base"), sample("0", "F"), sample("1", "F"), sample("2", "F")[..60].to_owned()];
    project.write("results/good-1/samples.jsonl", &samples.concat());
    project.write("results/good-2/run.json", &RUN.replace("\"measuring\"", "\"stopped\",\"reason\":\"out of time\""));
    project.write("results/later/run.json", &RUN.replace("\"major\":1", "\"major\":9"));
    project.write("results/torn/run.json", &RUN[..40]);
    project.write("results/odd/run.json", RUN);
    project.write("results/odd/samples.jsonl", "{\"block\":0}\n");
    project.write("results/.making-x/run.json", RUN);
    project.write("results/bare/notes.txt", "");
    for run in ["good-2", "published/old"] {
        project.write(&format!("results/{run}/samples.jsonl"), "");
    }
    project.write("results/published/old/run.json", &RUN.replace("\"measuring\"", "\"complete\""));
    let answer = project.ablate(&["list"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let folder = project.path().canonicalize().expect("the folder exists");
    let shown = answer.stdout.replace(&folder.display().to_string(), "ROOT");
    assert_snapshot!(shown.replace(&project.path().display().to_string(), "ROOT"));
}

#[test]
fn list_of_another_root() {
    let project = Project::new();
    project.write("experiments/good.toml", GOOD);
    let root = project.path().display().to_string();
    let answer = ablate(&std::env::temp_dir(), &["list", "-C", &root]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(answer.stdout.contains("experiments/good.toml"), "{}", answer.stdout);
}

const GOOD: &str = r#"
schema = 1
name = "good"
question = "Is it fast?"

[target]
package = "toy"

[[factor]]
id = "F"
feature = "fast"

[[bench]]
name = "all"
parse = "process"
metric = "span"

[measure]
looks = [8]
min_effect = "5%"
"#;

const RUN: &str = concat!(
    r#"{"format":{"major":1,"minor":0},"id":"good-1","experiment":"good","created":"2026-01-02T03:04:05Z","#,
    r#""state":{"kind":"measuring"},"host":{"name":"h","os":"o","cpu":"c","cpus":1,"memory_bytes":1,"gpus":[],"#,
    r#""driver":null},"git":null,"toolchains":{},"seed":1,"arms":["#,
    r#"{"id":"base","role":"base","levels":{},"features":[],"args":[],"env":{},"command":["x"],"binary":null,"same_as":null},"#,
    r#"{"id":"F","role":"command","levels":{},"features":[],"args":[],"env":{},"command":["y"],"binary":null,"same_as":null}],"#,
    r#""builds":[],"findings":[],"notices":[]}"#
);

const SAMPLE: &str = concat!(
    r#"{"block":BLOCK,"position":0,"arm":"ARM","bench":"all","started":"2026-01-02T03:04:05Z","binary":null,"#,
    r#""status":"ok","cold":null,"warm":[],"proof":null,"conditions":{"wall_ns":1},"exit":{"kind":"code","code":0}}"#,
    "\n"
);
