//! `ablate verify`: is every binary the build its label says. Nothing is measured and nothing is recorded; `[prepare]`
//! is run, because programs are asked who they are and may load its result first.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use comfy_table::{Table, presets};
use serde::Serialize;

use super::request;
use crate::cli::VerifyArgs;
use crate::design;
use crate::experiment::{self, Experiment};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Progress;
use crate::record::{Build, Finding, Format, Provenance, RunArm};
use crate::session::{self, Asked, Verified};
use crate::verify::{archive_phrase, compiled};
use crate::worker::process::nanoseconds;

/// Builds and verifies the experiment's arms. Exit code 4 where anything is found.
pub fn run(args: &VerifyArgs, root: Option<&Path>) -> Result<ExitCode> {
    let interrupt = Interrupt::on_signals()?;
    let progress = Progress::to_stderr();
    let experiment = experiment::load(&args.experiment, root)?;
    let plan = design::arms(&experiment)?;
    let verified =
        session::verify(&experiment, plan, Asked::Runnable, &request(&args.building), &progress, &interrupt)?;
    progress.finish();
    let text =
        if args.json { json(&experiment, &verified)? } else { output::printable(&report(&experiment, &verified)) };
    output::answer(&text)?;
    Ok(ExitCode::from(if verified.findings.is_empty() { 0 } else { 4 }))
}

/// One object, as documented in FORMATS.md.
fn json(experiment: &Experiment, verified: &Verified) -> Result<String> {
    #[derive(Serialize)]
    struct Json<'a> {
        format: Format,
        experiment: &'a str,
        verify_ns: u64,
        arms: &'a [RunArm],
        builds: &'a [Build],
        findings: &'a [Finding],
        notices: &'a [String],
        provenance: &'a Option<Provenance>,
    }
    let mut text = serde_json::to_string_pretty(&Json {
        format: Format::CURRENT,
        experiment: &experiment.name,
        verify_ns: nanoseconds(verified.verifying),
        arms: &verified.arms,
        builds: &verified.builds,
        findings: &verified.findings,
        notices: &verified.notices,
        provenance: &verified.provenance,
    })
    .context("cannot write the verification as JSON")?;
    text.push('\n');
    Ok(text)
}

/// The table of arms, then what was compiled, findings and notices.
pub(super) fn report(experiment: &Experiment, verified: &Verified) -> String {
    let mut table = Table::new();
    let archive = !experiment.archives.is_empty();
    let header = ["arm", "features", "build", "archive", "binary", "findings"];
    table.load_style(presets::NOTHING).force_no_tty();
    table.set_header(header.into_iter().filter(|name| archive || *name != "archive"));
    for arm in &verified.arms {
        let [id, features, build, binary, found] = row(arm, verified);
        let phrase = archive.then(|| archive_phrase(experiment, arm, &verified.arms, &verified.builds));
        table.add_row([Some(id), Some(features), Some(build), phrase, Some(binary), Some(found)].into_iter().flatten());
    }
    let mut text = format!("{}\n", table.trim_fmt());
    for sentence in compiled(experiment, &verified.arms, &verified.builds) {
        let _ = write!(text, "\n{sentence}\n");
    }
    for finding in &verified.findings {
        let _ = write!(text, "\n{} {}: {}\n  {}\n", finding.arm, finding.kind.word(), finding.evidence, finding.remedy);
    }
    for notice in &verified.notices {
        let _ = write!(text, "\nnote: {notice}\n");
    }
    let _ = write!(text, "\n{}", times(verified));
    text
}

/// What took how long, and what the control build said.
fn times(verified: &Verified) -> String {
    let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    let building = Duration::from_nanos(verified.builds.iter().map(|build| build.ns).sum());
    let mut text = format!(
        "{} arms of {} builds: {} in cargo, {} verifying\n",
        verified.arms.len(),
        verified.builds.len(),
        seconds(building),
        seconds(verified.verifying)
    );
    if let Some(control) = verified.provenance.as_ref().and_then(|provenance| provenance.control.as_ref()) {
        let came = if control.differing.is_empty() { "the same again" } else { "another the second time" };
        let when =
            if control.kept { "from an earlier build".to_owned() } else { seconds(Duration::from_nanos(control.ns)) };
        let _ = writeln!(text, "control build of base: {came} ({when})");
    }
    text
}

fn row(arm: &RunArm, verified: &Verified) -> [String; 5] {
    let build = verified.builds.iter().find(|build| build.arms.contains(&arm.id));
    let built = match build {
        Some(build) if build.rebuilt => "rebuilt",
        Some(_) => "fresh",
        None if arm.command.is_empty() => "failed",
        None => "command",
    };
    let digest = build.and_then(|build| build.binary.as_deref()).or(arm.binary.as_deref());
    let digest = digest.map_or("-", |digest| &digest[..digest.len().min(16)]);
    let found: Vec<&str> =
        verified.findings.iter().filter(|finding| finding.arm == arm.id).map(|finding| finding.kind.word()).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    [arm.id.clone(), arm.features.join(","), built.to_owned(), digest.to_owned(), found]
}
