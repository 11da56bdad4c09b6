//! A catalogue of faults: each is planted for real in a small project, and must be found for what it is.
//!
//! An entry is a project's toggles, the steps to its twin without the fault, the steps that plant the fault, and what must be
//! found. The twin is built and verified first and nothing may be found in it; then the fault is planted in the same
//! project, so that cargo meets it as it would at a desk. What cannot be said in steps is a test of its own.
//!
//! That each entry fails where its detector is switched off is shown by `harness/tests/detectors.py`.

mod cuda;
mod files;
mod inputs;
mod no_alarm;
mod nondeterminism;
mod scripts;
mod surroundings;
mod toggles;
mod undeclared;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ablate::digest::{self, Roots};

use crate::archives::{FILE, edit_under_the_old_time, project};
use crate::support::{Answer, Project};

/// The toggle that each project has: what it is said to change.
const FAST: &[(&str, &str)] = &[("fast", "[\"archive-host\", \"binary\"]")];

/// A toggle of the program alone, in pure Rust.
const LOST: &[(&str, &str)] = &[("lost", "[\"binary\"]")];

/// The archive has neither a manifest nor a stamp, as those of most build scripts.
const BARE: [Step; 2] = [
    Step::Edit("k-sys/build.rs", ".arg(&archive).arg(&k).arg(&stamp)", ".arg(&archive).arg(&k)"),
    Step::Edit("k-sys/build.rs", "out.join(\"k.manifest\")", "out.join(\"k.txt\")"),
];

/// Something that is done to a project.
#[derive(Clone, Copy)]
enum Step {
    /// In this file, this text becomes that.
    Edit(&'static str, &'static str, &'static str),
    /// The same, and the file keeps its old time of modification, as with `cp -p`, `rsync -t` and `tar`.
    EditSecretly(&'static str, &'static str, &'static str),
    /// This file has that text.
    Write(&'static str, &'static str),
    /// Anything else.
    Do(fn(&Project)),
}

impl Step {
    fn take(self, project: &Project) {
        match self {
            Self::Edit(file, from, to) => project.write(file, &edited(project, file, from, to)),
            Self::EditSecretly(file, from, to) => {
                edit_under_the_old_time(project, file, &edited(project, file, from, to));
            }
            Self::Write(file, text) => project.write(file, text),
            Self::Do(step) => step(project),
        }
    }
}

fn take(steps: &[Step], project: &Project) {
    for step in steps {
        step.take(project);
    }
}

fn edited(project: &Project, file: &str, from: &str, to: &str) -> String {
    let text = fs::read_to_string(project.path().join(file)).expect("there is such a file");
    assert!(text.contains(from), "{file} has no {from:?}:\n{text}");
    text.replace(from, to)
}

/// An entry of the catalogue as a test.
macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident: $toggles:expr, twin $twin:expr, fault $fault:expr => $found:expr;)+) => {
        $($(#[$doc])* #[test] fn $name() { $crate::faults::check($toggles, &$twin, &$fault, &$found); })+
    };
}
use catalogue;

/// Verifies the twin, plants the fault and verifies again. `found` names arm and kind of each finding, and words of it.
#[track_caller]
fn check(toggles: &[(&str, &str)], twin: &[Step], fault: &[Step], found: &[(&str, &str)]) {
    let project = project(toggles);
    take(twin, &project);
    assert_found(&verify(&project), &[]);
    take(fault, &project);
    assert_found(&verify(&project), found);
}

fn verify(project: &Project) -> Answer {
    project.ablate(&["verify", FILE])
}

/// `ablate verify` by a shell that first runs other commands.
fn by_shell(folder: &Path, first: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first}; exec {} verify {FILE}", env!("CARGO_BIN_EXE_ablate"))]);
    command.current_dir(folder).env_remove("CARGO_TARGET_DIR").env("NO_COLOR", "1");
    command
}

/// Exactly these findings, and the exit code that goes with them.
#[track_caller]
fn assert_found(answer: &Answer, found: &[(&str, &str)]) {
    let all = format!("{}\n{}", answer.stdout, answer.stderr);
    let findings = findings(&answer.stdout);
    let names: BTreeSet<&str> = findings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, found.iter().map(|(name, _)| *name).collect(), "{all}");
    for (name, words) in found {
        assert!(findings.iter().any(|(other, text)| other == name && text.contains(words)), "{name}: {words}\n{all}");
    }
    assert_eq!(answer.code, Some(if found.is_empty() { 0 } else { 4 }), "{all}");
}

/// Arm and kind of each finding that was printed, and its whole text.
fn findings(stdout: &str) -> Vec<(String, String)> {
    const KINDS: [&str; 7] =
        ["stale", "inert", "leaking", "wrong binary", "build failed", "not reproducible", "inputs moved"];
    let name = |line: &str| {
        let (name, _) = line.split_once(": ")?;
        let (_, kind) = name.split_once(' ')?;
        KINDS.contains(&kind).then(|| name.to_owned())
    };
    let mut findings: Vec<(String, String)> = Vec::new();
    for line in stdout.lines() {
        findings.extend(name(line).map(|name| (name, String::new())));
        if let Some((_, text)) = findings.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    findings
}

/// The archives that the builds left.
fn made(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let made = fs::read_dir(folder.join("target/ablate/release/build")).expect("built");
    made.map(|entry| entry.expect("an entry").path().join("out/libk.a")).filter(|path| path.is_file())
}

/// The same by the macros that they were made with.
fn archives(folder: &Path) -> BTreeMap<String, PathBuf> {
    let macros = |path: &Path| {
        let manifest = fs::read_to_string(path.with_file_name("k.manifest")).expect("every archive has one");
        let lines = manifest.lines().skip(1).take_while(|line| !line.starts_with("file "));
        lines.collect::<Vec<_>>().join(" ")
    };
    made(folder).map(|path| (macros(&path), path)).collect()
}

/// The archive that was made with exactly these macros.
fn archive(project: &Project, defines: &str) -> PathBuf {
    archives(project.path()).remove(defines).expect("there is such an archive")
}

/// What each archive's code comes to, by the macros that it was made with.
fn code(folder: &Path) -> BTreeMap<String, String> {
    let digest = |path: &Path| digest::archive(&fs::read(path).expect("read"), &Roots::new([("root", folder)]));
    let code = |path: &Path| digest(path).expect("digested").host;
    archives(folder).into_iter().map(|(defines, path)| (defines, code(&path))).collect()
}

/// Overwrites a file with another's content.
fn overwrite(path: &Path, with: &Path) {
    fs::write(path, fs::read(with).expect("read")).expect("written");
}
