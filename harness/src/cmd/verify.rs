//! `ablate verify`: is every binary the build its label says. Nothing is measured and nothing is recorded; `[prepare]`
//! is run, because programs are asked who they are and may load its result first.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Table, presets};

use crate::cli::VerifyArgs;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::record::RunArm;
use crate::session::{self, Verified};
use crate::{design, experiment};

/// Builds and verifies the experiment's arms. Exit code 4 where anything is found.
pub fn run(args: &VerifyArgs, root: Option<&Path>) -> Result<ExitCode> {
    let interrupt = Interrupt::on_signals()?;
    let progress = Progress::to_stderr();
    let experiment = experiment::load(&args.experiment, root)?;
    let plan = design::arms(&experiment)?;
    let verified = session::verify(&experiment, plan, &progress, &interrupt)?;
    progress.finish();
    print!("{}", report(&verified));
    Ok(ExitCode::from(if verified.findings.is_empty() { 0 } else { 4 }))
}

/// The table of arms, then findings, then notices.
fn report(verified: &Verified) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty().set_header(["arm", "features", "build", "binary", "findings"]);
    for arm in &verified.arms {
        table.add_row(row(arm, verified));
    }
    let mut text = format!("{}\n", table.trim_fmt());
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
    let digest = arm.binary.as_deref().map_or("-", |digest| &digest[..digest.len().min(16)]);
    let found: Vec<&str> =
        verified.findings.iter().filter(|finding| finding.arm == arm.id).map(|finding| finding.kind.word()).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    [arm.id.clone(), arm.features.join(","), built.to_owned(), digest.to_owned(), found]
}
