//! From samples to numbers: complete blocks, and in each one number of a comparison.
//!
//! A block counts once every arm that runs a bench has a sample of it, be it failed: judging half a block would favour
//! the arms that happened to come first. Samples are looked at, never changed or dropped; a block that gives a comparison
//! no number is counted by its cause, so that the judgement can name it.

use std::collections::{BTreeMap, BTreeSet};

use crate::experiment::{Bench, Experiment, Metric};
use crate::record::{Role, Run, RunArm, Sample, Status};

use super::Temperature;
use super::subjects::{Source, Weights};

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
    /// Arm id to its number.
    arms: BTreeMap<&'a str, usize>,
    /// Bench name to its number.
    benches: BTreeMap<&'a str, usize>,
    complete: Vec<Block<'a>>,
    /// Blocks with some samples but not all.
    pub(super) incomplete: usize,
}

/// The sample of each arm and bench, arm by arm.
type Block<'a> = Vec<Option<&'a Sample>>;

/// The numbers of a comparison, in block order, and what is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    /// What is compared with: nanoseconds or bytes. Of a contrast the geometric mean of the arms with the factor at base's
    /// level.
    pub(super) base: Vec<f64>,
    /// The arm's values, beside base's. Of a contrast the geometric mean of the arms with the factor at its level.
    pub(super) arm: Vec<f64>,
    /// ln(arm ÷ base), or the contrast of the logarithms; all finite.
    pub(super) log_ratios: Vec<f64>,
    /// Blocks looked at.
    pub(super) blocks: usize,
    /// Samples of base that failed.
    pub(super) base_failed: usize,
    /// Samples of the arm, or of the contrast's arms, that failed.
    pub(super) arm_failed: usize,
    /// Blocks in which base's sample is sound but lacks the metric.
    pub(super) base_without: usize,
    /// Blocks in which the arm's sample is sound but lacks the metric.
    pub(super) arm_without: usize,
    /// Blocks in which one of the values is zero: a ratio to or of nothing says nothing.
    pub(super) zero: usize,
    /// Blocks lost because a sample failed.
    pub(super) lost_to_failure: usize,
}

impl<'a> Blocks<'a> {
    /// Sorts the samples into blocks. Of two samples of one arm, bench and block the first counts.
    ///
    /// A bench that an arm should run but of which no block has a sample was never scheduled; no block waits for it.
    pub(super) fn of(experiment: &'a Experiment, run: &'a Run, samples: &'a [Sample]) -> Self {
        let arms: BTreeMap<&str, usize> = run.arms.iter().map(|arm| arm.id.as_str()).zip(0..).collect();
        let benches: BTreeMap<&str, usize> =
            experiment.benches.iter().map(|bench| bench.name.as_str()).zip(0..).collect();
        let width = run.arms.len() * benches.len();
        let mut blocks: BTreeMap<u32, Block<'a>> = BTreeMap::new();
        for sample in samples {
            let block = blocks.entry(sample.block).or_insert_with(|| vec![None; width]);
            if let (Some(arm), Some(bench)) = (arms.get(sample.arm.as_str()), benches.get(sample.bench.as_str())) {
                block[arm * benches.len() + bench].get_or_insert(sample);
            }
        }
        let seen = |place: &usize| blocks.values().any(|block| block[*place].is_some());
        let expected: Vec<usize> = (run.arms.iter().enumerate())
            .flat_map(|(number, arm)| {
                experiment.benches.iter().filter(|bench| runs(arm, bench)).map(move |bench| (number, bench))
            })
            .map(|(number, bench)| number * benches.len() + benches[bench.name.as_str()])
            .filter(seen)
            .collect();
        let begun = blocks.len();
        let is_complete =
            |block: &Block<'_>| !expected.is_empty() && expected.iter().all(|&place| block[place].is_some());
        let complete: Vec<_> = blocks.into_values().filter(is_complete).collect();
        Self { arms, benches, incomplete: begun - complete.len(), complete }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.complete.len()
    }

    /// One number of every arm in each of the first `blocks` complete blocks of a bench.
    pub(super) fn table(&self, blocks: usize, bench: &str, what: &What) -> Table<'_> {
        let bench = self.benches.get(bench).copied();
        let column = |arm: usize| {
            let value =
                |block: &Block<'_>| Value::of(bench.and_then(|bench| block[arm * self.benches.len() + bench]), what);
            self.complete.iter().take(blocks).map(value).collect()
        };
        Table { arms: &self.arms, blocks: blocks.min(self.len()), columns: (0..self.arms.len()).map(column).collect() }
    }

    /// The samples of a bench in the first `blocks` complete blocks, block by block, in design order.
    pub(super) fn samples(&self, blocks: usize, bench: &str) -> impl Iterator<Item = Vec<&'a Sample>> + '_ {
        let (bench, benches) = (self.benches.get(bench).copied(), self.benches.len());
        let of_bench = move |block: &Block<'a>| -> Vec<&'a Sample> {
            bench.map_or_else(Vec::new, |bench| block.iter().skip(bench).step_by(benches).flatten().copied().collect())
        };
        self.complete.iter().take(blocks).map(of_bench)
    }

    /// The names of all phases in the first `blocks` complete blocks of a bench, sorted.
    pub(super) fn phases(&self, blocks: usize, bench: &str) -> BTreeSet<&'a str> {
        let mut names = BTreeSet::new();
        for sample in self.samples(blocks, bench).flatten() {
            for phase in sample.warm.iter().flat_map(|iteration| &iteration.phases) {
                if !names.contains(phase.name.as_str()) {
                    names.insert(phase.name.as_str());
                }
            }
        }
        names
    }
}

