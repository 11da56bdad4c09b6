//! What a run comes to: its exit code and what that code means.
//!
//! The order is that of the exit codes' table: a build that is not what it claims outranks an unfit machine, that
//! outranks a regression, and that an inconclusive comparison. Usage and tool errors (2) never get here.

use serde::Serialize;

use crate::judge::{Comparison, Family, Judgement, Verdict};
use crate::record::Run;

/// The exit code of a run and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The process's exit code.
    pub code: u8,
    /// The code in words.
    pub meaning: &'static str,
}

/// What the run comes to, by its findings, its noise and its primary verdicts.
pub fn outcome(run: &Run, judgement: &Judgement) -> Outcome {
    let primary = || judgement.comparisons.iter().filter(|c| c.family == Family::Primary);
    let any = |verdict| primary().any(|c: &Comparison| c.verdict == verdict);
    let broken = judgement.noise.iter().any(|noise| noise.broken);
    let (code, meaning) = match () {
        () if !run.findings.is_empty() || any(Verdict::Stale) => (4, "a build is not what it claims"),
        () if broken || any(Verdict::Invalid) => (5, "the machine was unfit to judge on"),
        () if primary().next().is_none() || any(Verdict::MeasuredNothing) => (5, "something was not measured"),
        () if any(Verdict::Regression) => (1, "a regression"),
        () if any(Verdict::Inconclusive) => (3, "a primary comparison is inconclusive"),
        () => (0, "done, and nothing regressed"),
    };
    Outcome { code, meaning }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Finding, FindingKind};
    use crate::report::tests::fixture::fixture;

    #[test]
    fn the_worst_that_applies_sets_the_code() {
        let mut fixture = fixture();
        let steps: [(Verdict, u8); 5] = [
            (Verdict::Equivalent, 0),
            (Verdict::Improvement, 0),
            (Verdict::Inconclusive, 3),
            (Verdict::Regression, 1),
            (Verdict::MeasuredNothing, 5),
        ];
        for comparison in &mut fixture.judgement.comparisons {
            comparison.verdict = Verdict::Equivalent;
        }
        // Every step leaves the earlier ones in place: the later outranks them.
        for (at, (verdict, code)) in steps.into_iter().enumerate() {
            fixture.judgement.comparisons[at].verdict = verdict;
            assert_eq!(outcome(&fixture.run, &fixture.judgement).code, code, "{verdict:?}");
        }
        fixture.run.findings.push(Finding {
            kind: FindingKind::Inert,
            arm: "A1".to_owned(),
            evidence: String::new(),
            remedy: String::new(),
        });
        assert_eq!(outcome(&fixture.run, &fixture.judgement).code, 4);
    }

    #[test]
    fn secondary_comparisons_and_noise_within_bounds_set_nothing() {
        let mut fixture = fixture();
        for comparison in &mut fixture.judgement.comparisons {
            let primary = comparison.family == Family::Primary;
            comparison.verdict = if primary { Verdict::Equivalent } else { Verdict::Regression };
        }
        assert_eq!(outcome(&fixture.run, &fixture.judgement).code, 0);
        fixture.judgement.noise[1].broken = true;
        assert_eq!(outcome(&fixture.run, &fixture.judgement).code, 5);
    }
}
