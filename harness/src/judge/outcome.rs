//! What a run comes to: the reason of its exit code.

use crate::record::Run;

use super::{Family, Judgement, Verdict};

/// Why a command ends as it does; the first that applies, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A build is not what its label says, or there is none.
    BuildFinding,
    /// The samples may not be judged: base differs from its twin, or too many pairs are left out.
    Unfit,
    /// A primary comparison has no pair with numbers, or there is none to judge.
    NothingMeasured,
    /// A primary comparison regressed.
    Regression,
    /// A primary comparison is inconclusive.
    Inconclusive,
    /// Everything was decided and nothing regressed.
    Clean,
}

impl Outcome {
    /// The exit code. 2, for usage, configuration and tool errors, is never an outcome of judging.
    pub fn code(self) -> u8 {
        match self {
            Self::BuildFinding => 4,
            Self::Unfit | Self::NothingMeasured => 5,
            Self::Regression => 1,
            Self::Inconclusive => 3,
            Self::Clean => 0,
        }
    }

    /// The reason in words: a fragment.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::BuildFinding => "a build is not what it claims",
            Self::Unfit => "the machine was unfit to judge on",
            Self::NothingMeasured => "something was not measured",
            Self::Regression => "a regression",
            Self::Inconclusive => "a primary comparison is inconclusive",
            Self::Clean => "done, and nothing regressed",
        }
    }
}

/// What a judged run comes to. Secondary comparisons have no say.
pub fn outcome(run: &Run, judgement: &Judgement) -> Outcome {
    let primary = || judgement.comparisons.iter().filter(|comparison| comparison.family == Family::Primary);
    let any = |verdict| primary().any(|comparison| comparison.verdict == verdict);
    if !run.findings.is_empty() || any(Verdict::Stale) {
        Outcome::BuildFinding
    } else if judgement.noise.iter().any(|noise| noise.broken) || any(Verdict::Invalid) {
        Outcome::Unfit
    } else if primary().next().is_none() || any(Verdict::MeasuredNothing) {
        Outcome::NothingMeasured
    } else if any(Verdict::Regression) {
        Outcome::Regression
    } else if any(Verdict::Inconclusive) {
        Outcome::Inconclusive
    } else {
        Outcome::Clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_of_the_command_line() {
        let ordered = [
            (Outcome::BuildFinding, 4),
            (Outcome::Unfit, 5),
            (Outcome::NothingMeasured, 5),
            (Outcome::Regression, 1),
            (Outcome::Inconclusive, 3),
            (Outcome::Clean, 0),
        ];
        for (outcome, code) in ordered {
            assert_eq!(outcome.code(), code, "{outcome:?}");
        }
    }
}
