//! One sample: a unit of work run once, and judged fit or not to be a number.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::leftover::Mark;
use super::process::{self, Ended, Ending, Launch, STDOUT_LIMIT, Until};
use super::{parse, protocol};
use crate::experiment::{Bench, Parse};
use crate::host;
use crate::interrupt::Interrupt;
use crate::record::{Conditions, Exit, Measurement, RunArm, Sample, Status};
use crate::shell;

/// One bench of one arm, ready to be started any number of times.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    /// The arm.
    pub arm: &'a RunArm,
    /// The bench.
    pub bench: &'a Bench,
    /// What is started.
    pub program: PathBuf,
    /// All its arguments.
    pub args: Vec<String>,
    /// Where it is started.
    pub root: &'a Path,
}

impl<'a> Unit<'a> {
    /// Puts the command line together: a command's own arguments, the bench's, the factors', and in the protocol the
    /// number of iterations. `executable` is the build's; a command arm brings its own, relative to the root.
    pub fn new(arm: &'a RunArm, bench: &'a Bench, executable: Option<PathBuf>, root: &'a Path) -> Option<Self> {
        let (program, own) = match (arm.command.split_first(), executable) {
            (Some((program, own)), _) => (located(program, root), own),
            (None, Some(executable)) => (executable, &[][..]),
            (None, None) => return None,
        };
        let mut args: Vec<String> = own.iter().chain(&bench.args).chain(&arm.args).cloned().collect();
        if bench.parse == Parse::Protocol {
            args.extend([protocol::ITERATIONS_FLAG.to_owned(), bench.iterations.to_string()]);
        }
        Some(Self { arm, bench, program, args, root })
    }

    /// What a person would type.
    pub fn command_line(&self) -> String {
        let env = self.arm.env.iter().map(|(name, value)| format!("{name}={value}"));
        let set = (!self.arm.env.is_empty()).then(|| "env".to_owned());
        let program = self.program.display().to_string();
        shell::line(&set.into_iter().chain(env).chain([program]).chain(self.args.iter().cloned()).collect::<Vec<_>>())
    }

    /// How its process is started.
    pub fn launch<'l>(&'l self, mark: &'l Mark, limit: Option<Duration>, until: Until) -> Launch<'l> {
        Launch { program: &self.program, args: &self.args, env: &self.arm.env, dir: self.root, mark, limit, until }
    }
}

/// Where a command's program is: a path is relative to the root, a bare name is looked up in `PATH`.
pub fn located(program: &str, root: &Path) -> PathBuf {
    if program.contains('/') { root.join(program) } else { PathBuf::from(program) }
}

/// What a process measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its first iteration, where it has several.
    pub cold: Option<Measurement>,
    /// The others, or the only one.
    pub warm: Vec<Measurement>,
    /// What it chose.
    pub facts: BTreeMap<String, serde_json::Value>,
    /// Digest of its result.
    pub proof: Option<String>,
}

/// Runs the unit once. `None`: the user asked to stop, and there is no sample.
pub fn take(
    unit: &Unit,
    (block, position): (u32, u32),
    mark: &Mark,
    limit: Duration,
    interrupt: &Interrupt,
) -> Option<Sample> {
    let started = host::now();
    let result = process::run(unit.launch(mark, Some(limit), Until::Exit), interrupt);
    let (exit, conditions, reading) = match result {
        Ok(ended) if ended.ending == Ending::Interrupted => return None,
        Ok(ended) => (ended.exit.clone(), ended.conditions.clone(), read(unit, &ended)),
        Err(error) => (Exit::NotStarted, Conditions::default(), Err(not_started(unit, &error))),
    };
    let (status, reason, reading) = match reading {
        Ok(reading) => (Status::Ok, None, reading),
        Err(reason) => (Status::Failed, Some(reason), Reading::default()),
    };
    Some(Sample {
        block,
        position,
        arm: unit.arm.id.clone(),
        bench: unit.bench.name.clone(),
        started,
        binary: unit.arm.binary.clone(),
        status,
        reason,
        cold: reading.cold,
        warm: reading.warm,
        facts: reading.facts,
        proof: reading.proof,
        conditions,
        exit,
    })
}

