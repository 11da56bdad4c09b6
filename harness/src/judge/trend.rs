//! Drift along the run, and from the first to the last place of a block: told, never corrected for.

use serde::Serialize;

use crate::experiment::{Bench, Experiment};
use crate::stats::location::Location;
use crate::stats::trend::{mean_slope, slope};

use super::Interval;
use super::pairs::{Blocks, warm_value};

/// Of the trends' intervals.
const LEVEL: f64 = 0.05;

/// How the machine's speed moved on a bench's metric, whatever the arms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trend {
    /// Bench name.
    pub bench: String,
    /// The last block's values over the first one's, by a straight line through all. Its interval takes blocks as
    /// independent.
    pub over_run: Option<Interval>,
    /// A value at the last place of a block over one at the first, by each block's straight line.
    pub within_block: Option<Interval>,
}

/// The trends over the first `blocks` complete blocks.
pub(super) fn trends(experiment: &Experiment, blocks: &Blocks<'_>, first: usize) -> Vec<Trend> {
    experiment.benches.iter().map(|bench| of_bench(bench, blocks, first)).collect()
}

fn of_bench(bench: &Bench, blocks: &Blocks<'_>, first: usize) -> Trend {
    let blocks = without_arms(bench, blocks, first);
    let means: Vec<f64> = (blocks.iter())
        .filter(|block| !block.is_empty())
        .map(|block| block.iter().map(|(_, value)| value).sum::<f64>() / block.len() as f64)
        .collect();
    let places = blocks.iter().flatten().map(|(place, _)| *place).fold(0.0, f64::max);
    let stretched = |location: Option<Location>, steps: f64| {
        location.map(|Location { estimate, low, high, level, .. }| Interval {
            estimate: (steps * estimate).exp(),
            low: (steps * low).exp(),
            high: (steps * high).exp(),
            level,
        })
    };
    Trend {
        bench: bench.name.clone(),
        over_run: stretched(slope(&means, LEVEL), means.len().saturating_sub(1) as f64),
        within_block: stretched(mean_slope(&blocks, LEVEL), places),
    }
}

/// Block by block: the place of each sample and the logarithm of its value, less the mean of its arm.
fn without_arms(bench: &Bench, blocks: &Blocks<'_>, first: usize) -> Vec<Vec<(f64, f64)>> {
    let mut sums: std::collections::BTreeMap<&str, (f64, f64)> = std::collections::BTreeMap::new();
    let mut rows: Vec<Vec<(&str, f64, f64)>> = Vec::new();
    for samples in blocks.samples(first, &bench.name) {
        let mut row = Vec::with_capacity(samples.len());
        for sample in samples {
            let Some(value) = warm_value(sample, &bench.metric) else { continue };
            let (sum, count) = sums.entry(&sample.arm).or_default();
            *sum += value.ln();
            *count += 1.0;
            row.push((sample.arm.as_str(), f64::from(sample.position), value.ln()));
        }
        rows.push(row);
    }
    let mean = |arm: &str| sums.get(arm).map_or(0.0, |(sum, count)| sum / count);
    let less = |row: Vec<(&str, f64, f64)>| row.into_iter().map(|(arm, place, log)| (place, log - mean(arm))).collect();
    rows.into_iter().map(less).collect()
}
