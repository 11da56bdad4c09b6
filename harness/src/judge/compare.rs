//! One comparison at one look: the numbers, and the rule that makes a verdict of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::rc::Rc;

use crate::stats::equivalence::{inside, reaches};
use crate::stats::hodges_lehmann::{Walsh, median};
use crate::stats::location::Location;
use crate::stats::normal::upper_quantile;
use crate::stats::predictive::Standing;
use crate::stats::signed_rank::{Null, smallest_p};
use crate::stats::student::{self, critical};
use crate::stats::{power, spread};

use super::pairs::Pairs;
use super::plan::FEWEST_FOR_A_MEAN;
use super::subjects::Subject;
use super::{Comparison, Family, Interval, Look, Verdict, notes};

/// A comparison in which more than one pair in five is left out is invalid: a program that fails when it is slow would
/// look fast in what is left.
const MOST_LOST: f64 = 0.2;

/// An open comparison that the last look would settle with a smaller probability is not worth measuring on.
pub(super) const FUTILE: f64 = 0.05;

/// What every comparison of an experiment is judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    /// The minimum effect in log units.
    pub(super) margin: f64,
    /// The last planned look: for the blocks that an effect takes, and for whether going on is of use.
    pub(super) last: Option<Look>,
    /// The level where there is no look.
    pub(super) level: f64,
}

/// The level of a comparison at a look.
pub(super) fn level_at(look: &Look, ranked: bool) -> f64 {
    if ranked { look.level } else { look.mean_level }
}

/// The signed-rank test's distributions, each computed once for a number of pairs.
#[derive(Debug, Default)]
pub(super) struct Nulls(RefCell<BTreeMap<usize, Rc<Null>>>);

impl Nulls {
    fn of(&self, pairs: usize) -> Rc<Null> {
        Rc::clone(self.0.borrow_mut().entry(pairs).or_insert_with(|| Rc::new(Null::of(pairs))))
    }
}

/// The verdict on an interval: inside ± `margin` it is equivalent; where it excludes no change and the estimate is at
/// least `margin`, it is a regression (more) or an improvement (less); else it is inconclusive. No two can hold at once.
pub fn decide(location: &Location, margin: f64) -> Verdict {
    if inside(location, margin) {
        Verdict::Equivalent
    } else if !location.excludes_zero() || !reaches(location, margin) {
        Verdict::Inconclusive
    } else if location.estimate > 0.0 {
        Verdict::Regression
    } else {
        Verdict::Improvement
    }
}

/// Estimate and interval: of pairs by ranks, of a contrast by its mean. `None` without values.
pub(super) fn locate(subject: &Subject<'_>, values: &[f64], level: f64, nulls: &Nulls) -> Option<Location> {
    if subject.source.is_ranked() {
        return Some(Walsh::of(values)?.location(level, &nulls.of(values.len())));
    }
    student::mean(values, level)
}

/// The p-value alone, which is cheaper.
pub(super) fn p_value(subject: &Subject<'_>, values: &[f64], nulls: &Nulls) -> Option<f64> {
    if subject.source.is_ranked() {
        return Some(Walsh::of(values)?.p_value(&nulls.of(values.len())));
    }
    Some(student::mean(values, 1.0)?.p)
}

/// Judges the numbers at a level. `look` is the planned look, for the note; secondary comparisons have none.
pub(super) fn compare(
    subject: &Subject<'_>,
    pairs: &Pairs,
    level: f64,
    look: Option<&Look>,
    rules: Rules,
    nulls: &Nulls,
) -> Comparison {
    let mut comparison = unjudged(subject, pairs);
    let Some(location) = locate(subject, &pairs.log_ratios, level, nulls) else { return comparison };
    let scatter = Scatter::of(subject, pairs);
    comparison.ratio = Some(Interval::from(location));
    comparison.p = Some(location.p);
    comparison.detectable = scatter.detectable(level).map(f64::exp_m1);
    if subject.family == Family::Primary {
        comparison.blocks_needed = scatter.needed(rules);
    }
    comparison.verdict = if too_many_lost(pairs) { Verdict::Invalid } else { decide(&location, rules.margin) };
    if comparison.verdict == Verdict::Inconclusive {
        comparison.chance = look.and_then(|look| scatter.chance(&location, look, rules));
    }
    comparison.note = notes::judged(&comparison, subject, pairs, &location, look, rules);
    comparison
}

/// How far a comparison's numbers scatter, and by which test they are judged.
struct Scatter {
    ranked: bool,
    spread: f64,
    values: usize,
    blocks: usize,
}

impl Scatter {
    fn of(subject: &Subject<'_>, pairs: &Pairs) -> Self {
        let ranked = subject.source.is_ranked();
        let spread =
            if ranked { spread::robust(&pairs.log_ratios) } else { spread::standard_deviation(&pairs.log_ratios) };
        Self { ranked, spread: spread.unwrap_or(f64::NAN), values: pairs.log_ratios.len(), blocks: pairs.blocks }
    }

