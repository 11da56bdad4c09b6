//! The answer in a sentence or two, generated from the verdicts alone.

use super::Names;
use crate::experiment::Metric;
use crate::judge::{Comparison, Family, Judgement, Outcome, Verdict};
use crate::record::{FindingKind, Run};
use crate::report::format::{Percent, count, share};
use crate::report::text::clip;

/// More changes than this are counted, not listed.
const LISTED: usize = 4;

/// Names longer than this are cut: a sentence has no room for more.
const NAME_WIDTH: usize = 60;

/// What the run says about its question; what forbids trusting it comes first.
pub(in crate::report) fn answer(outcome: Outcome, run: &Run, judgement: &Judgement) -> String {
    let primary: Vec<&Comparison> = judgement.comparisons.iter().filter(|c| c.family == Family::Primary).collect();
    let names = Names::of(run);
    let verdicts = verdicts(&primary, &names, judgement.min_effect);
    match outcome {
        Outcome::BuildFinding => format!("{}. {verdicts}", builds(run, &primary)),
        Outcome::NothingMeasured | Outcome::Unfit => match unfit(judgement, &primary) {
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
    let arms: Vec<String> = arms.into_iter().map(|arm| clip(arm, NAME_WIDTH)).collect();
    let which = format!("The {} of {}", if arms.len() == 1 { "build" } else { "builds" }, list(&arms));
    if !run.findings.is_empty() && run.findings.iter().all(|finding| finding.kind == FindingKind::BuildFailed) {
        return format!("{which} failed");
    }
    match arms.len() {
        1 => format!("{which} is not what it claims, so its numbers answer nothing"),
        _ => format!("{which} are not what they claim, so their numbers answer nothing"),
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
    let all = |n: usize| if n == primary.len() { format!("all {total}") } else { format!("{n} of {total}") };
    clauses.push(match (changed.is_empty(), regressions.is_empty()) {
        (true, _) if inconclusive == 0 && equivalent == 0 => "no verdict can be given".to_owned(),
        (true, _) if inconclusive == 0 => {
            format!(
                "nothing changed by as much as {}: {} {} equivalent",
                share(min_effect),
                all(equivalent),
                are(equivalent)
            )
        }
        (true, _) if equivalent == 0 => {
            format!("nothing can be said yet: {} {} inconclusive", all(inconclusive), are(inconclusive))
        }
        (true, _) => format!("no change was found, yet {inconclusive} of {total} {} inconclusive", are(inconclusive)),
        (false, _) if inconclusive > 0 => format!("{inconclusive} of {total} {} inconclusive", are(inconclusive)),
        (false, true) => "nothing regressed".to_owned(),
        (false, false) => "nothing else regressed".to_owned(),
    });
    let text = clauses.join("; ");
    // A feature keeps its spelling, also at the start of a sentence.
    if changed.is_empty() { format!("{}.", capital(&text)) } else { format!("{text}.") }
}

fn are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn clause(c: &Comparison, names: &Names, percent: Percent) -> String {
    let bench = clip(&c.bench, NAME_WIDTH);
    let subject = clip(&names.subject(&c.arm), NAME_WIDTH);
    let worse = c.verdict == Verdict::Regression;
    let by = c.ratio.map(|ratio| percent.by(&ratio)).unwrap_or_default();
    let (what, how) = match &c.metric {
        Metric::PeakRss => (format!("the peak memory of {bench}"), if worse { "larger" } else { "smaller" }),
        Metric::Phase(phase) | Metric::Rest(phase) => {
            (format!("{phase} of {bench}"), if worse { "slower" } else { "faster" })
        }
        Metric::Total | Metric::Span => (bench, if worse { "slower" } else { "faster" }),
    };
    match () {
        () if names.is_command(&c.arm) => format!("{subject} is {how} than base on {what} {by}"),
        () if names.is_together(&c.arm) => format!("{subject} make {what} {how} {by}"),
        () => format!("{subject} makes {what} {how} {by}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::outcome;
    use crate::record::Finding;
    use crate::report::tests::fixture::{Fixture, fixture};

    /// The fixture's answer, all primary comparisons equivalent but the first ones, which get these verdicts.
    fn with(verdicts: &[Verdict], change: impl FnOnce(&mut Fixture)) -> String {
        let mut fixture = fixture();
        for (at, comparison) in fixture.judgement.comparisons.iter_mut().enumerate() {
            comparison.verdict = verdicts.get(at).copied().unwrap_or(Verdict::Equivalent);
        }
        change(&mut fixture);
        answer(outcome(&fixture.run, &fixture.judgement), &fixture.run, &fixture.judgement)
    }

    #[test]
    fn changes_are_named_and_the_rest_is_said() {
        use Verdict::{Improvement, Inconclusive, Regression};
        let plain = |verdicts: &[Verdict]| with(verdicts, |_| ());
        assert_eq!(plain(&[]), "Nothing changed by as much as 3%: all 10 comparisons are equivalent.");
        assert_eq!(
            plain(&[Regression]),
            "smallvec (A1) makes synth slower by 6.2% (4.5% to 8.1%); nothing else regressed."
        );
        assert_eq!(
            plain(&[Inconclusive, Improvement]),
            "presize (A2) makes synth faster by 4.9% (3.0% to 6.6%); 1 of 10 comparisons is inconclusive."
        );
        assert_eq!(plain(&[Inconclusive; 10]), "Nothing can be said yet: all 10 comparisons are inconclusive.");
        assert_eq!(plain(&[Inconclusive; 2]), "No change was found, yet 2 of 10 comparisons are inconclusive.");
        assert!(plain(&[Regression; 10]).contains("; 6 more changes in the table; nothing else regressed."));
    }

    #[test]
    fn what_forbids_trust_comes_first() {
        let unfit = with(&[Verdict::Regression], |fixture| fixture.judgement.noise[0].broken = true);
        assert!(unfit.starts_with("This machine was unfit: base differs from itself on synth by 0.2%"), "{unfit}");
        let nothing = with(&[Verdict::MeasuredNothing; 10], |_| ());
        assert!(nothing.starts_with("Nothing was measured: no block has a number on both sides."), "{nothing}");
        let stale = with(&[Verdict::Stale], |_| ());
        assert!(stale.starts_with("The build of A1 is not what it claims"), "{stale}");
        let failed = with(&[Verdict::MeasuredNothing], |fixture| {
            let (arm, evidence, remedy) = ("A1".to_owned(), String::new(), String::new());
            fixture.run.findings.push(Finding { kind: FindingKind::BuildFailed, arm, evidence, remedy });
        });
        assert!(failed.starts_with("The build of A1 failed. "), "{failed}");
    }
}
