//! What a run comes to: the reason of its exit code.

use crate::record::Run;

use super::{Family, Judgement, Verdict};

/// Why a command ends as it does; the first that applies, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A build is not what its label says, or there is none.
    BuildFinding,
    /// A primary comparison has no pair with numbers, or there is none to judge.
    NothingMeasured,
    /// The samples may not be judged: base differs from its twin, or too many samples failed.
    Unfit,
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
            Self::NothingMeasured | Self::Unfit => 5,
            Self::Regression => 1,
            Self::Inconclusive => 3,
            Self::Clean => 0,
        }
    }
}

/// What a judged run comes to. Secondary comparisons have no say.
pub fn outcome(run: &Run, judgement: &Judgement) -> Outcome {
    let primary = || judgement.comparisons.iter().filter(|comparison| comparison.family == Family::Primary);
    let any = |verdict| primary().any(|comparison| comparison.verdict == verdict);
    if !run.findings.is_empty() || any(Verdict::Stale) {
        Outcome::BuildFinding
    } else if judgement.blocks == 0 || any(Verdict::MeasuredNothing) {
        Outcome::NothingMeasured
    } else if judgement.noise.iter().any(|noise| noise.broken) || any(Verdict::Invalid) {
        Outcome::Unfit
    } else if any(Verdict::Regression) {
        Outcome::Regression
    } else if any(Verdict::Inconclusive) {
        Outcome::Inconclusive
    } else {
        Outcome::Clean
    }
}
