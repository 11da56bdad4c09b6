//! `ablate run`: from an experiment to a verdict.

use std::env;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::cli::RunArgs;
use crate::design;
use crate::experiment::{self, Experiment};
use crate::interrupt::Interrupt;
use crate::judge::{self, Judgement};
use crate::measure::End;
use crate::progress::Progress;
use crate::record::State;
use crate::report::{self, terminal};
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
    conclude(&session)
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

/// Judges what was measured, writes the report and shows the table.
fn conclude(session: &Session) -> Result<ExitCode> {
    let judgement = judge::judge(&session.experiment, &session.run, &session.samples);
    let reports = report_folder(session);
    report::write(&session.experiment, &session.run, &session.samples, &judgement, &reports)?;
    show(session, &judgement, &reports);
    Ok(ExitCode::from(report::outcome(&session.run, &judgement).code))
}

fn report_folder(session: &Session) -> PathBuf {
    session.experiment.root.join("reports").join(&session.run.id)
}

fn show(session: &Session, judgement: &Judgement, reports: &Path) {
    let colour = stdout().is_terminal() && env::var_os("NO_COLOR").is_none();
    let style = terminal::Style { colour, ..terminal::Style::PLAIN };
    print!("{}", terminal::table(judgement, &session.run, style));
    if let State::Stopped { reason } = &session.run.state {
        println!("stopped: {reason}");
    }
    println!("samples: {}", session.folder().display());
    println!("report: {}", reports.join("index.html").display());
}
