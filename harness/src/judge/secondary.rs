//! What explains a verdict but never sets the exit code: phases, the other metrics, memory, cold iterations.
//!
//! All secondary comparisons of a run are one family under Benjamini and Hochberg at the experiment's α, at the look the
//! judgement stands at. Their intervals have the level R · α ÷ m (R discoveries among m), at which an interval excludes
//! "no change" exactly where the adjusted p-value is at most α.

use crate::experiment::{Bench, Experiment, Metric};
use crate::stats::hodges_lehmann::Location;
use crate::stats::multiple::{benjamini_hochberg, discovery_level};

use super::compare::{Rules, Subject, before_first_look, compare};
use super::pairs::{Blocks, Pairs, What};
use super::{Comparison, Family, Look, Temperature};

/// The secondary comparisons at `look`, by bench, then by arm, then by metric.
///
/// `arms` are the arms compared on each bench, in design order. A metric that neither side has is left out; one that
/// only one side has is named.
pub(super) fn secondary(
    experiment: &Experiment,
    blocks: &Blocks<'_>,
    base: &str,
    arms: &[(&Bench, &str)],
    look: Result<&Look, Option<&Look>>,
    rules: Rules,
) -> Vec<Comparison> {
    let first = look.map_or(blocks.len(), |look| look.blocks as usize);
    let with_pairs: Vec<(Subject<'_>, Pairs)> = (arms.iter())
        .flat_map(|&(bench, arm)| whats(bench, blocks, first).into_iter().map(move |what| subject(bench, arm, what)))
        .map(|subject| {
            let pairs = blocks.pairs(first, subject.bench, [base, subject.arm], &subject.what);
            (subject, pairs)
        })
        .filter(|(_, pairs)| has_numbers(pairs))
        .collect();
    match look {
        Ok(_) => adjusted(&with_pairs, experiment.measure.alpha, rules),
        Err(planned) => with_pairs.iter().map(|(subject, pairs)| before_first_look(subject, pairs, planned)).collect(),
    }
}

fn adjusted(with_pairs: &[(Subject<'_>, Pairs)], alpha: f64, rules: Rules) -> Vec<Comparison> {
    let raw: Vec<Option<f64>> =
        with_pairs.iter().map(|(_, pairs)| Location::of(&pairs.log_ratios, alpha).map(|location| location.p)).collect();
    let adjusted = benjamini_hochberg(&raw.iter().flatten().copied().collect::<Vec<_>>());
    let level = discovery_level(&adjusted, alpha);
    let mut adjusted = adjusted.into_iter();
    (with_pairs.iter().zip(&raw))
        .map(|((subject, pairs), raw)| {
            let mut comparison = compare(subject, pairs, level, None, rules);
            comparison.p = raw.and_then(|_| adjusted.next());
            comparison
        })
        .collect()
}

/// The other whole-iteration metrics and all phases, warm; and the bench's own metric, cold.
fn whats(bench: &Bench, blocks: &Blocks<'_>, first: usize) -> Vec<What> {
    let phases = blocks.phases(first, &bench.name).into_iter().map(|name| Metric::Phase(name.to_owned()));
    let warm = [Metric::Total, Metric::Span, Metric::PeakRss].into_iter().chain(phases);
    let warm = warm.filter(|metric| *metric != bench.metric);
    let warm = warm.map(|metric| What { metric, temperature: Temperature::Warm });
    warm.chain([What { metric: bench.metric.clone(), temperature: Temperature::Cold }]).collect()
}

fn subject<'a>(bench: &'a Bench, arm: &'a str, what: What) -> Subject<'a> {
    Subject { bench: &bench.name, arm, what, family: Family::Secondary }
}

fn has_numbers(pairs: &Pairs) -> bool {
    let neither =
        pairs.base_without + pairs.base_failed == pairs.blocks && pairs.arm_without + pairs.arm_failed == pairs.blocks;
    !neither
}
