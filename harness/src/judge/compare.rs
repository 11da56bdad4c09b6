//! One comparison at one look: the numbers, and the rule that makes a verdict of them.

use crate::stats::equivalence::{inside, reaches};
use crate::stats::hodges_lehmann::{Location, median};
use crate::stats::power;
use crate::stats::spread;

use super::pairs::{Pairs, What};
use super::{Comparison, Family, Interval, Look, Verdict, notes};

/// A comparison in which more than one pair in five is left out is invalid: a program that fails when it is slow would
/// look fast in what is left.
const MOST_LOST: f64 = 0.2;

/// What is compared with base.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subject<'a> {
    /// Bench name.
    pub(super) bench: &'a str,
    /// Arm id.
    pub(super) arm: &'a str,
    /// Metric and iterations.
    pub(super) what: What,
    /// Whether it sets the exit code.
    pub(super) family: Family,
}

/// What every comparison of an experiment is judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    /// The minimum effect in log units.
    pub(super) margin: f64,
    /// The level of the last planned look, for the blocks that an effect takes.
    pub(super) final_level: f64,
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

/// Judges the pairs at a level. `look` is the planned look, for the note; secondary comparisons have none.
pub(super) fn compare(
    subject: &Subject<'_>,
    pairs: &Pairs,
    level: f64,
    look: Option<&Look>,
    rules: Rules,
) -> Comparison {
    let mut comparison = unjudged(subject, pairs);
    let Some(location) = Location::of(&pairs.log_ratios, level) else { return comparison };
    let spread = spread::robust(&pairs.log_ratios).unwrap_or(f64::NAN);
    comparison.ratio = Some(Interval::from(location));
    comparison.p = Some(location.p);
    comparison.detectable = power::detectable(spread, pairs.log_ratios.len(), level).map(f64::exp_m1);
    if subject.family == Family::Primary {
        comparison.blocks_needed = power::pairs_needed(spread, rules.margin, rules.final_level);
    }
    comparison.verdict = if too_many_lost(pairs) { Verdict::Invalid } else { decide(&location, rules.margin) };
    comparison.note = notes::judged(comparison.verdict, pairs, &location, look, rules);
    comparison
}

/// The pairs before the first look: an estimate, bounded by nothing, and no verdict.
pub(super) fn before_first_look(subject: &Subject<'_>, pairs: &Pairs, first: Option<&Look>) -> Comparison {
    let mut comparison = unjudged(subject, pairs);
    let level = first.map_or(0.0, |look| look.level);
    if let Some(location) = Location::of(&pairs.log_ratios, 0.0) {
        comparison.ratio = Some(Interval { level, ..Interval::from(location) });
        comparison.verdict = Verdict::Inconclusive;
        comparison.note = first.map(|look| format!("the first look is at {} blocks", look.blocks));
    }
    comparison
}

/// Medians and counts; measured nothing, until something says otherwise.
fn unjudged(subject: &Subject<'_>, pairs: &Pairs) -> Comparison {
    Comparison {
        bench: subject.bench.to_owned(),
        arm: subject.arm.to_owned(),
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
