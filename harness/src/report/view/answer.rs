//! The answer in a sentence or two, generated from the verdicts alone.

use super::Names;
use crate::experiment::Metric;
use crate::judge::{Comparison, Family, Judgement, Verdict};
use crate::record::Run;
use crate::report::format::{Percent, count, share};
use crate::report::outcome::Outcome;

/// More changes than this are counted, not listed.
const LISTED: usize = 4;

/// What the run says about its question; what forbids trusting it comes first.
pub(in crate::report) fn answer(outcome: Outcome, run: &Run, judgement: &Judgement) -> String {
    let primary: Vec<&Comparison> = judgement.comparisons.iter().filter(|c| c.family == Family::Primary).collect();
    let names = Names::of(run);
    let verdicts = verdicts(&primary, &names, judgement.min_effect);
    match outcome.code {
        4 => format!("{}. {verdicts}", builds(run, &primary)),
        5 => match unfit(judgement, &primary) {
            Some(reason) if primary.iter().any(|c| c.ratio.is_some()) => format!("{reason}. {verdicts}"),
            Some(reason) => format!("{reason}."),
            None => verdicts,
        },
        _ => verdicts,
    }
}

fn builds(run: &Run, primary: &[&Comparison]) -> String {
    let mut arms: Vec<&str> = run.findings.iter().map(|finding| finding.arm.as_str()).collect();
    arms.extend(primary.iter().filter(|c| c.verdict == Verdict::Stale).map(|c| c.arm.as_str()));
    let mut seen = Vec::new();
    arms.retain(|arm| {
        !seen.contains(arm) && {
            seen.push(*arm);
            true
        }
    });
    match arms.as_slice() {
        [one] => format!("The build of {one} is not what it claims, so its numbers answer nothing"),
        many => format!("The builds of {} are not what they claim, so their numbers answer nothing", list(many)),
    }
}

fn unfit(judgement: &Judgement, primary: &[&Comparison]) -> Option<String> {
    let percent = Percent::for_min_effect(judgement.min_effect);
    if let Some(noise) = judgement.noise.iter().find(|noise| noise.broken) {
        let by = noise.ratio.map(|ratio| format!(" {}", percent.by(&ratio))).unwrap_or_default();
        return Some(format!(
            "This machine was unfit: base differs from itself on {}{by}, so nothing is judged",
            noise.bench
        ));
    }
    let nothing: Vec<&&Comparison> = primary.iter().filter(|c| c.verdict == Verdict::MeasuredNothing).collect();
    match nothing.as_slice() {
        [] if primary.is_empty() => Some("Nothing was measured".to_owned()),
        [] => None,
        all if all.len() == primary.len() => {
            Some("Nothing was measured: no block has a number on both sides".to_owned())
        }
        some => {
            let which: Vec<String> = some.iter().map(|c| format!("{} on {}", c.arm, c.bench)).collect();
            Some(format!("No numbers for {}", list(&which)))
        }
    }
}

fn verdicts(primary: &[&Comparison], names: &Names, min_effect: f64) -> String {
    let percent = Percent::for_min_effect(min_effect);
    let with = |verdict| primary.iter().copied().filter(|c| c.verdict == verdict).collect::<Vec<_>>();
    let (regressions, improvements) = (with(Verdict::Regression), with(Verdict::Improvement));
    let (equivalent, inconclusive) = (with(Verdict::Equivalent).len(), with(Verdict::Inconclusive).len());

    let mut changed: Vec<&Comparison> = regressions.clone();
    changed.extend(&improvements);
    let mut clauses: Vec<String> = changed.iter().take(LISTED).map(|c| clause(c, names, percent)).collect();
    if changed.len() > LISTED {
        clauses.push(format!("{} in the table", count(changed.len() - LISTED, "more change")));
    }
    let total = count(primary.len(), "comparison");
    clauses.push(match (changed.is_empty(), regressions.is_empty()) {
        (true, _) if inconclusive == 0 && equivalent == 0 => "no verdict can be given".to_owned(),
        (true, _) if inconclusive == 0 => {
            format!("nothing changed by as much as {}: {} equivalent", share(min_effect), all(equivalent, &total))
        }
        (true, _) if equivalent == 0 => format!("nothing can be said yet: {} inconclusive", all(inconclusive, &total)),
        (true, _) => format!("no change was found, yet {inconclusive} of {total} are inconclusive"),
        (false, _) if inconclusive > 0 => format!("{inconclusive} of {total} are inconclusive"),
        (false, true) => "nothing regressed".to_owned(),
        (false, false) => "nothing else regressed".to_owned(),
    });
    let text = clauses.join("; ");
    // A feature keeps its spelling, also at the start of a sentence.
    if changed.is_empty() { format!("{}.", capital(&text)) } else { format!("{text}.") }
}

fn all(n: usize, total: &str) -> String {
    if n == 1 { "the one comparison is".to_owned() } else { format!("all {n} of {total} are") }
}

fn clause(c: &Comparison, names: &Names, percent: Percent) -> String {
    let worse = c.verdict == Verdict::Regression;
    let by = c.ratio.map(|ratio| percent.by(&ratio)).unwrap_or_default();
    let (what, how) = match &c.metric {
        Metric::PeakRss => (format!("the peak memory of {}", c.bench), if worse { "larger" } else { "smaller" }),
        Metric::Phase(phase) => (format!("{phase} of {}", c.bench), if worse { "slower" } else { "faster" }),
        Metric::Total | Metric::Span => (c.bench.clone(), if worse { "slower" } else { "faster" }),
    };
    let arm = &c.arm;
    match &c.metric {
        Metric::PeakRss if names.is_command(arm) => {
            format!("{arm} needs {how} peak memory than base on {} {by}", c.bench)
        }
        _ if names.is_command(arm) => format!("{arm} is {how} than base on {what} {by}"),
        _ if names.is_together(arm) => format!("{} make {what} {how} {by}", names.subject(arm)),
        _ => format!("{} makes {what} {how} {by}", names.subject(arm)),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

/// `a`, `a and b`, `a, b and c`.
fn list(items: &[impl AsRef<str>]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
