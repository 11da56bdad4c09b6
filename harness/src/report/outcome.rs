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
