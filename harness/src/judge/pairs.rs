//! From samples to pairs: complete blocks, and in each the arm's value beside base's.
//!
//! A block counts once every arm that runs a bench has a sample of it, be it failed: judging half a block would favour
//! the arms that happened to come first. Samples are looked at, never changed or dropped; a pair without two usable
//! numbers is counted by its cause, so that the judgement can name it.

use std::collections::{BTreeMap, BTreeSet};

use crate::experiment::{Bench, Experiment, Metric};
use crate::record::{Role, Run, RunArm, Sample, Status};

use super::Temperature;

/// Whether an arm is measured on a bench: it is no duplicate of another arm, there is something to run, and the bench is
/// not kept to other arms.
fn runs(arm: &RunArm, bench: &Bench) -> bool {
    arm.same_as.is_none() && (arm.binary.is_some() || !arm.command.is_empty()) && is_for(bench, arm)
}

/// Whether the bench is not kept to other arms. Base and its twin run every bench, since everything is compared with
/// them.
pub(super) fn is_for(bench: &Bench, arm: &RunArm) -> bool {
    matches!(arm.role, Role::Base | Role::BaseAgain) || bench.arms.is_empty() || bench.arms.contains(&arm.id)
}

/// The complete blocks of a run, in order.
pub(super) struct Blocks<'a> {
    complete: Vec<Block<'a>>,
    /// Blocks with some samples but not all.
    pub(super) incomplete: usize,
}

/// Arm and bench to sample.
type Block<'a> = BTreeMap<(&'a str, &'a str), &'a Sample>;

/// The pairs of an arm and base on one metric, in block order, and what is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    /// Base's values: nanoseconds or bytes.
    pub(super) base: Vec<f64>,
    /// The arm's values, beside base's.
    pub(super) arm: Vec<f64>,
    /// ln(arm ÷ base), all finite.
    pub(super) log_ratios: Vec<f64>,
    /// Blocks looked at.
    pub(super) blocks: usize,
    /// Samples of base that failed.
    pub(super) base_failed: usize,
    /// Samples of the arm that failed.
    pub(super) arm_failed: usize,
    /// Blocks in which base's sample is sound but lacks the metric.
    pub(super) base_without: usize,
    /// Blocks in which the arm's sample is sound but lacks the metric.
    pub(super) arm_without: usize,
    /// Blocks in which one of the two values is zero: a ratio to or of nothing says nothing.
    pub(super) zero: usize,
    /// Blocks lost because either sample failed.
    pub(super) lost_to_failure: usize,
}

impl<'a> Blocks<'a> {
    /// Sorts the samples into blocks. Of two samples of one arm, bench and block the first counts.
    ///
    /// A bench that an arm should run but of which no block has a sample was never scheduled; no block waits for it.
    pub(super) fn of(experiment: &Experiment, run: &Run, samples: &'a [Sample]) -> Self {
        let mut blocks: BTreeMap<u32, Block<'a>> = BTreeMap::new();
        for sample in samples {
            let block = blocks.entry(sample.block).or_default();
            block.entry((&sample.arm, &sample.bench)).or_insert(sample);
        }
        let seen: BTreeSet<(&str, &str)> = blocks.values().flat_map(|block| block.keys().copied()).collect();
        let expected: Vec<(&str, &str)> = (run.arms.iter())
            .flat_map(|arm| experiment.benches.iter().filter(|bench| runs(arm, bench)).map(move |bench| (arm, bench)))
            .map(|(arm, bench)| (arm.id.as_str(), bench.name.as_str()))
            .filter(|key| seen.contains(key))
            .collect();
        let begun = blocks.len();
        let complete: Vec<_> = blocks.into_values().filter(|block| is_complete(block, &expected)).collect();
        Self { incomplete: begun - complete.len(), complete }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.complete.len()
    }

    /// The pairs of `arm` and `base` in the first `blocks` complete blocks.
    pub(super) fn pairs(&self, blocks: usize, bench: &str, [base, arm]: [&str; 2], what: &What) -> Pairs {
        let mut pairs = Pairs::default();
        for block in self.complete.iter().take(blocks) {
            pairs.add(Value::of(block.get(&(base, bench)), what), Value::of(block.get(&(arm, bench)), what));
        }
        pairs
    }

    /// The names of all phases in the first `blocks` complete blocks of a bench, sorted.
    pub(super) fn phases(&self, blocks: usize, bench: &str) -> BTreeSet<&'a str> {
        (self.complete.iter().take(blocks))
            .flat_map(|block| block.values())
            .filter(|sample| sample.bench == bench)
            .flat_map(|sample| &sample.warm)
            .flat_map(|iteration| iteration.phases.iter().map(|phase| phase.name.as_str()))
            .collect()
    }
}

fn is_complete(block: &Block<'_>, expected: &[(&str, &str)]) -> bool {
    !expected.is_empty() && expected.iter().all(|key| block.contains_key(key))
}

/// Which number of a sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct What {
    /// The metric.
    pub(super) metric: Metric,
    /// The iterations it is taken from.
    pub(super) temperature: Temperature,
}

impl Pairs {
    /// Blocks that gave no pair.
    pub(super) fn lost(&self) -> usize {
        self.blocks - self.log_ratios.len()
    }

    fn add(&mut self, base: Value, arm: Value) {
        self.blocks += 1;
        self.base_failed += usize::from(base == Value::Failed);
        self.arm_failed += usize::from(arm == Value::Failed);
        self.base_without += usize::from(base == Value::Missing);
        self.arm_without += usize::from(arm == Value::Missing);
        self.lost_to_failure += usize::from(base == Value::Failed || arm == Value::Failed);
        let (Value::Number(base), Value::Number(arm)) = (base, arm) else { return };
        if base > 0.0 && arm > 0.0 {
            self.base.push(base);
            self.arm.push(arm);
            self.log_ratios.push((arm / base).ln());
        } else {
            self.zero += 1;
        }
    }
}

/// What one sample has to say of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    /// The mean over its iterations.
    Number(f64),
    /// It is sound, but an iteration lacks the metric, or there is none.
    Missing,
    /// It failed.
    Failed,
}

impl Value {
    fn of(sample: Option<&&Sample>, what: &What) -> Self {
        let Some(sample) = sample else { return Self::Missing };
        if sample.status == Status::Failed {
            return Self::Failed;
        }
        let iterations = match what.temperature {
            Temperature::Cold => sample.cold.as_slice(),
            Temperature::Warm => sample.warm.as_slice(),
        };
        let values: Option<Vec<u64>> = iterations.iter().map(|iteration| iteration.value(&what.metric)).collect();
        match values {
            Some(values) if !values.is_empty() => {
                Self::Number(values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64)
            }
            _ => Self::Missing,
        }
    }
}
