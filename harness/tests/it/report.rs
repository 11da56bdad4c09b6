//! `ablate report`: the same files again from the samples alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::subject::{self, FILE, experiment, id, project, the_run};
use crate::support::Project;

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("a report").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), fs::read_to_string(&path).expect("text"))).collect()
}

#[test]
fn a_report_is_made_again_from_samples_alone() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &[], "[8]"));
    let first = project.ablate(&["run", FILE]);
    let run = the_run(&project);
    let folder = project.path().join("reports").join(id(&run));
    let written = files(&folder);
    assert_eq!(written.len(), 8, "{:?}", written.keys());

    fs::remove_dir_all(&folder).expect("removed");
    fs::remove_file(project.path().join(FILE)).expect("removed");
    let again = project.ablate(&["report", id(&run)]);
    assert_eq!(again.code, first.code, "{}", again.stderr);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(files(&folder), written);

    let by_folder = project.ablate(&["report", &format!("results/{}", id(&run)), id(&run)]);
    assert_eq!((by_folder.code, files(&folder)), (first.code, written), "{}", by_folder.stderr);
}

/// Nobody listens on stdout, stderr or either; or the disk behind it is full. Nothing panics, and the verdict stays.
#[test]
fn a_verdict_does_not_depend_on_being_read() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "1"], "[8]"));
    let verdict = |args: &str, ends: &str| {
        let script = format!("\"$ABLATE\" {args} {ends}");
        let output = bash(&project, &script);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!text.contains("panicked"), "{script}: {text}");
        (output.status.code(), text)
    };
    let run_args = format!("run {FILE}");
    let closed = "> >(exec true) 2> >(exec true)";
    assert_eq!(verdict(&run_args, closed).0, Some(1), "a run outlives its readers");
    let run = the_run(&project);
    let report_args = format!("report {}", id(&run));
    let verify_args = format!("verify {FILE}");
    for ends in ["> >(exec true)", "2> >(exec true)", closed, "2> /dev/full", "2>&-", ">&-"] {
        assert_eq!(verdict(&report_args, ends).0, Some(1), "{ends}");
        assert_eq!(verdict(&verify_args, ends).0, Some(0), "{ends}");
        assert_eq!(verdict("list", ends).0, Some(0), "{ends}");
    }
    for args in [report_args.as_str(), verify_args.as_str(), "list"] {
        let (code, said) = verdict(args, "> /dev/full");
        assert_eq!(code, Some(2), "{args}: what was asked for is lost");
        assert!(said.contains("cannot write to stdout: "), "{args}: {said}");
    }
    assert_eq!(verdict(&run_args, "2> /dev/full").0, Some(1));
}

/// Runs a command line in the project's folder. Process substitutions need bash.
fn bash(project: &Project, script: &str) -> Output {
    Command::new("bash")
        .args(["-c", script])
        .current_dir(project.path())
        .env("ABLATE", env!("CARGO_BIN_EXE_ablate"))
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("bash starts")
}

/// An id that is a path would have its report written there.
#[test]
fn a_run_whose_id_leads_elsewhere_is_refused_and_the_others_are_reported() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &[], "[8]"));
    let first = project.ablate(&["run", FILE]);
    let run = the_run(&project);
    let text = fs::read_to_string(run.join("run.json")).expect("run.json").replace(id(&run), "../../evil");
    let outside = tempfile::tempdir().expect("a folder");
    let copy = outside.path().join("copy");
    fs::create_dir(&copy).expect("made");
    for file in ["experiment.toml", "samples.jsonl"] {
        fs::copy(run.join(file), copy.join(file)).expect("copied");
    }
    fs::write(copy.join("run.json"), text).expect("written");
    let copy = copy.to_str().expect("a name");
    let both = project.ablate(&["report", copy, id(&run), "yesterday"]);
    assert_eq!(both.code, Some(2), "{}", both.stderr);
    assert!(both.stderr.contains("\"../../evil\" is not the name of a folder"), "{}", both.stderr);
    assert!(both.stderr.contains("there is no run `yesterday`"), "{}", both.stderr);
    assert_eq!(both.stdout, first.stdout, "the run that can be read is reported");
    assert!(!project.path().parent().expect("above").join("evil").exists());
}

#[test]
fn a_run_that_is_not_there_is_named() {
    let answer = project().ablate(&["report", "yesterday"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("`yesterday`") && answer.stderr.contains("ablate list"), "{}", answer.stderr);
}

/// One run, and one of its files edited: in `file`, `from` becomes `to`.
fn edited(project: &Project, file: &str, from: &str, to: &str) -> String {
    let path = the_run(project).join(file);
    let whole = fs::read_to_string(&path).expect("text");
    assert!(whole.contains(from), "{file} has no {from:?}:\n{whole}");
    fs::write(&path, whole.replacen(from, to, 1)).expect("written");
    let answer = project.ablate(&["report", id(&the_run(project))]);
    fs::write(&path, whole).expect("written");
    assert_eq!(answer.code, Some(2), "{file}, {from:?} to {to:?}:\n{}", answer.stdout);
    answer.stderr
}

#[test]
fn a_folder_whose_parts_do_not_belong_together_is_refused() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "1"], "[8]"));
    let first = project.ablate(&["run", FILE]);
    let run = subject::run_json(&the_run(&project));
    let binary = |arm: usize| run["arms"][arm]["binary"].as_str().expect("built").to_owned();
    let (of_base, of_slow) = (binary(0), binary(2));

    let refused = |file: &str, from: &str, to: &str, words: &[&str]| {
        let said = edited(&project, file, from, to);
        for words in words {
            assert!(said.contains(words), "{words}: {said}");
        }
    };
    let digest = |digest: &str| format!("\"binary\":\"{digest}\"");
    refused("samples.jsonl", &digest(&of_base), &digest(&of_slow), &["samples.jsonl: line ", &of_base, &of_slow]);
    refused(
        "samples.jsonl",
        "\"arm\":\"slow\"",
        "\"arm\":\"slaw\"",
        &["samples.jsonl: line ", "arm `slaw`, which run.json"],
    );
    refused("samples.jsonl", "\"bench\":\"work\"", "\"bench\":\"walk\"", &["line 1 is a sample of bench `walk`"]);
    refused(
        "samples.jsonl",
        "\"warm\":[{",
        "\"warm\":[{\"total_ns\":1,\"span_ns\":1,\"peak_rss_bytes\":1,\"phases\":[]},{",
        &["line 1 has 2 warm iterations, and bench `work` asks for 1"],
    );
    refused("experiment.toml", "1%", "90%", &["experiment.toml was changed since the run began", "start a new run"]);
    refused(
        "run.json",
        "\"id\": \"slow\"",
        "\"id\": \"base\"",
        &["run.json is damaged: arms[2].id: there are two arms `base`"],
    );
    refused("run.json", "\"same_as\": null", "\"same_as\": \"z\"", &["arms[0].same_as: there is no arm `z`"]);
    refused(
        "run.json",
        "\"slow\": \"on\"",
        "\"slow\": \"of\"",
        &["arms[2].levels", "no factor `slow` with a level `of`"],
    );
    refused("run.json", "\"role\": \"base\"", "\"role\": \"combination\"", &["its first arm is not base"]);

    let again = project.ablate(&["report", id(&the_run(&project))]);
    assert_eq!((again.code, again.stdout), (first.code, first.stdout));
}
