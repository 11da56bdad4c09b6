//! `ablate verify`: is every binary the build its label says. Nothing is measured and nothing is recorded; `[prepare]`
//! is run, because programs are asked who they are and may load its result first.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Table, presets};

use crate::cli::VerifyArgs;
use crate::design;
use crate::experiment::{self, Experiment};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Progress;
use crate::record::RunArm;
use crate::session::{self, Asked, Verified};
use crate::verify::{archive_phrase, compiled};

/// Builds and verifies the experiment's arms. Exit code 4 where anything is found.
pub fn run(args: &VerifyArgs, root: Option<&Path>) -> Result<ExitCode> {
    let interrupt = Interrupt::on_signals()?;
    let progress = Progress::to_stderr();
    let experiment = experiment::load(&args.experiment, root)?;
    let plan = design::arms(&experiment)?;
    let verified = session::verify(&experiment, plan, Asked::Runnable, &super::nvcc_lookup(), &progress, &interrupt)?;
    progress.finish();
    output::answer(&output::printable(&report(&experiment, &verified)))?;
    Ok(ExitCode::from(if verified.findings.is_empty() { 0 } else { 4 }))
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
