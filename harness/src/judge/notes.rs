//! The sentences beside verdicts: why it is no more than that, and what is missing.

use crate::stats::location::Location;
use crate::stats::signed_rank::{fewest_pairs, smallest_p};

use super::compare::{FUTILE, Rules};
use super::pairs::Pairs;
use super::subjects::Subject;
use super::{Comparison, Look, Verdict};

/// Why no pair has a number.
pub(super) fn measured_nothing(subject: &Subject<'_>, pairs: &Pairs) -> String {
    let Subject { label: arm, what, .. } = subject;
    let (bench, metric) = (&subject.bench.name, what.metric.name());
    if pairs.blocks == 0 {
        return "no block is complete".to_owned();
    }
    if !subject.source.is_ranked() {
        return missing(subject, pairs).unwrap_or_default();
    }
    match missing(subject, pairs) {
        Some(missing) if pairs.base_without < pairs.blocks && pairs.arm_without < pairs.blocks => missing,
        _ if pairs.base_without == pairs.arm_without => format!("neither base nor {arm} has {metric} in bench {bench}"),
        _ if pairs.base_without > pairs.arm_without => format!("base has no {metric} in bench {bench}"),
        _ => format!("{arm} has no {metric} in bench {bench}"),
    }
}

/// Why the verdict is what it is, where it needs words.
pub(super) fn judged(
    comparison: &Comparison,
    subject: &Subject<'_>,
    pairs: &Pairs,
    location: &Location,
    look: Option<&Look>,
    rules: Rules,
) -> Option<String> {
    let reason = match comparison.verdict {
        Verdict::Invalid => {
            Some("more than one pair in five is left out, and what is left may be the lucky part".to_owned())
        }
        Verdict::Inconclusive => Some(inconclusive(subject, pairs.log_ratios.len(), location, rules.margin)),
        _ => look
            .filter(|look| look.number < look.of)
            .map(|look| format!("decided at look {} of {}, after {} blocks", look.number, look.of, look.blocks)),
    };
    let contains = subject.contains.as_ref().map(|other| format!("cannot be told apart from {other}"));
    let parts: Vec<String> =
        reason.into_iter().chain(futile(comparison, rules)).chain(missing(subject, pairs)).chain(contains).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn futile(comparison: &Comparison, rules: Rules) -> Option<String> {
    let (chance, last) = (comparison.chance.filter(|chance| *chance < FUTILE)?, rules.last?);
    let percent = if chance < 0.01 { "less than 1%".to_owned() } else { format!("{:.0}%", 100.0 * chance) };
    Some(format!("futile: going on to {} blocks would settle it with a probability of {percent}", last.blocks))
}

fn inconclusive(subject: &Subject<'_>, pairs: usize, location: &Location, margin: f64) -> String {
    let effect = share(margin);
    if subject.source.is_ranked() && smallest_p(pairs) > location.level {
        let fewest = fewest_pairs(location.level).map_or("more".to_owned(), |fewest| fewest.to_string());
        return format!("{pairs} pairs cannot decide at this level, {fewest} could");
    }
    if location.half_width() > margin {
        let width = share(location.half_width());
        return format!("noise: the interval reaches {width} either way, more than the minimum effect of {effect}");
    }
    if location.excludes_zero() {
        return format!("there is a change, but whether it reaches the minimum effect of {effect} is open");
    }
    format!("the interval holds both no change and the minimum effect of {effect}")
}

/// Pairs that are left out, by cause; of a contrast, blocks.
fn missing(subject: &Subject<'_>, pairs: &Pairs) -> Option<String> {
    let lost = pairs.lost();
    let without = lost - pairs.lost_to_failure - pairs.zero;
    let ranked = subject.source.is_ranked();
    let failed = if ranked {
        format!("a failed sample (base {}, arm {})", pairs.base_failed, pairs.arm_failed)
    } else {
        "a failed sample in one of the arms".to_owned()
    };
    let nothing = if ranked { "no number on one side" } else { "no number in one of the arms" };
    let causes =
        [(pairs.lost_to_failure, failed), (pairs.zero, "a value of 0".to_owned()), (without, nothing.to_owned())];
    let causes: Vec<String> = causes
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, cause)| format!("{count} for {cause}"))
        .collect();
    let what = if ranked { "pairs" } else { "blocks" };
    (lost > 0).then(|| format!("{lost} of {} {what} are left out: {}", pairs.blocks, causes.join(", ")))
}

/// A log-ratio as a share of base: `1.2%`.
pub(super) fn share(log_ratio: f64) -> String {
    let percent = 100.0 * log_ratio.exp_m1();
    let digits = if percent.abs() < 1.0 { 2 } else { 1 };
    format!("{percent:.digits$}%")
}
