//! `ablate build`: builds and verifies an experiment and packs it for a machine that only measures.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::request;
use super::verify;
use crate::bundle::{self, Made, Order};
use crate::cli::BuildArgs;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::session::{self, Asked};
use crate::shell::quoted;
use crate::{design, experiment, judge, output, record};

/// Builds, verifies as `ablate verify` does, and packs. Exit code 4 where anything is found.
pub fn run(args: &BuildArgs, root: Option<&Path>) -> Result<ExitCode> {
    let interrupt = Interrupt::on_signals()?;
    let progress = Progress::to_stderr();
    let experiment = experiment::load(&args.experiment, root)?;
    let plan = design::arms(&experiment)?;
    let measure = &experiment.measure;
    judge::check_plan(&measure.looks, measure.alpha, judge::family(&experiment, &plan.arms))
        .with_context(|| experiment.file.display().to_string())?;
    let folder = folder_of(&args.bundle);
    if !folder.is_dir() {
        bail!("--bundle {}: there is no folder {}; make it first", args.bundle.display(), folder.display());
    }
    record::check_writable(folder)?;
    for notice in &plan.notices {
        progress.say(notice);
    }
    let verified = session::verify(&experiment, plan, Asked::Later, &request(&args.building), &progress, &interrupt)?;
    progress.say("packing");
    let own = || std::env::current_exe().context("cannot find this program; name it with --program");
    let program: PathBuf = args.program.clone().map_or_else(own, Ok)?;
    let order = Order { experiment: &experiment, verified: &verified, with: &args.with, program: &program };
    let made = bundle::pack(order, &args.bundle)?;
    progress.finish();
    let mut text = verify::report(&experiment, &verified);
    // Writing into a string cannot fail.
    let _ = write!(text, "\n{}", told(&args.bundle, &made));
    output::answer(&output::printable(&text))?;
    Ok(ExitCode::from(if verified.findings.is_empty() { 0 } else { 4 }))
}

/// What was made and what to do with it.
fn told(bundle: &Path, made: &Made) -> String {
    let needs = &made.needs;
    let mut asked = vec![format!("{} on {}", needs.os, needs.arch)];
    asked.extend(needs.glibc.as_ref().map(|version| format!("glibc {version}")));
    if needs.gpu {
        asked.push(format!("a GPU that runs {}", needs.gpu_code.join(" or ")));
        asked.extend(needs.cuda.as_ref().map(|version| format!("a driver for CUDA {version}")));
    }
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let name = bundle.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    format!(
        "bundle: {}, {:.1} MiB ({} files, {:.1} MiB), digest {}\nneeds: {}\nmeasure it there with: sh {}\n",
        bundle.display(),
        mib(made.bytes),
        made.files,
        mib(made.unpacked_bytes),
        &made.digest[..16],
        asked.join(", "),
        quoted(&name)
    )
}

/// The folder that a file is written into.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
