//! Base against its twin: the same build under two names, so that what differs is noise.

use crate::experiment::{Bench, Experiment};
use crate::record::{Role, Run};
use crate::stats::location::Location;
use crate::stats::signed_rank::p_value;
use crate::stats::spread::standard_deviation;

use super::pairs::{Blocks, What};
use super::{Interval, Noise, Temperature};

/// The level at which base and its twin may not differ.
pub(super) const LEVEL: f64 = 0.001;

/// The pairs from which on they may not: the fewest that can reach the level, 2^(1−11) = .00098.
pub(super) const FROM_PAIRS: usize = 11;

/// The noise of each bench's metric over the first `blocks` complete blocks.
pub(super) fn noise(experiment: &Experiment, run: &Run, blocks: &Blocks<'_>, first: usize) -> Vec<Noise> {
    let arm = |role| run.arms.iter().find(|arm| arm.role == role).map_or("", |arm| arm.id.as_str());
    let twins = [arm(Role::Base), arm(Role::BaseAgain)];
    experiment.benches.iter().map(|bench| of_bench(bench, blocks, first, twins)).collect()
}

fn of_bench(bench: &Bench, blocks: &Blocks<'_>, first: usize, twins: [&str; 2]) -> Noise {
    let what = What { metric: bench.metric.clone(), temperature: Temperature::Warm };
    let log_ratios = blocks.table(first, &bench.name, &what).pairs(twins).log_ratios;
    let p = (!log_ratios.is_empty()).then(|| p_value(&log_ratios));
    Noise {
        bench: bench.name.clone(),
        pairs: log_ratios.len(),
        spread: standard_deviation(&log_ratios),
        ratio: Location::of(&log_ratios, LEVEL).map(Interval::from),
        p,
        broken: log_ratios.len() >= FROM_PAIRS && p.is_some_and(|p| p <= LEVEL),
    }
}
