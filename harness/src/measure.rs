//! The loop over blocks: every arm and bench once in each, in an order drawn from the seed, a fresh process a sample.
//!
//! Invariants: a sample is on the disk before the next one starts; a sample that is there is never measured again; and
//! no sample counts that was run from a binary other than its arm's.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::build::Store;
use crate::build::store::StoreError;
use crate::experiment::{Bench, Experiment};
use crate::gpu::{self, Watch};
use crate::interrupt::Interrupt;
use crate::limits::Limits;
use crate::progress::Progress;
use crate::record::{Finding, FindingKind, Role, Run, RunArm, RunFolder, Sample, State, Status};
use crate::worker::{self, Mark, Unit};
use crate::{design, schedule};

/// The limit of a sample before any of its bench has succeeded, where the bench has none.
const FIRST_LIMIT: Duration = Duration::from_hours(1);

/// What is wrong with a sample whose binary is right before and after, and was touched in between.
const TOUCHED: &str = "its binary in .ablate/store was moved or written while it ran; which program ran cannot be told";

/// Why measuring ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every planned block, or every block up to the look that decided.
    Complete,
    /// It was given up, for the reason.
    Stopped(String),
    /// It was given up because a binary is no longer what it was.
    BadBinary(Finding),
    /// The user asked to stop.
    Interrupted,
}

/// What is run in each block: the arms that were not merged into others and have no finding that forbids it, each with
/// its benches; in design order.
pub fn units<'a>(experiment: &'a Experiment, arms: &'a [RunArm], findings: &[Finding], store: &Store) -> Vec<Unit<'a>> {
    let forbidden: HashSet<&str> =
        findings.iter().filter(|finding| forbids(finding)).map(|finding| finding.arm.as_str()).collect();
    let measured = |arm: &&RunArm| arm.same_as.is_none() && !forbidden.contains(arm.id.as_str());
    arms.iter().filter(measured).flat_map(|arm| units_of(experiment, arms, arm, store)).collect()
}

fn forbids(finding: &Finding) -> bool {
    matches!(
        finding.kind,
        FindingKind::WrongBinary | FindingKind::BuildFailed | FindingKind::NotReproducible | FindingKind::InputsMoved
    )
}

/// An arm runs a bench also in the stead of the arms that were merged into it.
fn units_of<'a>(experiment: &'a Experiment, arms: &[RunArm], arm: &'a RunArm, store: &Store) -> Vec<Unit<'a>> {
    let runs = |bench: &&Bench| {
        let merged = arms.iter().filter(|other| other.same_as.as_deref() == Some(&arm.id));
        std::iter::once(arm).chain(merged).any(|arm| design::runs(bench, arm))
    };
    let executable = arm.binary.as_deref().map(|digest| store.path(digest));
    let unit = |bench| Unit::new(arm, bench, executable.clone(), &experiment.root);
    experiment.benches.iter().filter(runs).filter_map(unit).collect()
}

/// A run that is being measured.
#[derive(Debug)]
pub struct Measuring<'a> {
    /// The question.
    pub experiment: &'a Experiment,
    /// The run, for its arms and seed.
    pub run: &'a Run,
    /// Where executables are.
    pub store: &'a Store,
    /// Where samples go.
    pub folder: &'a mut RunFolder,
    /// The samples there are; new ones are added.
    pub samples: &'a mut Vec<Sample>,
    /// Whether the user asked to stop.
    pub interrupt: &'a Interrupt,
    /// What the user sees.
    pub progress: &'a mut Progress,
    /// How much is measured now.
    pub limits: Limits<'a>,
    /// The GPUs, where there are any.
    pub gpus: Option<Watch>,
}

