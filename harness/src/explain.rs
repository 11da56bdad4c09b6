//! The provenance of one binary in words: where it came from, and what differs from another.
//!
//! It reads no files: what it says was recorded with the run, or is handed to it.

use std::fmt::Write;

use crate::digest::differences;
use crate::record::{ArchiveParts, Build, BuiltArchive, Control, Provenance, Role, Run, RunArm};
use crate::shell;

/// More differing parts than this are counted, not listed.
const LISTED: usize = 40;

/// An arm of a run with its build.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The run.
    pub run: &'a Run,
    /// The arm.
    pub arm: &'a RunArm,
    /// Its build; `None` for a command, and where the build failed.
    pub build: Option<&'a Build>,
}

impl<'a> Subject<'a> {
    /// The arm of that id; `None` where the run has none.
    pub fn of(run: &'a Run, id: &str) -> Option<Self> {
        let arm = run.arms.iter().find(|arm| arm.id == id)?;
        let built = |build: &&Build| build.arms.iter().any(|other| other == id);
        Some(Self { run, arm, build: run.builds.iter().find(built) })
    }
}

/// What lies on this machine's disk of it now.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The executable in the store: a phrase.
    pub store: Option<String>,
    /// The parts of each archive, in the build's order; `None` where the run's folder has none.
    pub archives: Vec<Option<ArchiveParts>>,
}

/// Everything that is known of where the arm's binary came from.
pub fn provenance(subject: Subject<'_>, found: &Found, samples: usize) -> String {
    let Subject { run, arm, build } = subject;
    let mut text = Lines::default();
    text.line("run", &format!("{}, experiment {}", run.id, run.experiment));
    text.line("arm", &described(arm));
    let Some(build) = build else {
        let what = if arm.command.is_empty() {
            "it was not built; see the findings"
        } else {
            "a command, whose build is not known"
        };
        text.line("binary", what);
        if let Some(program) = &arm.program {
            text.line("program", program);
        }
        findings(&mut text, subject);
        return text.0;
    };
    text.line("binary", &format!("{}, {} bytes", build.raw, build.size_bytes));
    if let Some(store) = &found.store {
        text.line("store", store);
    }
    text.line("samples", &samples.to_string());
    text.line("build", &built(build));
    text.line("command", &shell::line(&build.command));
    text.line("features", &or_none(&build.features));
    for (tool, version) in &run.toolchains {
        text.line(tool, version);
    }
    if let Some(git) = &run.git {
        let tree = git
            .dirty_digest
            .as_ref()
            .map_or("a clean tree".to_owned(), |digest| format!("changes with digest {digest}"));
        text.line("commit", &format!("{}, {tree}", git.commit));
    }
    if let Some(provenance) = &run.provenance {
        inputs(&mut text, provenance);
    }
    for (at, archive) in build.archives.iter().enumerate() {
        self::archive(&mut text, archive, found.archives.get(at).and_then(Option::as_ref));
    }
    findings(&mut text, subject);
    text.0
}

/// Which members, sections, functions and kernels of the second binary differ from the first's.
pub fn against(subject: (Subject<'_>, &Found), other: (Subject<'_>, &Found), executables: &[String]) -> String {
    let ((one, of_one), (two, of_two)) = (subject, other);
    let mut text = Lines::default();
    let (Some(build), Some(base)) = (one.build, two.build) else {
        text.line("against", &format!("{}: only builds can be compared", two.arm.id));
        return text.0;
    };
    let same = if build.raw == base.raw { "the same bytes" } else { "other bytes" };
    text.line("against", &format!("{}: {same}, {}", two.arm.id, base.raw));
    let only = |these: &[String], those: &[String]| {
        these.iter().filter(|name| !those.contains(name)).cloned().collect::<Vec<_>>()
    };
    text.line(
        "features",
        &format!(
            "more: {}; fewer: {}",
            or_none(&only(&build.features, &base.features)),
            or_none(&only(&base.features, &build.features))
        ),
    );
    text.list("executable", executables);
    for (at, archive) in build.archives.iter().enumerate() {
        let parts = |found: &'_ Found| found.archives.get(at).cloned().flatten();
        let differing = match (parts(of_two), parts(of_one)) {
            (Some(before), Some(after)) => {
                differences(&before.digest, &after.digest).iter().map(ToString::to_string).collect()
            }
            _ => vec!["the run's folder does not have its parts".to_owned()],
        };
        text.list(&archive.file, &differing);
    }
    text.0
}

