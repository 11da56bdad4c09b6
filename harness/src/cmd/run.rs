//! `ablate run`: from an experiment to a verdict.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::report::{conclude, destination};
use crate::cli::RunArgs;
use crate::design;
use crate::experiment::{self, Experiment};
use crate::interrupt::Interrupt;
use crate::judge;
use crate::measure::End;
use crate::progress::Progress;
use crate::session::{self, Session};

/// Design, build, verify, prepare, measure, judge, report; or, with `--resume`, from measuring on.
pub fn run(args: &RunArgs, root: Option<&Path>) -> Result<ExitCode> {
    let interrupt = Interrupt::on_signals()?;
    let mut progress = Progress::to_stderr();
    let experiment = experiment::load(&args.experiment, root)?;
    let mut session = match &args.resume {
        None => begin(experiment, &progress, &interrupt)?,
        Some(name) => Session::resume(&experiment, name)?,
    };
    progress.say(&format!("run {}", session.run.id));

    let decided = |experiment: &Experiment, run: &_, samples: &[_]| judge::judge(experiment, run, samples).decided;
    let end = session.measure(&mut progress, &interrupt, &decided)?;
    if end == End::Interrupted {
        bail!(
            "interrupted after {} samples, which are kept; go on with `ablate run {} --resume {}`",
            session.samples.len(),
            args.experiment.display(),
            session.run.id
        );
    }
    let Session { experiment, run, samples, .. } = &session;
    let outcome = conclude(experiment, run, samples, &destination(session.folder(), &experiment.root, &run.id))?;
    Ok(ExitCode::from(outcome.code()))
}

/// Everything before the first sample. What fails here leaves no run behind.
fn begin(experiment: Experiment, progress: &Progress, interrupt: &Interrupt) -> Result<Session> {
    let plan = design::arms(&experiment)?;
    let measure = &experiment.measure;
    judge::check_plan(&measure.looks, measure.alpha, judge::family(&experiment, &plan.arms))
        .with_context(|| experiment.file.display().to_string())?;
    session::check_folders(&experiment)?;
    let verified = session::verify(&experiment, plan, progress, interrupt)?;
    Session::begin(experiment, verified)
}
