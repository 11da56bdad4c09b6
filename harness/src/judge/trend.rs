//! Drift along the run, and from the first to the last place of a block: told, never corrected for.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::experiment::{Bench, Experiment};
use crate::record::Run;
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
    /// The last block's values over the first one's, by a straight line through all; of a run in several stays, over the
    /// longest one, by parallel lines through each. Its interval takes blocks as independent.
    pub over_run: Option<Interval>,
    /// A value at the last place of a block over one at the first, by each block's straight line.
    pub within_block: Option<Interval>,
}

/// The trends over the first `blocks` complete blocks.
pub(super) fn trends(experiment: &Experiment, run: &Run, blocks: &Blocks<'_>, first: usize) -> Vec<Trend> {
    experiment.benches.iter().map(|bench| of_bench(bench, run, blocks, first)).collect()
}

fn of_bench(bench: &Bench, run: &Run, blocks: &Blocks<'_>, first: usize) -> Trend {
    let rows = without_arms(bench, blocks, first);
    let mut stays: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (block, row) in rows.iter().filter(|(_, row)| !row.is_empty()) {
        let mean = row.iter().map(|(_, value)| value).sum::<f64>() / row.len() as f64;
        stays.entry(stay(run, *block)).or_default().push(mean);
    }
    let stays: Vec<Vec<f64>> = stays.into_values().collect();
    let longest = stays.iter().map(Vec::len).max().unwrap_or(0);
    let blocks: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
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
        over_run: stretched(slope(&stays, LEVEL), longest.saturating_sub(1) as f64),
        within_block: stretched(mean_slope(&blocks, LEVEL), places),
    }
}

/// The stay that a block belongs to: one machine's level is not another's.
fn stay(run: &Run, block: u32) -> usize {
    run.bundle.as_ref().map_or(0, |bundle| bundle.stays.iter().filter(|stay| stay.first_block <= block).count())
}

/// The place of each sample of a block, and the logarithm of its value.
type Row = Vec<(f64, f64)>;

/// Block by block: its number and its row, less the mean of each arm.
fn without_arms(bench: &Bench, blocks: &Blocks<'_>, first: usize) -> Vec<(u32, Row)> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut rows = Vec::new();
    for samples in blocks.samples(first, &bench.name) {
        let block = samples.first().map_or(0, |sample| sample.block);
        let mut row = Vec::with_capacity(samples.len());
        for sample in samples {
            let Some(value) = warm_value(sample, &bench.metric) else { continue };
            let (sum, count) = sums.entry(&sample.arm).or_default();
            *sum += value.ln();
            *count += 1.0;
            row.push((sample.arm.as_str(), f64::from(sample.position), value.ln()));
        }
        rows.push((block, row));
    }
    let mean = |arm: &str| sums.get(arm).map_or(0.0, |(sum, count)| sum / count);
    let less = |row: Vec<(&str, f64, f64)>| row.into_iter().map(|(arm, place, log)| (place, log - mean(arm))).collect();
    rows.into_iter().map(|(block, row)| (block, less(row))).collect()
}
