//! One comparison as a row: its values as judged, and the text that stands for them everywhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::judge::{Comparison, Family, Interval, Kind, Temperature, Verdict};
use crate::record::{Role, Run, RunArm};
use crate::report::format::{ABSENT, Percent, Unit, count};

/// What arms are called besides their ids.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct Names {
    details: BTreeMap<String, String>,
    commands: BTreeSet<String>,
    /// Arms that switch several factors.
    together: BTreeSet<String>,
}

impl Names {
    pub(in crate::report) fn of(run: &Run) -> Self {
        let base = run.arms.iter().find(|arm| arm.role == Role::Base);
        let detail = |arm: &RunArm| Some((arm.id.clone(), detail(arm, base)?));
        let ids = |keep: fn(&RunArm) -> bool| run.arms.iter().filter(move |arm| keep(arm)).map(|arm| arm.id.clone());
        Self {
            details: run.arms.iter().filter_map(detail).collect(),
            commands: ids(|arm| arm.role == Role::Command).collect(),
            together: ids(|arm| arm.role == Role::Combination && arm.levels.len() > 1).collect(),
        }
    }

    /// What stands behind the id of an arm: the name of the feature that it switches.
    pub(in crate::report) fn detail(&self, arm: &str) -> Option<&str> {
        self.details.get(arm).map(String::as_str)
    }

    /// The arm as the subject of a sentence: `smallvec (A1)`, `A1+A2 together`, `W=12`.
    pub(in crate::report) fn subject(&self, arm: &str) -> String {
        match self.detail(arm) {
            Some(detail) => format!("{detail} ({arm})"),
            None if self.is_together(arm) => format!("{arm} together"),
            None => arm.to_owned(),
        }
    }

    /// Whether the arm is a program of its own instead of a choice of levels.
    pub(in crate::report) fn is_command(&self, arm: &str) -> bool {
        self.commands.contains(arm)
    }

    /// Whether the arm switches several factors.
    pub(in crate::report) fn is_together(&self, arm: &str) -> bool {
        self.together.contains(arm)
    }
}

fn detail(arm: &RunArm, base: Option<&RunArm>) -> Option<String> {
    match arm.role {
        Role::Base => Some("every factor at its first level".to_owned()),
        Role::BaseAgain => Some("base under a second name".to_owned()),
        // The id of an arm that switches several factors names them already.
        Role::Combination if arm.levels.len() > 1 => None,
        Role::Command => None,
        Role::Combination => {
            let common = base.map(|base| base.features.as_slice()).unwrap_or_default();
            let own: Vec<&str> = arm.features.iter().filter(|f| !common.contains(f)).map(String::as_str).collect();
            (!own.is_empty()).then(|| own.join(", "))
        }
    }
}

/// A comparison with the texts that show it.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct Row {
    pub(in crate::report) bench: String,
    /// The arm's id, or what the effect is called.
    pub(in crate::report) arm: String,
    pub(in crate::report) kind: Kind,
    /// Factors and levels of an effect.
    pub(in crate::report) settings: Vec<(String, String)>,
    /// Interactions that it cannot be told apart from.
    pub(in crate::report) contains: Option<String>,
    pub(in crate::report) metric: String,
    pub(in crate::report) unit: Unit,
    pub(in crate::report) temperature: Temperature,
    pub(in crate::report) family: Family,
    pub(in crate::report) pairs: usize,
    pub(in crate::report) failed: usize,
    pub(in crate::report) base: Option<f64>,
    pub(in crate::report) arm_value: Option<f64>,
    pub(in crate::report) ratio: Option<Interval>,
    pub(in crate::report) p: Option<f64>,
    pub(in crate::report) verdict: Verdict,
    pub(in crate::report) detectable: Option<f64>,
    pub(in crate::report) blocks_needed: Option<u32>,
    pub(in crate::report) note: Option<String>,
    #[serde(skip)]
    pub(in crate::report) shown: Shown,
    /// Whether the metric is a phase's time.
    #[serde(skip)]
    pub(in crate::report) is_phase: bool,
}

/// The level of all intervals of some rows, where it is one: comparisons that were decided at different looks differ.
pub(in crate::report) fn common_level<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<f64> {
    let mut levels = rows.filter_map(|row| row.ratio).map(|ratio| ratio.level);
    let first = levels.next()?;
    levels.all(|level| level.total_cmp(&first).is_eq()).then_some(first)
}

/// How a row reads.
#[derive(Clone, Debug)]
pub(in crate::report) struct Shown {
    /// The feature behind the arm's id.
    pub(in crate::report) detail: Option<String>,
    pub(in crate::report) base: String,
    pub(in crate::report) arm_value: String,
    /// The ratio as a change in percent.
    pub(in crate::report) change: String,
    pub(in crate::report) interval: String,
}

impl Row {
    pub(in crate::report) fn new(comparison: &Comparison, names: &Names, percent: Percent) -> Self {
        let unit = Unit::of(&comparison.metric);
        let ratio = comparison.ratio.filter(|ratio| ratio.estimate.is_finite() && ratio.estimate > 0.0);
        let shown = Shown {
            detail: names.detail(&comparison.arm).map(str::to_owned),
            base: unit.show(comparison.base),
            arm_value: unit.show(comparison.arm_value),
            change: ratio.map_or(ABSENT.to_owned(), |ratio| percent.change(ratio.estimate)),
            interval: ratio.map_or(ABSENT.to_owned(), |ratio| percent.interval(&ratio)),
        };
        Self {
            bench: comparison.bench.clone(),
            arm: comparison.arm.clone(),
            kind: comparison.kind,
            settings: comparison.settings.clone(),
            contains: comparison.contains.clone(),
            metric: comparison.metric.name().to_owned(),
            is_phase: matches!(comparison.metric, crate::experiment::Metric::Phase(_)),
            unit,
            temperature: comparison.temperature,
            family: comparison.family,
            pairs: comparison.pairs,
            failed: comparison.failed,
            base: comparison.base,
            arm_value: comparison.arm_value,
            ratio,
            p: comparison.p,
            verdict: comparison.verdict,
            detectable: comparison.detectable,
            blocks_needed: comparison.blocks_needed,
            note: comparison.note.clone(),
            shown,
        }
    }

    /// What explains the verdict: the judge's note, or failed samples; and what an inconclusive comparison would take.
    pub(in crate::report) fn explanation(&self, percent: Percent) -> Option<String> {
        let failed = (self.failed > 0).then(|| format!("{} failed", count(self.failed, "sample")));
        let power = (self.verdict == Verdict::Inconclusive).then(|| self.power(percent)).flatten();
        let parts: Vec<String> = self.note.clone().or(failed).into_iter().chain(power).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn power(&self, percent: Percent) -> Option<String> {
        let detectable = self.detectable.filter(|share| share.is_finite())?;
        let seen = format!("{} pairs like these show {} in four of five runs", self.pairs, percent.size(detectable));
        Some(match self.blocks_needed {
            Some(blocks) => format!("{seen}, and {} would show the minimum effect", count(blocks as usize, "block")),
            None => seen,
        })
    }
}
