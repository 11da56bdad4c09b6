//! `ablate run`: from an experiment to a verdict.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::report::{conclude, destination};
use super::request;
use crate::build::Request;
use crate::cli::RunArgs;
use crate::design;
use crate::experiment::{self, Experiment};
use crate::interrupt::Interrupt;
use crate::judge;
use crate::measure::End;
use crate::progress::Progress;
use crate::session::{self, Asked, Session};
use crate::shell::quoted;

/// Design, build, verify, prepare, measure, judge, report; or, with `--resume`, from measuring on.
pub fn run(args: &RunArgs, root: Option<&Path>) -> Result<ExitCode> {
    let interrupt = Interrupt::on_signals()?;
    let mut progress = Progress::to_stderr();
    let experiment = experiment::load(&args.experiment, root)?;
    let mut session = match &args.resume {
        None => begin(experiment, &request(&args.building), &progress, &interrupt)?,
        Some(name) => Session::resume(&experiment, name)?,
    };
    progress.say(&format!("run {}", session.run.id));

    let decided = |experiment: &Experiment, run: &_, samples: &[_]| judge::judge(experiment, run, samples).decided;
    let resume = resume_command(args, root, &session.run.id);
    let end = session.measure(&mut progress, &interrupt, &decided).with_context(|| {
        let samples = session.samples.len();
        format!("measuring broke off after {samples} samples, which are kept; mend the cause and go on with `{resume}`")
    })?;
    if end == End::Interrupted {
        bail!("interrupted after {} samples, which are kept; go on with `{resume}`", session.samples.len());
    }
    let Session { experiment, run, samples, .. } = &session;
    let outcome = conclude(experiment, run, samples, &destination(session.folder(), &experiment.root, &run.id))?;
    Ok(ExitCode::from(outcome.code()))
}

/// What to type to go on with a run: the command that began it, and the run's name.
fn resume_command(args: &RunArgs, root: Option<&Path>, id: &str) -> String {
    let root = root.map(|root| format!("-C {} ", quoted(&root.to_string_lossy()))).unwrap_or_default();
    format!("ablate {root}run {} --resume {}", quoted(&args.experiment.to_string_lossy()), quoted(id))
}

/// Everything before the first sample. What fails here leaves no run behind.
fn begin(experiment: Experiment, request: &Request, progress: &Progress, interrupt: &Interrupt) -> Result<Session> {
    let plan = design::arms(&experiment)?;
    let measure = &experiment.measure;
    judge::check_plan(&measure.looks, measure.alpha, judge::family(&experiment, &plan.arms))
        .with_context(|| experiment.file.display().to_string())?;
    session::check_folders(&experiment)?;
    for notice in &plan.notices {
        progress.say(notice);
    }
    let verified = session::verify(&experiment, plan, Asked::All, request, progress, interrupt)?;
    Session::begin(experiment, verified)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::BuildingArgs;

    #[test]
    fn the_command_to_go_on_can_be_typed_as_it_is() {
        let command = |file: &str, root: Option<&str>| {
            let args = RunArgs { experiment: file.into(), resume: None, building: BuildingArgs::default() };
            resume_command(&args, root.map(Path::new), "20261130-151604-x")
        };
        assert_eq!(command("x.toml", None), "ablate run x.toml --resume 20261130-151604-x");
        assert_eq!(command("x.toml", Some("../p")), "ablate -C ../p run x.toml --resume 20261130-151604-x");
        let odd = command("it's.toml", Some("my project"));
        assert_eq!(odd, r"ablate -C 'my project' run 'it'\''s.toml' --resume 20261130-151604-x");
    }
}
