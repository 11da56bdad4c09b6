//! `ablate run` on a small project: what it leaves behind, how it is stopped and goes on, and what it refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

use ablate::build::store::hex;
use ablate::interrupt::is_ignored;
use sha2::{Digest, Sha256};

use crate::subject::{
    FILE, experiment, id, project, run_json, runs, sample_keys, sample_lines, start, the_run, wait_for_samples,
};
use crate::support::Answer;

/// Asserts an exit code and words on stderr.
#[track_caller]
fn assert_answer(answer: &Answer, code: i32, words: &[&str]) {
    assert_eq!(answer.code, Some(code), "{}\n{}", answer.stdout, answer.stderr);
    let missing: Vec<_> = words.iter().filter(|word| !answer.stderr.contains(*word)).collect();
    assert!(missing.is_empty(), "without {missing:?}:\n{}", answer.stderr);
}

fn signal(child: &std::process::Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

#[test]
fn a_slower_feature_is_a_regression_with_samples_and_a_report() {
    let project = project();
    project.write(FILE, &experiment(&["slow", "quick"], &[], "[10]"));
    let answer = project.ablate(&["run", FILE]);
    assert_answer(&answer, 1, &["build 3 of 3"]);
    let run = the_run(&project);
    assert_eq!(sample_keys(&run).len(), 4 * 10);
    assert!(answer.stdout.contains("regression") && answer.stdout.contains(id(&run)), "{}", answer.stdout);
    let json = run_json(&run);
    assert_eq!(json["state"]["kind"], "complete");
    assert_eq!(json["builds"].as_array().map(Vec::len), Some(3), "base and its twin are one build");
    for file in ["index.html", "summary.md", "comparison.csv", "samples.csv"] {
        assert!(project.has(&format!("reports/{}/{file}", id(&run))), "{file}");
    }
    let lines = sample_lines(&run);
    let arms_of_block = |block: u64| -> Vec<String> {
        let samples = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a sample"));
        samples.filter(|sample| sample["block"] == block).map(|sample| sample["arm"].to_string()).collect()
    };
    // Four arms run in eights: four orders, then the same four reversed.
    let reversed: Vec<_> = arms_of_block(4).into_iter().rev().collect();
    assert_eq!(arms_of_block(0), reversed, "the order is the schedule's");
}

#[test]
fn a_killed_run_goes_on_with_the_same_samples_and_the_missing_ones() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "30", "--starts", "starts"], "[8]"));
    let mut child = start(&project, &["run", FILE]);
    let run = wait_for_samples(&project, 5);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    let before = sample_lines(&run);
    assert!(before.len() < 24, "it was killed in the middle");

    assert_answer(&project.ablate(&["run", FILE, "--resume", id(&run)]), 1, &[]);
    assert_eq!(sample_lines(&run)[..before.len()], before, "what was there stays, byte for byte");
    assert_eq!(sample_keys(&run).len(), 3 * 8);
    let starts = fs::read_to_string(project.path().join("starts")).expect("starts").lines().count();
    // Two programs in the preflight, and at most one that the kill cut off.
    assert!((24 + 2..=24 + 3).contains(&starts), "{starts} starts");
    assert_eq!(run_json(&run)["state"]["kind"], "complete");

    assert_answer(&project.ablate(&["run", FILE, "--resume", id(&run)]), 1, &[]);
    assert_eq!(sample_keys(&run).len(), 3 * 8, "a complete run is only judged again");
}

#[test]
fn a_cut_last_line_is_measured_again_and_damage_is_refused() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &[], "[8]"));
    project.ablate(&["run", FILE]);
    let run = the_run(&project);
    let file = run.join("samples.jsonl");
    let whole = fs::read_to_string(&file).expect("samples");
    let reopen = |text: &str| {
        fs::write(&file, text).expect("written");
        let json = fs::read_to_string(run.join("run.json")).expect("run.json");
        fs::write(run.join("run.json"), json.replace("\"complete\"", "\"measuring\"")).expect("written");
        project.ablate(&["run", FILE, "--resume", id(&run)])
    };

    let cut = reopen(&whole[..whole.len() - 40]);
    assert_answer(&cut, 1, &[]);
    assert!(cut.stdout.contains("the last line of samples.jsonl was cut"), "{}", cut.stdout);
    assert_eq!(sample_lines(&run)[..23], whole.lines().collect::<Vec<_>>()[..23]);
    assert_eq!(sample_keys(&run).len(), 24);

    let lines: Vec<&str> = whole.lines().collect();
    let damaged = whole.replace(lines[6], &lines[6][..lines[6].len() / 2]);
    assert_answer(&reopen(&damaged), 2, &["samples.jsonl", "line 7 is damaged"]);
    let doubled = format!("{whole}{}\n", lines[3]);
    assert_answer(&reopen(&doubled), 2, &["line 25 is the same sample as line 4"]);
}

