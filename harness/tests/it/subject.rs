//! A project whose program speaks the protocol, with times that a test knows and faults on demand.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Project;

pub(crate) const FILE: &str = "experiments/subject.toml";

/// A project with the subject's sources.
pub(crate) fn project() -> Project {
    let project = Project::new();
    project.write("Cargo.toml", include_str!("../fixtures/subject/Cargo.toml"));
    project.write("src/main.rs", include_str!("../fixtures/subject/main.rs"));
    project
}

/// An experiment over some of the subject's features, each a factor of that name, with one bench.
pub(crate) fn experiment(features: &[&str], args: &[&str], looks: &str) -> String {
    let factors: Vec<String> = features
        .iter()
        .map(|name| format!("[[factor]]\nid = \"{name}\"\nfeature = \"{name}\"\nchanges = [\"binary\"]\n"))
        .collect();
    format!(
        "schema = 1\nname = \"subject\"\nquestion = \"Which feature is slower?\"\n\
         [target]\npackage = \"subject\"\n{}[design]\nkind = \"add-one\"\n\
         [[bench]]\nname = \"work\"\nargs = {args:?}\nmetric = \"span\"\niterations = 1\n\
         [measure]\nlooks = {looks}\nalpha = 0.05\nmin_effect = \"1%\"\nseed = 7\n",
        factors.concat()
    )
}

/// Runs of the project, by their folders.
pub(crate) fn runs(project: &Project) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(project.path().join("results")) else { return Vec::new() };
    let mut runs: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    runs.sort();
    runs
}

/// The only run of the project.
pub(crate) fn the_run(project: &Project) -> PathBuf {
    let [run] = runs(project).try_into().expect("one run");
    run
}

pub(crate) fn id(run: &Path) -> &str {
    run.file_name().and_then(|name| name.to_str()).expect("a name")
}

pub(crate) fn sample_lines(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("samples.jsonl")).expect("samples");
    text.lines().map(str::to_owned).collect()
}

/// What each sample is of: block, arm, bench. Fails on two of the same.
pub(crate) fn sample_keys(run: &Path) -> BTreeSet<(u64, String, String)> {
    let lines = sample_lines(run);
    let keys: BTreeSet<_> = lines.iter().map(|line| key(line)).collect();
    assert_eq!(keys.len(), lines.len(), "no sample comes twice");
    keys
}

fn key(line: &str) -> (u64, String, String) {
    let sample: serde_json::Value = serde_json::from_str(line).expect("a sample");
    let text = |name: &str| sample[name].as_str().expect("text").to_owned();
    (sample["block"].as_u64().expect("a number"), text("arm"), text("bench"))
}

pub(crate) fn run_json(run: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(run.join("run.json")).expect("run.json")).expect("JSON")
}

/// Starts `ablate` and does not wait for it.
pub(crate) fn start(project: &Project, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ablate"))
        .args(args)
        .current_dir(project.path())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits until the project's only run has that many samples, and gives back its folder.
pub(crate) fn wait_for_samples(project: &Project, count: usize) -> PathBuf {
    let start = Instant::now();
    while start.elapsed() < Duration::from_mins(2) {
        if let [run] = runs(project).as_slice()
            && run.join("samples.jsonl").exists()
            && sample_lines(run).len() >= count
        {
            return run.clone();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no {count} samples within two minutes");
}
