//! What must hold before the first sample: the inputs can be made, every program starts, and it says that it is the
//! build its label says.
//!
//! Nothing here is timed, and nothing is recorded where it fails: a circuit that does not parse or a damaged parameter
//! file leaves no run behind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::experiment::{CommandArm, Experiment, Parse};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::record::{Exit, Finding, FindingKind, Role, RunArm};
use crate::shell;
use crate::worker::process::{self, Ended, Ending, Launch, Until};
use crate::worker::{Mark, Unit, located, protocol};

/// How long a program may take to say hello where its bench has no limit: it may load parameters first.
const PATIENCE: Duration = Duration::from_mins(10);

/// Starts what comes before the samples and ends it again.
#[derive(Debug)]
pub struct Preflight<'a> {
    experiment: &'a Experiment,
    interrupt: &'a Interrupt,
    progress: &'a Progress,
    /// Stands in for the folder of the run that does not exist yet.
    place: PathBuf,
}

impl<'a> Preflight<'a> {
    /// Prepares to start programs of this experiment.
    pub fn new(experiment: &'a Experiment, interrupt: &'a Interrupt, progress: &'a Progress) -> Self {
        let place = experiment.root.join(format!(".ablate/preflight-{}", std::process::id()));
        Self { experiment, interrupt, progress, place }
    }

    /// Runs base with the arguments of `[prepare]`, if there are any, to its end.
    pub fn prepare(&self, base: &RunArm, executable: Option<&Path>) -> Result<()> {
        let Some(prepare) = &self.experiment.prepare else { return Ok(()) };
        let (program, own) = match (base.command.split_first(), executable) {
            (Some((program, own)), _) => (located(program, &self.experiment.root), own),
            (None, Some(executable)) => (executable.to_owned(), &[][..]),
            (None, None) => bail!("prepare: base has no program"),
        };
        let args: Vec<String> = own.iter().chain(&prepare.args).cloned().collect();
        self.progress.say(&format!("prepare: {}", shell::line(&args)));
        self.to_its_end("prepare", &program, &args)
    }

    /// Runs the `build` command of an arm that has one to its end.
    pub fn build(&self, arm: &CommandArm) -> Result<()> {
        let Some((program, args)) = arm.build.split_first() else { return Ok(()) };
        self.progress.say(&format!("building {}: {}", arm.id, arm.build.join(" ")));
        let program = located(program, &self.experiment.root);
        self.to_its_end(&format!("build of arm {}", arm.id), &program, args)
    }

    /// Runs a program that is no bench, without a limit; one that fails is quoted.
    fn to_its_end(&self, purpose: &str, program: &Path, args: &[String]) -> Result<()> {
        let what = format!("{purpose}: `{} {}`", program.display(), shell::line(args));
        let launch = Launch {
            program,
            args,
            env: &BTreeMap::new(),
            dir: &self.experiment.root,
            mark: &Mark::new(&self.place, 0),
            limit: None,
            until: Until::Exit,
        };
        let ended = process::run(launch, self.interrupt).with_context(|| format!("{what} could not be started"))?;
        match (ended.ending, &ended.exit) {
            (Ending::Interrupted, _) => bail!("interrupted before the first sample; nothing was recorded"),
            (Ending::Exited, Exit::Code { code: 0 }) => Ok(()),
            _ => bail!("{what} failed ({}){}", how(&ended), quoted(&ended)),
        }
    }

    /// Starts each unit once and waits for its hello. Features other than the arm's are a finding; a program that says
    /// no hello is an error, because the experiment cannot be measured. Units that are read otherwise say nothing that
    /// could be checked.
    pub fn hellos(&self, units: &[Unit]) -> Result<Vec<Finding>> {
        let mut findings: Vec<Finding> = Vec::new();
        let mut started = BTreeSet::new();
        for (number, unit) in (1..).zip(units) {
            let new = started.insert((&unit.program, &unit.args, &unit.arm.env, unit.arm.features.as_slice()));
            if unit.bench.parse != Parse::Protocol || unit.arm.role == Role::BaseAgain || !new {
                continue;
            }
            self.progress.detail(&format!("preflight: {} {}", unit.arm.id, unit.bench.name));
            if let Err(reason) = self.hello(unit, &Mark::new(&self.place, number))?
                && !findings.iter().any(|finding| finding.arm == unit.arm.id)
            {
                findings.push(wrong_binary(&unit.arm.id, reason));
            }
        }
        self.progress.clear();
        Ok(findings)
    }

    /// The inner error: the program says that it is another build.
    fn hello(&self, unit: &Unit, mark: &Mark) -> Result<Result<(), String>> {
        let limit = unit.bench.timeout.unwrap_or(PATIENCE);
        let what = || {
            let file = self.experiment.file.display();
            format!("{file}: bench `{}` of arm {}: `{}`", unit.bench.name, unit.arm.id, unit.command_line())
        };
        let ended = process::run(unit.launch(mark, Some(limit), Until::FirstLine), self.interrupt)
            .with_context(|| format!("{} could not be started", what()))?;
        if ended.ending == Ending::Interrupted {
            bail!("interrupted before the first sample; nothing was recorded");
        }
        if ended.ending != Ending::FirstLine && !ended.stdout.contains(&b'\n') {
            bail!("{} failed before its hello ({}){}", what(), how(&ended), quoted(&ended));
        }
        let hello = match protocol::hello(&ended.stdout) {
            Ok(hello) => hello,
            Err(reason) => bail!(
                "{} does not speak the protocol: {reason}{}; mend it, or read it with `parse = \"regex\"` or \"process\"",
                what(),
                quoted(&ended)
            ),
        };
        if !unit.arm.command.is_empty() {
            return Ok(Ok(()));
        }
        let stamp = unit.arm.stamp.as_deref();
        Ok(protocol::same_features(&hello, &unit.arm.features, &unit.arm.implied)
            .and_then(|()| protocol::same_stamp(&hello, stamp)))
    }
}

fn wrong_binary(arm: &str, evidence: String) -> Finding {
    Finding {
        kind: FindingKind::WrongBinary,
        arm: arm.to_owned(),
        evidence,
        remedy:
            "look for a feature that another package of the build turns on, a list of features in the program that \
                 is not made from `cfg`, or somebody else who writes into the target folder"
                .to_owned(),
    }
}

fn how(ended: &Ended) -> String {
    match &ended.exit {
        Exit::Code { code } => format!("exit code {code}"),
        Exit::Signal { signal } => format!("signal {signal}"),
        Exit::Timeout { limit_ns } => format!("no exit within {} s", limit_ns / 1_000_000_000),
        Exit::NotStarted => "it never ran".to_owned(),
    }
}

/// The end of what the program said on stderr.
fn quoted(ended: &Ended) -> String {
    const LINES: usize = 20;
    let lines: Vec<&str> = ended.stderr.trim_end().lines().collect();
    match &lines[lines.len().saturating_sub(LINES)..] {
        [] | [""] => "; it said nothing on stderr".to_owned(),
        last => format!("; it said:\n{}", last.join("\n")),
    }
}
