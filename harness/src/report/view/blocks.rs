//! What samples look like block by block and phase by phase: values as they were recorded, for charts.

use serde::Serialize;

use super::Row;
use crate::experiment::Metric;
use crate::judge::Temperature;
use crate::record::{Measurement, Role, Run, RunArm, Sample, Status};

/// The values of a bench's metric over the blocks, arm by arm.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Series {
    /// In design order, base first.
    pub(in crate::report) arms: Vec<Points>,
}

/// One arm's values.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Points {
    pub(in crate::report) arm: String,
    pub(in crate::report) role: Role,
    /// Block and value, ascending.
    pub(in crate::report) values: Vec<(u32, f64)>,
    /// Blocks whose sample failed.
    pub(in crate::report) failed: Vec<u32>,
}

impl Series {
    pub(super) fn new(run: &Run, samples: &[Sample], bench: &str, metric: &Metric, at: Temperature) -> Self {
        let points = |arm: &RunArm| {
            let own = || samples.iter().filter(|s| s.bench == bench && s.arm == arm.id);
            let mut values: Vec<(u32, f64)> =
                own().filter_map(|sample| Some((sample.block, value(sample, metric, at)?))).collect();
            values.sort_by_key(|(block, _)| *block);
            let failed = own().filter(|s| s.status == Status::Failed).map(|s| s.block).collect();
            Points { arm: arm.id.clone(), role: arm.role, values, failed }
        };
        let arms = run.arms.iter().map(points).filter(|p| !p.values.is_empty() || !p.failed.is_empty());
        Self { arms: arms.collect() }
    }
}

/// One iteration of one arm, whose metric lies closest to the arm's median: its phases as they ran.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Timeline {
    pub(in crate::report) arm: String,
    pub(in crate::report) block: u32,
    /// From the start to the last thing recorded.
    pub(in crate::report) length_ns: u64,
    pub(in crate::report) bars: Vec<Bar>,
}

/// A phase in a timeline. Bars of one lane do not overlap.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Bar {
    pub(in crate::report) phase: String,
    pub(in crate::report) start_ns: u64,
    pub(in crate::report) ns: u64,
    pub(in crate::report) lane: usize,
}

/// The timelines of base and of each compared arm that recorded phases.
pub(super) fn timelines(
    run: &Run,
    samples: &[Sample],
    primary: &[Row],
    metric: &Metric,
    at: Temperature,
    bench: &str,
) -> Vec<Timeline> {
    let base = run.arms.iter().find(|arm| arm.role == Role::Base);
    let base = base.zip(primary.iter().find_map(|row| row.base)).map(|(arm, median)| (arm.id.as_str(), median));
    let arms = primary.iter().filter_map(|row| Some((row.arm.as_str(), row.arm_value?)));
    base.into_iter().chain(arms).filter_map(|(arm, median)| timeline(samples, arm, bench, metric, at, median)).collect()
}

fn timeline(
    samples: &[Sample],
    arm: &str,
    bench: &str,
    metric: &Metric,
    at: Temperature,
    median: f64,
) -> Option<Timeline> {
    let of_arm = samples.iter().filter(|s| s.arm == arm && s.bench == bench && s.status == Status::Ok);
    let (block, chosen) = of_arm
        .flat_map(|sample| iterations(sample, at).iter().map(|m| (sample.block, m)))
        .filter(|(_, m)| !m.phases.is_empty())
        .filter_map(|(block, m)| Some((block, m, (m.value(metric)? as f64 - median).abs())))
        .min_by(|a, b| a.2.total_cmp(&b.2))
        .map(|(block, m, _)| (block, m))?;
    let ends = chosen.phases.iter().map(|phase| phase.start_ns.saturating_add(phase.ns));
    let length_ns = ends.chain(chosen.span_ns).chain(chosen.total_ns).max()?;
    Some(Timeline { arm: arm.to_owned(), block, length_ns, bars: lanes(chosen) })
}

/// Gives each phase the first lane that is free when it starts.
fn lanes(measurement: &Measurement) -> Vec<Bar> {
    let mut phases: Vec<_> = measurement.phases.iter().collect();
    phases.sort_by_key(|phase| phase.start_ns);
    let mut free_from: Vec<u64> = Vec::new();
    let mut bars = Vec::with_capacity(phases.len());
    for phase in phases {
        let end = phase.start_ns.saturating_add(phase.ns);
        let lane = free_from.iter().position(|free| *free <= phase.start_ns).unwrap_or(free_from.len());
        match free_from.get_mut(lane) {
            Some(free) => *free = end,
            None => free_from.push(end),
        }
        bars.push(Bar { phase: phase.name.clone(), start_ns: phase.start_ns, ns: phase.ns, lane });
    }
    bars
}

/// A sample's value: its warm iterations averaged, or its cold one. `None` for a failed sample.
fn value(sample: &Sample, metric: &Metric, at: Temperature) -> Option<f64> {
    (sample.status == Status::Ok).then(|| average(iterations(sample, at), metric)).flatten()
}

/// The average over iterations, all of which must have the metric.
pub(in crate::report) fn average(iterations: &[Measurement], metric: &Metric) -> Option<f64> {
    let values: Vec<f64> =
        iterations.iter().map(|m| m.value(metric).map(|value| value as f64)).collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn iterations(sample: &Sample, at: Temperature) -> &[Measurement] {
    match at {
        Temperature::Cold => sample.cold.as_slice(),
        Temperature::Warm => &sample.warm,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Phase;

    #[test]
    fn phases_that_overlap_get_lanes_and_others_share_one() {
        let phase = |name: &str, start_ns, ns| Phase { name: name.to_owned(), start_ns, ns };
        let phases = vec![phase("a", 0, 10), phase("b", 5, 10), phase("c", 10, 1), phase("d", u64::MAX, 9)];
        let bars = lanes(&Measurement { phases, ..Measurement::default() });
        let placed: Vec<_> = bars.iter().map(|bar| (bar.phase.as_str(), bar.lane)).collect();
        assert_eq!(placed, [("a", 0), ("b", 1), ("c", 0), ("d", 0)]);
    }

    #[test]
    fn a_value_is_the_average_of_all_iterations_or_none() {
        let spans = |spans: &[Option<u64>]| -> Vec<Measurement> {
            spans.iter().map(|span_ns| Measurement { span_ns: *span_ns, ..Measurement::default() }).collect()
        };
        assert_eq!(average(&spans(&[Some(2), Some(4)]), &Metric::Span), Some(3.0));
        assert_eq!(average(&spans(&[Some(2), None]), &Metric::Span), None);
        assert_eq!(average(&[], &Metric::Span), None);
    }
}
