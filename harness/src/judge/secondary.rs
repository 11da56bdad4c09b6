//! What explains a verdict but never sets the exit code: phases, the other metrics, memory, cold iterations; in factorial
//! designs interactions and the arms one by one.
//!
//! All secondary comparisons of a run are one family under Benjamini and Hochberg at the experiment's α, at the look the
//! judgement stands at. Their intervals have the level R · α ÷ m (R discoveries among m), at which an interval excludes
//! "no change" exactly where the adjusted p-value is at most α.

use crate::experiment::{Bench, Experiment, Metric};
use crate::stats::multiple::{benjamini_hochberg, discovery_level};

use super::compare::{Nulls, Rules, before_first_look, compare, p_value};
use super::pairs::{Blocks, Pairs, Table, What};
use super::subjects::{Subject, Subjects};
use super::{Comparison, Family, Kind, Look, Temperature};

/// A comparison with its numbers.
type Numbers<'a> = (Subject<'a>, Pairs);

/// The secondary comparisons at `look`, by bench, then by what is compared, then by metric.
///
/// A metric that neither side has is left out; one that only one side has is named.
pub(super) fn secondary(
    experiment: &Experiment,
    blocks: &Blocks<'_>,
    subjects: &Subjects<'_>,
    look: Result<&Look, Option<&Look>>,
    rules: Rules,
    nulls: &Nulls,
) -> Vec<Comparison> {
    let first = look.map_or(blocks.len(), |look| look.blocks as usize);
    let numbers: Vec<Numbers<'_>> =
        experiment.benches.iter().flat_map(|bench| of_bench(bench, blocks, subjects, first)).collect();
    match look {
        Ok(_) => adjusted(&numbers, experiment.measure.alpha, rules, nulls),
        Err(planned) => {
            numbers.iter().map(|(subject, pairs)| before_first_look(subject, pairs, planned, nulls)).collect()
        }
    }
}

/// Everything that explains on one bench: each table of numbers is made once.
fn of_bench<'a>(bench: &Bench, blocks: &Blocks<'_>, subjects: &Subjects<'a>, first: usize) -> Vec<Numbers<'a>> {
    let on_bench = |subject: &&Subject<'a>| subject.bench.name == bench.name;
    let own = What { metric: bench.metric.clone(), temperature: Temperature::Warm };
    let own_table = blocks.table(first, &bench.name, &own);
    let whats = whats(bench, blocks, first);
    let tables: Vec<(What, Table<'_>)> =
        whats.into_iter().map(|what| (what.clone(), blocks.table(first, &bench.name, &what))).collect();
    let again = |subject: &Subject<'a>| -> Vec<Numbers<'a>> {
        let other = |(what, table): &(What, Table<'_>)| {
            let subject = Subject { what: what.clone(), family: Family::Secondary, ..subject.clone() };
            let pairs = table.numbers(&subject.source);
            (subject, pairs)
        };
        tables.iter().map(other).collect()
    };
    let explaining = subjects.explaining.iter().filter(on_bench).flat_map(|subject| {
        let own = (subject.clone(), own_table.numbers(&subject.source));
        // Interactions explain the bench's own metric alone: they would outnumber everything else.
        let others = if subject.kind == Kind::Interaction { Vec::new() } else { again(subject) };
        std::iter::once(own).chain(others).collect::<Vec<_>>()
    });
    subjects.primary.iter().filter(on_bench).flat_map(again).chain(explaining).filter(has_numbers).collect()
}

fn adjusted(numbers: &[Numbers<'_>], alpha: f64, rules: Rules, nulls: &Nulls) -> Vec<Comparison> {
    let raw: Vec<Option<f64>> =
        numbers.iter().map(|(subject, pairs)| p_value(subject, &pairs.log_ratios, nulls)).collect();
    let adjusted = benjamini_hochberg(&raw.iter().flatten().copied().collect::<Vec<_>>());
    let level = discovery_level(&adjusted, alpha);
    let mut adjusted = adjusted.into_iter();
    (numbers.iter().zip(&raw))
        .map(|((subject, pairs), raw)| {
            let mut comparison = compare(subject, pairs, level, None, rules, nulls);
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

fn has_numbers((subject, pairs): &Numbers<'_>) -> bool {
    if !subject.source.is_ranked() {
        return !pairs.log_ratios.is_empty();
    }
    let neither =
        pairs.base_without + pairs.base_failed == pairs.blocks && pairs.arm_without + pairs.arm_failed == pairs.blocks;
    !neither
}