#[test]
fn two_processes_cannot_write_one_run() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "100"], "[8]"));
    let mut first = start(&project, &["run", FILE]);
    let run = wait_for_samples(&project, 1);
    let second = project.ablate(&["run", FILE, "--resume", id(&run)]);
    assert_answer(&second, 2, &["is being written by process", &first.id().to_string()]);
    signal(&first, "-KILL");
    first.wait().expect("it ends");
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "100"], "[8]"));
    let mut child = start(&project, &["-C", ".", "run", FILE]);
    let run = wait_for_samples(&project, 2);
    let command = format!("`ablate -C . run {FILE} --resume {}`", id(&run));
    // These tests themselves may run under `nohup`, where a run goes on after a hang-up.
    let hang_up = (!is_ignored(1)).then_some(("-HUP", 6));
    for (name, samples) in [("-INT", 4), ("-TERM", 6)].into_iter().chain(hang_up) {
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {stderr}");
        assert!(stderr.contains("interrupted after") && stderr.contains(&command), "{name}: {stderr}");
        assert_eq!(run_json(&run)["state"]["kind"], "measuring");
        assert!(sample_lines(&run).iter().all(|line| line.contains("\"status\":\"ok\"")), "the cut sample is none");
        child = start(&project, &["-C", ".", "run", FILE, "--resume", id(&run)]);
        wait_for_samples(&project, samples);
    }
    signal(&child, "-KILL");
    child.wait().expect("it ends");
}

/// Somebody who is in a hurry presses Ctrl-C twice: nothing goes on running.
#[test]
fn a_second_interrupt_leaves_no_sample_running() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "20104"], "[8]"));
    let args = ["--sleep", "20104"].join("\0");
    let sleeping = || {
        let processes = fs::read_dir("/proc")
            .expect("listed")
            .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("cmdline")).ok());
        processes.filter(|line| line.contains(&args) && line.contains("--iterations")).count()
    };
    let child = start(&project, &["run", FILE]);
    wait_for_samples(&project, 0);
    let begun = Instant::now();
    while sleeping() == 0 && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(sleeping(), 1, "a sample is running");
    signal(&child, "-INT");
    signal(&child, "-INT");
    child.wait_with_output().expect("it ends");
    assert_eq!(sleeping(), 0);
}

#[test]
fn a_replaced_binary_is_found_before_its_sample_counts() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "50"], "[8]"));
    let child = start(&project, &["run", FILE]);
    let run = wait_for_samples(&project, 4);
    let arms = run_json(&run)["arms"].clone();
    let digest = |id: &str| {
        let arm = arms.as_array().expect("arms").iter().find(|arm| arm["id"] == id).expect("the arm");
        arm["binary"].as_str().expect("a digest").to_owned()
    };
    let store = project.path().join(".ablate/store");
    let (replaced, other) = (store.join(digest("slow")), store.join(digest("base")));
    let copy = store.join("copy");
    fs::copy(&other, &copy).and_then(|_| fs::rename(&copy, &replaced)).expect("replaced");
    let output = child.wait_with_output().expect("it ends");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{stdout}\n{stderr}");
    let finding = &run_json(&run)["findings"][0];
    assert_eq!((&finding["kind"], &finding["arm"]), (&"wrong-binary".into(), &"slow".into()));
    assert!(finding["evidence"].as_str().is_some_and(|text| text.contains("was replaced")), "{finding}");
    let of_base: Vec<_> = sample_lines(&run).into_iter().filter(|line| line.contains("\"arm\":\"slow\"")).collect();
    assert!(of_base.iter().all(|line| line.contains("\"span_ns\":11")), "no sample came from the other binary");
    assert_answer(&project.ablate(&["run", FILE, "--resume", id(&run)]), 2, &["was replaced", "start a new run"]);
}