impl Sample {
    /// The sample as one that failed for a reason which the process cannot know.
    pub(crate) fn without_numbers(self, reason: &str) -> Self {
        let reason = Some(self.reason.unwrap_or_else(|| reason.to_owned()));
        let (cold, warm, proof) = (None, Vec::new(), None);
        Self { status: Status::Failed, reason, cold, warm, proof, facts: BTreeMap::new(), ..self }
    }
}

/// The words for a program that could not be started.
pub(super) fn not_started(unit: &Unit, error: &io::Error) -> String {
    format!("`{}` could not be started: {error}", unit.program.display())
}

/// The numbers of a process that did everything right, or what it did not.
fn read(unit: &Unit, ended: &Ended) -> Result<Reading, String> {
    ended_well(ended)?;
    let wall_ns = ended.conditions.wall_ns;
    let reading = match &unit.bench.parse {
        Parse::Protocol => protocol_reading(unit, &ended.stdout)?,
        Parse::Regex(expression) => alone(parse::regex(expression, &ended.stdout, wall_ns)?),
        Parse::Process => alone(parse::process(wall_ns)),
    };
    reading.cold.iter().chain(&reading.warm).try_for_each(sums_fit)?;
    if reading.warm.iter().all(|measurement| measurement.value(&unit.bench.metric).is_some()) {
        Ok(reading)
    } else {
        Err(format!("the output has no `{}`, the bench's metric", unit.bench.metric.name()))
    }
}

fn alone(measurement: Measurement) -> Reading {
    Reading { warm: vec![measurement], ..Reading::default() }
}

/// A process that failed, or left anything behind, has no numbers. Its exit comes first: it explains the output.
fn ended_well(ended: &Ended) -> Result<(), String> {
    let said = || ended.last_words().map(|line| format!(": {line}")).unwrap_or_default();
    if !ended.survivors.is_empty() {
        return Err(format!("processes that could not be ended: {}", ended.survivors.join("; ")));
    }
    match ended.ending {
        Ending::Flooded => return Err(format!("more than {} MiB of output; it was ended", STDOUT_LIMIT >> 20)),
        Ending::Exited | Ending::FirstLine | Ending::Timeout | Ending::Interrupted => {}
    }
    match ended.exit {
        Exit::Code { code: 0 } => {}
        Exit::Code { code } => return Err(format!("exit code {code}{}", said())),
        Exit::Signal { signal } => return Err(format!("ended by signal {signal}{}", said())),
        Exit::Timeout { limit_ns } => {
            return Err(format!("timeout: no exit within {} s; it was ended", limit_ns.div_ceil(1_000_000_000)));
        }
        Exit::NotStarted => return Err("it never ran".to_owned()),
    }
    match ended.left_behind.as_slice() {
        [] => Ok(()),
        left => Err(format!("it left processes behind, which were ended: {}", left.join("; "))),
    }
}

fn protocol_reading(unit: &Unit, stdout: &[u8]) -> Result<Reading, String> {
    let report = protocol::report(stdout, unit.bench.iterations)?;
    if unit.arm.command.is_empty() {
        protocol::same_features(&report.hello, &unit.arm.features, &unit.arm.implied)?;
        protocol::same_stamp(&report.hello, unit.arm.stamp.as_deref())?;
    }
    let mut facts = report.facts;
    for (name, value) in [("backend", report.hello.backend), ("device", report.hello.device)] {
        if let Some(value) = value {
            facts.entry(name.to_owned()).or_insert(value.into());
        }
    }
    Ok(Reading { cold: Some(report.cold), warm: report.warm, facts, proof: report.proof })
}

/// Phases of one name are summed, and the sum must be a number too.
fn sums_fit(measurement: &Measurement) -> Result<(), String> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for phase in &measurement.phases {
        let sum = sums.entry(&phase.name).or_default();
        *sum = sum
            .checked_add(phase.ns)
            .ok_or_else(|| format!("the times of phase `{}` add up to more than 64 bits hold", phase.name))?;
    }
    Ok(())
}