    fn detectable(&self, level: f64) -> Option<f64> {
        if self.ranked {
            power::detectable(self.spread, self.values, level)
        } else {
            power::detectable_mean(self.spread, self.values, level)
        }
    }

    fn needed(&self, rules: Rules) -> Option<u32> {
        let level = rules.last.map_or(rules.level, |look| level_at(&look, self.ranked));
        if self.ranked {
            power::pairs_needed(self.spread, rules.margin, level)
        } else {
            power::blocks_needed(self.spread, rules.margin, level, FEWEST_FOR_A_MEAN)
        }
    }

    /// The probability that the last look settles it; none at the last look itself.
    fn chance(&self, now: &Location, look: &Look, rules: Rules) -> Option<f64> {
        let last = rules.last.filter(|last| last.number > look.number)?;
        // As large a share of blocks will be left out as so far.
        let last_blocks = last.blocks as usize * self.values / self.blocks.max(1);
        let scale = if self.ranked { self.spread * (PI / 3.0).sqrt() } else { self.spread };
        let level = level_at(&last, self.ranked);
        let quantile = if !self.ranked {
            critical(level, last_blocks.saturating_sub(1))
        } else if smallest_p(last_blocks) > level {
            f64::INFINITY
        } else {
            upper_quantile(0.5 * level)
        };
        let standing = Standing {
            estimate: now.estimate,
            spread: scale,
            blocks: self.values,
            last_half_width: quantile * scale / (last_blocks as f64).sqrt(),
            last_blocks,
            margin: rules.margin,
        };
        Some(standing.chance()).filter(|chance| chance.is_finite())
    }
}

/// The numbers before the first look: an estimate, bounded by nothing, and no verdict.
pub(super) fn before_first_look(
    subject: &Subject<'_>,
    pairs: &Pairs,
    first: Option<&Look>,
    nulls: &Nulls,
) -> Comparison {
    let mut comparison = unjudged(subject, pairs);
    let level = first.map_or(0.0, |look| level_at(look, subject.source.is_ranked()));
    if let Some(location) = locate(subject, &pairs.log_ratios, 0.0, nulls) {
        let unbounded = Location { low: f64::NEG_INFINITY, high: f64::INFINITY, level, ..location };
        comparison.ratio = Some(Interval::from(unbounded));
        comparison.verdict = Verdict::Inconclusive;
        comparison.note = first.map(|look| format!("the first look is at {} blocks", look.blocks));
    }
    comparison
}

/// Medians and counts; measured nothing, until something says otherwise.
fn unjudged(subject: &Subject<'_>, pairs: &Pairs) -> Comparison {
    Comparison {
        bench: subject.bench.name.clone(),
        arm: subject.label.clone(),
        kind: subject.kind,
        settings: subject.settings.clone(),
        arms: subject.arms.clone(),
        contains: subject.contains.clone(),
        metric: subject.what.metric.clone(),
        temperature: subject.what.temperature,
        family: subject.family,
        pairs: pairs.log_ratios.len(),
        failed: pairs.arm_failed,
        base: median(&mut pairs.base.clone()),
        arm_value: median(&mut pairs.arm.clone()),
        ratio: None,
        p: None,
        verdict: Verdict::MeasuredNothing,
        detectable: None,
        blocks_needed: None,
        chance: None,
        note: Some(notes::measured_nothing(subject, pairs)),
    }
}

fn too_many_lost(pairs: &Pairs) -> bool {
    pairs.lost() as f64 > MOST_LOST * pairs.blocks as f64
}

impl From<Location> for Interval {
    /// From log-ratios to ratios: an end of −∞ becomes 0.
    fn from(location: Location) -> Self {
        Self {
            estimate: location.estimate.exp(),
            low: location.low.exp(),
            high: location.high.exp(),
            level: location.level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::equivalence::margin;

    fn shares(low: f64, estimate: f64, high: f64) -> Location {
        Location { estimate: estimate.ln_1p(), low: low.ln_1p(), high: high.ln_1p(), level: 0.05, p: 0.5 }
    }

    /// rustbgpd#566 and neqo#1771: three intervals against a minimum effect of 1.2%.
    #[test]
    fn wide_is_inconclusive_clear_is_regression_and_narrow_is_equivalent() {
        let margin = margin(0.012);
        assert_eq!(decide(&shares(-0.15, 0.05, 0.26), margin), Verdict::Inconclusive);
        assert_eq!(decide(&shares(0.02, 0.04, 0.061), margin), Verdict::Regression);
        assert_eq!(decide(&shares(0.004, 0.006, 0.009), margin), Verdict::Equivalent);
    }

    #[test]
    fn less_is_an_improvement() {
        assert_eq!(decide(&shares(-0.061, -0.04, -0.02), margin(0.012)), Verdict::Improvement);
    }

    #[test]
    fn a_real_change_below_the_minimum_effect_is_not_called_either_way() {
        // Excludes no change, but neither reaches 1.2% nor lies within it.
        assert_eq!(decide(&shares(0.004, 0.010, 0.016), margin(0.012)), Verdict::Inconclusive);
    }
}