#[test]
fn a_run_out_of_time_stops_and_goes_on_once_it_is_given_more() {
    let project = project();
    let text = experiment(&["slow"], &["--sleep", "150"], "[8]");
    project.write(FILE, &format!("{text}max_time = \"1s\"\n"));
    let answer = project.ablate(&["run", FILE]);
    assert_ne!(answer.code, Some(0), "nothing was decided: {}", answer.stdout);
    let run = the_run(&project);
    let state = run_json(&run)["state"].clone();
    assert!(state["reason"].as_str().is_some_and(|text| text.contains("measure.max_time of 1 s")), "{state}");
    let before = sample_lines(&run);
    assert!(before.len() < 24 && before.len().is_multiple_of(3), "whole blocks: {}", before.len());

    project.write(FILE, &format!("{text}max_time = \"1h\"\n"));
    let answer = project.ablate(&["run", FILE, "--resume", id(&run)]);
    assert_answer(&answer, 1, &[]);
    assert!(answer.stdout.contains("has changed since this run began"), "{}", answer.stdout);
    assert_eq!(sample_lines(&run)[..before.len()], before);
    assert_eq!(sample_keys(&run).len(), 24);
    assert_eq!(run_json(&run)["state"]["kind"], "complete");
}

#[test]
fn a_missing_binary_cannot_be_resumed() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &["--sleep", "50"], "[8]"));
    let mut child = start(&project, &["run", FILE]);
    let run = wait_for_samples(&project, 1);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    fs::remove_dir_all(project.path().join(".ablate/store")).expect("removed");
    assert_answer(&project.ablate(&["run", FILE, "--resume", id(&run)]), 2, &["is gone", "start a new run"]);
}

#[test]
fn a_build_that_fails_is_a_finding_and_the_other_arms_go_on() {
    let project = project();
    project.write(FILE, &experiment(&["broken", "slow"], &[], "[10]"));
    let answer = project.ablate(&["run", FILE]);
    assert_answer(&answer, 4, &[]);
    let run = the_run(&project);
    let finding = &run_json(&run)["findings"][0];
    assert_eq!((&finding["kind"], &finding["arm"]), (&"build-failed".into(), &"broken".into()));
    let evidence = finding["evidence"].as_str().expect("text");
    assert!(evidence.contains("this feature is broken on purpose") && evidence.contains("src/main.rs"), "{evidence}");
    assert_eq!(sample_keys(&run).len(), 3 * 10, "base, its twin and slow");
}

#[test]
fn a_program_that_lies_about_its_features_is_not_measured() {
    let project = project();
    project.write(FILE, &experiment(&["lying", "slow"], &[], "[10]"));
    assert_answer(&project.ablate(&["run", FILE]), 4, &[]);
    let run = the_run(&project);
    // That the feature does nothing at all is found as well.
    let findings = &run_json(&run)["findings"];
    let kinds: Vec<_> = findings.as_array().expect("a list").iter().map(|finding| &finding["kind"]).collect();
    assert_eq!(kinds, ["inert", "wrong-binary"]);
    assert!(sample_keys(&run).iter().all(|(_, arm, _)| arm != "lying"));
}

#[test]
fn a_run_whose_samples_all_fail_stops_after_a_block() {
    for (mode, reason) in [("late", "exit code 1: error: the witness does not satisfy"), ("rude", "without a `bye`")] {
        let project = project();
        project.write(FILE, &experiment(&["slow"], &["--mode", mode], "[8]"));
        let answer = project.ablate(&["run", FILE]);
        assert_answer(&answer, 5, &[reason]);
        let run = the_run(&project);
        assert_eq!(sample_keys(&run).len(), 3, "a failed sample is kept");
        assert_eq!(run_json(&run)["state"]["kind"], "stopped");
    }
}