impl Measuring<'_> {
    /// Measures the blocks that are missing, until a planned look at which `decided` says yes, or the last look.
    pub fn blocks(mut self, decided: &dyn Fn(&[Sample]) -> bool) -> Result<End> {
        let units = units(self.experiment, &self.run.arms, &self.run.findings, self.store);
        if let Some(reason) = nothing_to_measure(&units) {
            return Ok(End::Stopped(reason));
        }
        let looks = &self.experiment.measure.looks;
        let planned = looks.last().copied().unwrap_or_default();
        let in_block = units.len() as u64;
        let (all, before) = (u64::from(planned) * in_block, self.samples.len() as u64);
        self.progress.measuring(all, before);
        let start = Instant::now();
        let earlier = self.samples.iter().map(|sample| Duration::from_nanos(sample.conditions.wall_ns)).sum();
        let first = self.run.bundle.as_ref().and_then(|bundle| bundle.stays.last()).map_or(0, |stay| stay.first_block);
        let (mut complete, mut done_now, mut longest) = (0, 0, self.last_block());
        for block in 0.. {
            if complete == planned {
                break;
            }
            let missing = self.missing(block, &units);
            if !missing.is_empty() {
                if block < first {
                    // An earlier stay did not finish it, and a block belongs to one stay.
                    continue;
                }
                if self.out_of_time(earlier, start) {
                    return Ok(End::Stopped(self.time_is_up(complete)));
                }
                if let Some(reason) = self.limits.reached(done_now, longest) {
                    return Ok(End::Stopped(reason));
                }
                let begun = Instant::now();
                if let Some(end) = self.block(block, &missing)? {
                    return Ok(end);
                }
                longest = longest.max(begun.elapsed());
                done_now += 1;
                let done = self.samples.len() as u64;
                self.progress.block(complete + 1, planned, done - before, all.saturating_sub(done));
                if let Some(each_block) = self.limits.each_block {
                    each_block(self.folder.path());
                }
                if let Some(reason) = self.everything_failed(block) {
                    return Ok(End::Stopped(reason));
                }
            }
            complete += 1;
            if looks.contains(&complete) && decided(self.samples) {
                break;
            }
        }
        Ok(End::Complete)
    }

    /// The units of a block without a sample, each with its place, in the block's order.
    fn missing<'u, 'a>(&self, block: u32, units: &'u [Unit<'a>]) -> Vec<(u32, &'u Unit<'a>)> {
        let there: HashSet<(&str, &str)> = self
            .samples
            .iter()
            .filter(|sample| sample.block == block)
            .map(|sample| (sample.arm.as_str(), sample.bench.as_str()))
            .collect();
        let order = schedule::order(self.run.seed, block, units.len());
        (0..)
            .zip(order.into_iter().map(|index| &units[index]))
            .filter(|(_, unit)| !there.contains(&(unit.arm.id.as_str(), unit.bench.name.as_str())))
            .collect()
    }

    /// How long the last block that has samples took at least, while no block of this execution is known.
    fn last_block(&self) -> Duration {
        let last = self.samples.iter().map(|sample| sample.block).max();
        let of_it = self.samples.iter().filter(|sample| Some(sample.block) == last);
        of_it.map(|sample| Duration::from_nanos(sample.conditions.wall_ns)).sum()
    }

    /// Runs one block. Gives back an end where measuring may not go on.
    fn block(&mut self, block: u32, missing: &[(u32, &Unit)]) -> Result<Option<End>> {
        let digests: BTreeSet<&str> = missing.iter().filter_map(|(_, unit)| unit.arm.binary.as_deref()).collect();
        for digest in digests {
            if let Err(error) = self.store.read_again(digest) {
                return Ok(Some(self.bad_binary(digest, &error)));
            }
        }
        for (position, unit) in missing {
            if self.interrupt.requested() {
                return Ok(Some(End::Interrupted));
            }
            if let Some(end) = self.sample(block, *position, unit)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Takes one sample. The binary is looked at before and after: one that was replaced meanwhile gives no sample.
    fn sample(&mut self, block: u32, position: u32, unit: &Unit) -> Result<Option<End>> {
        let number = u32::try_from(self.samples.len()).unwrap_or(u32::MAX);
        let mark = Mark::new(self.folder.path(), number);
        let digest = unit.arm.binary.as_deref();
        let taken = digest.map_or(Ok(()), |digest| self.store.checked(digest).map(drop)).and_then(|()| {
            let sample = self.take(unit, (block, position), &mark);
            let untouched = digest.map_or(Ok(true), |digest| self.store.untouched(digest))?;
            Ok(sample.map(|sample| if untouched { sample } else { sample.without_numbers(TOUCHED) }))
        });
        let sample = match taken {
            Err(error) => return Ok(Some(self.bad_binary(digest.unwrap_or_default(), &error))),
            Ok(None) => return Ok(Some(End::Interrupted)),
            Ok(Some(sample)) => sample,
        };
        self.folder.append(&sample)?;
        if let Some(reason) = &sample.reason {
            self.progress.say(&format!("block {}: {} {} failed: {reason}", block + 1, sample.arm, sample.bench));
        }
        self.progress.sampled(&format!("{} {}", sample.arm, sample.bench));
        self.samples.push(sample);
        Ok(None)
    }

    /// Takes one sample, with a look at the GPUs before and after it.
    fn take(&self, unit: &Unit, place: (u32, u32), mark: &Mark) -> Option<Sample> {
        let look = || self.gpus.as_ref().map(Watch::read).unwrap_or_default();
        let before = look();
        let mut sample = worker::take(unit, place, mark, self.limit(unit.bench), self.interrupt)?;
        sample.conditions.gpus = gpu::between(before, &look());
        Some(sample)
    }

    /// A sample may take the bench's limit, or else ten times as long as the longest so far and a minute.
    fn limit(&self, bench: &Bench) -> Duration {
        let succeeded = self.samples.iter().filter(|sample| sample.bench == bench.name && sample.status == Status::Ok);
        let longest = succeeded.map(|sample| Duration::from_nanos(sample.conditions.wall_ns)).max();
        let derived = || longest.map(|longest| 10 * longest + Duration::from_mins(1));
        bench.timeout.or_else(derived).unwrap_or(FIRST_LIMIT)
    }

    fn out_of_time(&self, earlier: Duration, start: Instant) -> bool {
        self.experiment.measure.max_time.is_some_and(|limit| earlier + start.elapsed() >= limit)
    }

    fn time_is_up(&self, blocks: u32) -> String {
        let limit = self.experiment.measure.max_time.unwrap_or_default();
        format!(
            "measure.max_time of {} s was over after {blocks} blocks; raise it and go on with --resume {}",
            limit.as_secs(),
            self.run.id
        )
    }

    /// The first block tells whether anything works; if nothing does, the others would not either.
    fn everything_failed(&self, block: u32) -> Option<String> {
        let first = self.samples.first()?;
        let all = block == 0 && self.samples.iter().all(|sample| sample.status == Status::Failed);
        let reason = first.reason.as_deref().unwrap_or("no reason");
        all.then(|| format!("every sample of the first block failed; {} {}: {reason}", first.arm, first.bench))
    }

    fn bad_binary(&self, digest: &str, error: &StoreError) -> End {
        let arm = self.run.arms.iter().find(|arm| arm.binary.as_deref() == Some(digest));
        End::BadBinary(Finding {
            kind: FindingKind::WrongBinary,
            arm: arm.map(|arm| arm.id.clone()).unwrap_or_default(),
            evidence: error.to_string(),
            remedy: "somebody wrote into .ablate/store; start a new run, which builds the arm again".to_owned(),
        })
    }
}

/// With nothing beside base there is nothing to learn.
fn nothing_to_measure(units: &[Unit]) -> Option<String> {
    let any = |wanted: fn(Role) -> bool| units.iter().any(|unit| wanted(unit.arm.role));
    if !any(|role| role == Role::Base) {
        return Some("base cannot be measured; see the findings".to_owned());
    }
    let others = any(|role| matches!(role, Role::Combination | Role::Command));
    (!others).then(|| "no arm differs from base: there is nothing to measure; see the findings".to_owned())
}

impl End {
    /// Enters the end into the run.
    pub fn enter(self, run: &mut Run) {
        match self {
            Self::Complete => run.state = State::Complete,
            Self::Stopped(reason) => run.state = State::Stopped { reason },
            Self::BadBinary(finding) => {
                run.state = State::Stopped { reason: format!("{}; {}", finding.evidence, finding.remedy) };
                run.findings.push(finding);
            }
            Self::Interrupted => run.state = State::Measuring,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const BENCHES: &str = r#"
        schema = 1
        name = "x"
        question = "?"
        target = { package = "p" }
        factor = [{ id = "A", feature = "a" }, { id = "B", feature = "b" }, { id = "C", feature = "c" }]
        bench = [{ name = "all", metric = "span" }, { name = "some", metric = "span", arms = ["B"] }]
        measure = { looks = [20], min_effect = "1%" }
    "#;

    /// The units, as `arm bench`, of an experiment whose arms have been changed.
    fn units_after(change: impl Fn(&mut [RunArm]), findings: &[Finding]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x.toml");
        fs::write(folder.path().join("Cargo.toml"), "").expect("written");
        fs::write(&file, BENCHES).expect("written");
        let experiment = crate::experiment::load(&file, Some(folder.path())).expect("an experiment");
        let mut arms = design::arms(&experiment).expect("arms").arms;
        for arm in &mut arms {
            arm.binary = Some(arm.features.concat());
        }
        change(&mut arms);
        let store = Store::open(folder.path()).expect("a store");
        let units = units(&experiment, &arms, findings, &store);
        units.iter().map(|unit| format!("{} {}", unit.arm.id, unit.bench.name)).collect()
    }

    const BASE_UNITS: [&str; 4] = ["base all", "base some", "base-again all", "base-again some"];

    #[test]
    fn a_bench_runs_its_arms_and_base() {
        let expected = [&BASE_UNITS[..], &["A all", "B all", "B some", "C all"]].concat();
        assert_eq!(units_after(|_| {}, &[]), expected);
    }

    #[test]
    fn an_arm_stands_in_for_those_that_were_merged_into_it() {
        let merge = |arms: &mut [RunArm]| arms[3].same_as = Some("A".into());
        let expected = [&BASE_UNITS[..], &["A all", "A some", "C all"]].concat();
        assert_eq!(units_after(merge, &[]), expected, "A runs B's bench too");
    }

    #[test]
    fn what_was_not_built_or_is_another_build_is_not_run() {
        let finding =
            |kind, arm: &str| Finding { kind, arm: arm.into(), evidence: String::new(), remedy: String::new() };
        let unbuilt = |arms: &mut [RunArm]| arms[2].binary = None;
        let findings = [finding(FindingKind::WrongBinary, "B"), finding(FindingKind::Inert, "C")];
        let expected = [&BASE_UNITS[..], &["C all"]].concat();
        assert_eq!(units_after(unbuilt, &findings), expected);
    }
}