/// Which number of a sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct What {
    /// The metric.
    pub(super) metric: Metric,
    /// The iterations it is taken from.
    pub(super) temperature: Temperature,
}

/// One number of every arm in every block.
pub(super) struct Table<'b> {
    arms: &'b BTreeMap<&'b str, usize>,
    blocks: usize,
    /// By arm, then by block.
    columns: Vec<Vec<Value>>,
}

impl Table<'_> {
    /// The numbers of a comparison.
    pub(super) fn numbers(&self, source: &Source<'_>) -> Pairs {
        match source {
            Source::Pair { base, arm } => self.pairs([base, arm]),
            Source::Contrast(weights) => self.contrast(weights),
        }
    }

    /// The pairs of an arm and what it is compared with.
    pub(super) fn pairs(&self, [base, arm]: [&str; 2]) -> Pairs {
        let mut pairs = Pairs::default();
        let (base, arm) = (self.column(base), self.column(arm));
        for block in 0..self.blocks {
            pairs.add(value_at(base, block), value_at(arm, block));
        }
        pairs
    }

    /// The contrast of the logarithms in each block in which all of its arms have a number.
    fn contrast(&self, weights: &Weights) -> Pairs {
        let terms: Vec<(Option<&[Value]>, f64)> =
            weights.terms.iter().map(|(arm, weight)| (self.column(arm), *weight)).collect();
        let [off, on] =
            [&weights.off, &weights.on].map(|arms| arms.iter().map(|arm| self.column(arm)).collect::<Vec<_>>());
        let mut pairs = Pairs::default();
        for block in 0..self.blocks {
            let values: Vec<(Value, f64)> =
                terms.iter().map(|(column, weight)| (value_at(*column, block), *weight)).collect();
            if pairs.add_contrast(&values) {
                pairs.base.extend(geometric_mean(&off, block));
                pairs.arm.extend(geometric_mean(&on, block));
            }
        }
        pairs
    }

    /// For each block in which all of `arms` have a number above zero, those numbers in order.
    pub(super) fn whole_rows(&self, arms: &[&str]) -> Vec<Vec<f64>> {
        let columns: Vec<Option<&[Value]>> = arms.iter().map(|arm| self.column(arm)).collect();
        let number = |column: Option<&[Value]>, block| value_at(column, block).positive();
        (0..self.blocks).filter_map(|block| columns.iter().map(|column| number(*column, block)).collect()).collect()
    }

    fn column(&self, arm: &str) -> Option<&[Value]> {
        self.arms.get(arm).map(|&number| self.columns[number].as_slice())
    }
}

fn value_at(column: Option<&[Value]>, block: usize) -> Value {
    column.and_then(|column| column.get(block)).copied().unwrap_or(Value::Missing)
}

/// Of the numbers above zero. `None` without one.
fn geometric_mean(columns: &[Option<&[Value]>], block: usize) -> Option<f64> {
    let logs: Vec<f64> = columns.iter().filter_map(|column| value_at(*column, block).positive()).map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

impl Pairs {
    /// Blocks that gave no number.
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

    /// Adds a block of weighted values. Whether it gave a number.
    fn add_contrast(&mut self, values: &[(Value, f64)]) -> bool {
        let any = |kind: Value| values.iter().any(|(value, _)| *value == kind);
        self.blocks += 1;
        self.arm_failed += values.iter().filter(|(value, _)| *value == Value::Failed).count();
        self.arm_without += usize::from(any(Value::Missing));
        self.lost_to_failure += usize::from(any(Value::Failed));
        if any(Value::Failed) || any(Value::Missing) {
            return false;
        }
        let logs: Option<f64> = values.iter().map(|(value, weight)| Some(weight * value.positive()?.ln())).sum();
        self.zero += usize::from(logs.is_none());
        self.log_ratios.extend(logs);
        logs.is_some()
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
    fn of(sample: Option<&Sample>, what: &What) -> Self {
        let Some(sample) = sample else { return Self::Missing };
        if sample.status == Status::Failed {
            return Self::Failed;
        }
        let iterations = match what.temperature {
            Temperature::Cold => sample.cold.as_slice(),
            Temperature::Warm => sample.warm.as_slice(),
        };
        let mut sum = 0.0;
        for iteration in iterations {
            let Some(value) = iteration.value(&what.metric) else { return Self::Missing };
            sum += value as f64;
        }
        if iterations.is_empty() { Self::Missing } else { Self::Number(sum / iterations.len() as f64) }
    }

    /// The number, where it is one above zero.
    fn positive(self) -> Option<f64> {
        match self {
            Self::Number(number) if number > 0.0 => Some(number),
            _ => None,
        }
    }
}

/// The mean over a sample's warm iterations of a metric, where it is sound and above zero.
pub(super) fn warm_value(sample: &Sample, metric: &Metric) -> Option<f64> {
    Value::of(Some(sample), &What { metric: metric.clone(), temperature: Temperature::Warm }).positive()
}