#[test]
fn what_fails_before_the_first_sample_leaves_no_run() {
    let lacks = experiment(&["slwo"], &[], "[8]");
    let early = experiment(&["slow"], &["--mode", "early"], "[8]");
    let mute = experiment(&["slow"], &["--mode", "mute"], "[8]");
    let prepared = early.replace("[[bench]]", "[prepare]\nargs = [\"--mode\", \"early\"]\n[[bench]]");
    let broken = experiment(&["slow"], &[], "[8]")
        .replace("\"subject\"\n[[factor", "\"subject\"\nfeatures = [\"broken\"]\n[[factor");
    let cases: [(&str, &[&str]); 6] = [
        (&lacks, &["factor slwo", "package `subject` has no feature `slwo`", "did you mean `slow`?"]),
        (&early, &["bench `work` of arm base", "before its hello", "section h is cut at byte 17"]),
        (&mute, &["before its hello", "exit code 0"]),
        (&prepared, &["prepare:", "section h is cut at byte 17"]),
        (&broken, &["the build of base failed", "this feature is broken on purpose"]),
        (&experiment(&["slow"], &[], "[3]"), &["measure.looks", "can decide nothing"]),
    ];
    let project = project();
    for (text, words) in cases {
        project.write(FILE, text);
        assert_answer(&project.ablate(&["run", FILE]), 2, words);
        assert!(runs(&project).is_empty(), "{words:?} left {:?}", runs(&project));
    }
}

#[test]
fn an_unwritable_results_folder_is_found_before_anything_is_built() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &[], "[8]"));
    project.write("results", "a file where the folder should be");
    assert_answer(&project.ablate(&["run", FILE]), 2, &["results"]);
    assert!(!project.has("target"), "something was built");
    // The owner of everything may write anywhere, so this half needs another user.
    fs::remove_file(project.path().join("results")).expect("removed");
    fs::create_dir(project.path().join("results")).expect("made");
    fs::set_permissions(project.path().join("results"), fs::Permissions::from_mode(0o555)).expect("set");
    if fs::write(project.path().join("results/probe"), "").is_err() {
        assert_answer(&project.ablate(&["run", FILE]), 2, &["results"]);
        assert!(!project.has("target"), "something was built");
    }
}

#[test]
fn the_lock_file_is_never_rewritten() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &[], "[8]"));
    let old = "# old\nversion = 4\n\n[[package]]\nname = \"subject\"\nversion = \"0.0.9\"\n";
    project.write("Cargo.lock", old);
    assert_answer(&project.ablate(&["run", FILE]), 2, &["the build of base failed", "--locked"]);
    assert_eq!(fs::read_to_string(project.path().join("Cargo.lock")).expect("the lock file"), old);
}

#[test]
fn commands_stand_beside_builds_and_levels_beside_features() {
    let project = project();
    let text = experiment(&[], &[], "[10]").replace(
        "[design]",
        "[[factor]]\nid = \"W\"\narg = \"--slower\"\nlevels = [\"0\", \"20\"]\n\
         [[arm]]\nid = \"other\"\ncommand = [\"./other.sh\", \"--slower\", \"30\"]\n[design]",
    );
    project.write(FILE, &text);
    project.write("other.sh", "#!/bin/sh\nexec target/ablate/release/subject \"$@\"\n");
    let script = project.path().join("other.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("set");
    let answer = project.ablate(&["run", FILE]);
    assert_answer(&answer, 1, &[]);
    let run = the_run(&project);
    assert_eq!(sample_keys(&run).len(), 4 * 10);
    assert!(answer.stdout.contains("+20.0%") && answer.stdout.contains("+30.0%"), "{}", answer.stdout);

    let recorded = run_json(&run);
    let program = |id: &str| {
        let arm = recorded["arms"].as_array().and_then(|arms| arms.iter().find(|arm| arm["id"] == id));
        arm.expect("an arm")["program"].clone()
    };
    let content = fs::read(&script).expect("bytes");
    assert_eq!(program("other"), hex(&Sha256::digest(&content)));
    assert!(program("base").is_null(), "a build is known by its binary");
    fs::write(&script, [&content[..], b"# edited\n"].concat()).expect("written");
    let resume = ["run", FILE, "--resume", id(&run)];
    assert_answer(&project.ablate(&resume), 2, &["the program of other, ./other.sh, is gone or another"]);
    fs::write(&script, content).expect("written");
    assert_answer(&project.ablate(&resume), 1, &[]);
}