fn described(arm: &RunArm) -> String {
    let levels: Vec<String> = arm.levels.iter().map(|(factor, level)| format!("{factor} {level}")).collect();
    match arm.role {
        Role::Base => format!("{}: every factor at its first level", arm.id),
        Role::BaseAgain => format!("{}: base under a second name", arm.id),
        Role::Combination => format!("{}: {}", arm.id, levels.join(", ")),
        Role::Command => format!("{}: the command `{}`", arm.id, shell::line(&arm.command)),
    }
}

fn built(build: &Build) -> String {
    let linked = if build.rebuilt { "rebuilt" } else { "fresh: cargo found it up to date" };
    format!(
        "{linked}; {} packages compiled ({}), {} up to date",
        build.compiled.len(),
        or_none(&build.compiled),
        build.fresh_count
    )
}

fn inputs(text: &mut Lines, provenance: &Provenance) {
    text.line("workspace", &provenance.folder);
    text.line("inputs", &format!("{} files on disk, digest {}", provenance.inputs.files, provenance.inputs.digest));
    for (file, digest) in &provenance.settings {
        text.line("settings", &format!("{file}, digest {digest}"));
    }
    for (name, value) in &provenance.environment {
        text.line("variable", &format!("{name}={value}"));
    }
    text.line("control", &provenance.control.as_ref().map_or("none was made".to_owned(), control));
}

fn control(control: &Control) -> String {
    let when = if control.kept { "for an earlier run of the same inputs" } else { "for this run" };
    let place = if control.moved_sources { "under another path" } else { "in another target folder" };
    let came = match (control.differing.is_empty(), control.allowed) {
        (true, _) => format!("equal in {}", or_none(&control.compared)),
        (false, true) => format!("different, which was allowed: {}", control.differing.join("; ")),
        (false, false) => format!("different: {}", control.differing.join("; ")),
    };
    format!("base built a second time {when}, {place}: {came}")
}

fn archive(text: &mut Lines, archive: &BuiltArchive, parts: Option<&ArchiveParts>) {
    text.line("archive", &format!("{} of package {}", archive.file, archive.package));
    text.line("  from", &archive.path);
    text.line("  raw", &archive.raw);
    text.line("  host", &archive.host);
    for (arch, digest) in &archive.device {
        text.line("  device", &format!("{arch} {digest}"));
    }
    text.line("  stamp", archive.stamp.as_deref().unwrap_or("none: the build script leaves no manifest"));
    let Some(parts) = parts else { return };
    for line in parts.manifest.iter().flat_map(|manifest| manifest.lines()).filter(|line| !line.is_empty()) {
        text.line("  input", line);
    }
    for member in &parts.digest.members {
        let kernels: usize = member.images.iter().map(|image| image.kernels.len()).sum();
        text.line(
            "  member",
            &format!(
                "{}: {} sections, {} functions and objects, {kernels} kernels",
                member.name,
                member.sections.len(),
                member.symbols.len()
            ),
        );
    }
}

fn findings(text: &mut Lines, subject: Subject<'_>) {
    let of_arm = subject.run.findings.iter().filter(|finding| finding.arm == subject.arm.id);
    let words: Vec<String> = of_arm.map(|finding| format!("{}: {}", finding.kind.word(), finding.evidence)).collect();
    if words.is_empty() {
        text.line("findings", "none");
    }
    for words in &words {
        text.line("finding", words);
    }
}

fn or_none(words: &[String]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

/// Aligned lines of a word and what there is to say.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, word: &str, said: &str) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.0, "{word:<11} {}", said.trim_end().replace('\n', "\n            "));
    }

    fn list(&mut self, word: &str, parts: &[String]) {
        if parts.is_empty() {
            self.line(word, "no difference");
        }
        for part in parts.iter().take(LISTED) {
            self.line(word, part);
        }
        if parts.len() > LISTED {
            self.line(word, &format!("and {} more", parts.len() - LISTED));
        }
    }
}
