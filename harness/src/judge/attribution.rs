//! Where the whole comes from: the arm with every factor on against base, as a sum of what each factor and each pair of
//! factors contributes, and a rest that these do not explain.
//!
//! The parts are contrasts like every other, taken in the blocks in which all arms have a number, once of the logarithms and
//! once of the values as they are. So within each block, and on average, parts and rest add up to the whole exactly: as
//! factors that multiply on the log scale, as seconds (or bytes) on the other. The rest holds interactions of three and
//! more factors, and whatever else the model lacks; its interval says whether there is anything.

use serde::Serialize;

use crate::design::factorial::{Estimator, Setting, pairs};
use crate::experiment::{Bench, Experiment};
use crate::record::{Role, RunArm};
use crate::stats::least_squares::dot;
use crate::stats::location::Location;
use crate::stats::student::mean;

use super::pairs::{Blocks, What};
use super::subjects::Factors;
use super::{Interval, Look, Temperature};

/// What the factors together make of a bench's metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attribution {
    /// Bench name.
    pub bench: String,
    /// How the whole is divided.
    pub ledger: Ledger,
    /// Blocks in which every arm has a number.
    pub blocks: usize,
    /// The arm with every factor on against base.
    pub whole: Part,
    /// In factors' order, then pairs.
    pub parts: Vec<Part>,
    /// What the parts do not add up to. `None` where they add up by construction.
    pub rest: Option<Part>,
}

/// How a whole is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ledger {
    /// What each factor does alone, and what each pair does beyond that.
    AloneAndPairs,
    /// The main effects: each factor averaged over the others, so that each has half of what it does with another.
    MainEffects,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// `A1`, `W=12`, `A1×A4`; an arm's id; `rest`.
    pub label: String,
    /// By what it multiplies.
    pub ratio: Interval,
    /// What it adds: nanoseconds or bytes.
    pub units: Interval,
}

/// One attribution for each bench whose arms show the parts.
pub(super) fn attributions(
    experiment: &Experiment,
    arms: &[RunArm],
    blocks: &Blocks<'_>,
    look: &Look,
) -> Vec<Attribution> {
    if !experiment.design.is_factorial() {
        return Vec::new();
    }
    experiment.benches.iter().filter_map(|bench| of_bench(experiment, bench, arms, blocks, look)).collect()
}

fn of_bench(
    experiment: &Experiment,
    bench: &Bench,
    arms: &[RunArm],
    blocks: &Blocks<'_>,
    look: &Look,
) -> Option<Attribution> {
    let factors = Factors::of(experiment, bench, arms);
    let base = arms.iter().find(|arm| arm.role == Role::Base)?;
    let whole = with_all(&factors, arms)?;
    let (ledger, parts) = ledger(&factors)?;
    // One weight for each measured arm; every part is a row over the same arms.
    let mut ids: Vec<String> = Vec::new();
    let terms: Vec<(String, Vec<(String, f64)>)> =
        parts.into_iter().map(|(label, estimator)| (label, factors.measured(&estimator.weights))).collect();
    let difference = vec![(measured(whole), 1.0), (measured(base), -1.0)];
    for (id, _) in terms.iter().flat_map(|(_, terms)| terms).chain(&difference) {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    let row = |terms: &[(String, f64)]| -> Vec<f64> {
        ids.iter().map(|id| terms.iter().filter(|(known, _)| known == id).map(|(_, weight)| weight).sum()).collect()
    };
    let whole_row = row(&difference);
    let rows: Vec<(String, Vec<f64>)> = terms.iter().map(|(label, terms)| (label.clone(), row(terms))).collect();
    let explained = |at: usize| rows.iter().map(|(_, row)| row[at]).sum::<f64>();
    let rest: Vec<f64> = whole_row.iter().enumerate().map(|(at, weight)| weight - explained(at)).collect();

    let what = What { metric: bench.metric.clone(), temperature: Temperature::Warm };
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    let values = blocks.table(look.blocks as usize, &bench.name, &what).whole_rows(&names);
    let part = |label: &str, row: &[f64]| entry(label, row, &values, look.mean_level);
    Some(Attribution {
        bench: bench.name.clone(),
        ledger,
        blocks: values.len(),
        whole: part(&whole.id, &whole_row)?,
        parts: rows.iter().map(|(label, row)| part(label, row)).collect::<Option<_>>()?,
        rest: rest.iter().any(|weight| weight.abs() > 1e-9).then(|| part("rest", &rest)).flatten(),
    })
}

fn measured(arm: &RunArm) -> String {
    arm.same_as.clone().unwrap_or_else(|| arm.id.clone())
}

/// The arm with each factor at its last level: a cell, or the one that stands beside a fraction.
fn with_all<'a>(factors: &Factors<'_>, arms: &'a [RunArm]) -> Option<&'a RunArm> {
    let has_last = |arm: &RunArm| {
        factors.cells.factors.iter().all(|factor| {
            let last = factor.lever.named_levels().and_then(<[String]>::last).map_or("on", String::as_str);
            arm.levels.get(&factor.id).is_some_and(|level| level == last)
        })
    };
    arms.iter().find(|arm| arm.role == Role::Combination && has_last(arm))
}

/// The parts that the arms show: alone and in pairs where all of these are clear, else the main effects.
fn ledger(factors: &Factors<'_>) -> Option<(Ledger, Vec<(String, Estimator)>)> {
    let (cells, model) = (&factors.cells, &factors.model);
    let last = |factor: usize| -> Setting { (factor, cells.levels[factor] - 1) };
    let count = cells.factors.len();
    let clear = |estimator: &Estimator| estimator.aliases.is_empty();
    let alone = (0..count).map(|factor| Some((cells.name(last(factor)), model.alone(last(factor)).filter(clear)?)));
    let together = pairs(count).map(|(one, other)| {
        let name = format!("{}×{}", cells.name(last(one)), cells.name(last(other)));
        Some((name, model.interaction(last(one), last(other)).filter(clear)?))
    });
    if let Some(parts) = alone.chain(together).collect::<Option<Vec<_>>>() {
        return Some((Ledger::AloneAndPairs, parts));
    }
    let main = (0..count).map(|factor| Some((cells.name(last(factor)), model.main(last(factor))?)));
    Some((Ledger::MainEffects, main.collect::<Option<Vec<_>>>()?))
}

/// A row of weights over all blocks, on both scales.
fn entry(label: &str, row: &[f64], values: &[Vec<f64>], level: f64) -> Option<Part> {
    let logs: Vec<f64> =
        values.iter().map(|block| dot(row, &block.iter().map(|value| value.ln()).collect::<Vec<_>>())).collect();
    let plain: Vec<f64> = values.iter().map(|block| dot(row, block)).collect();
    let Location { estimate, low, high, level, .. } = mean(&plain, level)?;
    Some(Part {
        label: label.to_owned(),
        ratio: Interval::from(mean(&logs, level)?),
        units: Interval { estimate, low, high, level },
    })
}
