//! From samples to verdicts: pure, no clock, no files, no processes.
//!
//! The types are the whole interface between judging and reporting: a report shows what stands here and computes no
//! statistic of its own, so that table, page and exit code cannot disagree.

mod attribution;
#[cfg(test)]
mod calibration;
#[cfg(test)]
mod cases;
mod compare;
#[cfg(test)]
mod factors;
#[cfg(test)]
mod fixture;
mod gpu;
mod idle;
mod noise;
mod notes;
mod notices;
mod outcome;
mod pairs;
mod plan;
#[cfg(test)]
mod promises;
mod run;
mod secondary;
mod subjects;
mod trend;

use serde::Serialize;

use crate::experiment::Metric;

pub use attribution::{Attribution, Ledger, Part};
pub use compare::decide;
pub use outcome::{Outcome, outcome};
pub use plan::{PlanError, PrimaryFamily, Remedy, Undecidable, check_plan, planned_looks};
pub use run::{family, judge};
pub use trend::Trend;

/// The result of judging a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Complete blocks that were judged.
    pub blocks: u32,
    /// Blocks planned: the last look.
    pub planned_blocks: u32,
    /// The look this judgement stands at: the last one reached, `None` before the first.
    pub look: Option<Look>,
    /// Size of the primary family.
    pub family: usize,
    /// The experiment's smallest change that matters, as a share.
    pub min_effect: f64,
    /// Whether measuring may stop: every primary comparison is decided or never has a number, or base differs from its
    /// twin.
    pub decided: bool,
    /// Primary comparisons first, by bench, then by factor or arm in design order.
    pub comparisons: Vec<Comparison>,
    /// What the factors together make of each bench, in factorial designs from the first look on.
    pub attributions: Vec<Attribution>,
    /// Base against its twin, one for each bench.
    pub noise: Vec<Noise>,
    /// How the machine's speed moved, one for each bench.
    pub trends: Vec<Trend>,
    /// Sentences for the reader, most important first.
    pub notices: Vec<String>,
}

/// A planned look and what it may spend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Look {
    /// From 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
    /// Blocks at this look.
    pub blocks: u32,
    /// Two-sided level of one comparison by ranks at this look: the spent part of α over the family's size, what looks
    /// share taken into account.
    pub level: f64,
    /// Two-sided level of one mean of a contrast: what this look spends of α, over the family's size.
    pub mean_level: f64,
}

/// One arm against base on one metric of one bench; or the effect of a factor over all arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Bench name.
    pub bench: String,
    /// Arm id; or what the effect is called: `A1`, `W=12`, `A1×A4`.
    pub arm: String,
    /// An arm, an effect, an interaction.
    pub kind: Kind,
    /// Factor and level of an effect; two of an interaction.
    pub settings: Vec<(String, String)>,
    /// Every arm whose build it depends on.
    pub arms: Vec<String>,
    /// Interactions that it cannot be told apart from.
    pub contains: Option<String>,
    /// What is compared.
    pub metric: Metric,
    /// Warm iterations, or the cold one.
    pub temperature: Temperature,
    /// Whether it sets the exit code.
    pub family: Family,
    /// Blocks in which both sides, or all arms of a contrast, have a number.
    pub pairs: usize,
    /// Samples of this arm, or of the contrast's arms, that failed.
    pub failed: usize,
    /// Median of base's values: nanoseconds or bytes. Of an effect, of the geometric means of the arms with the factor at
    /// base's level.
    pub base: Option<f64>,
    /// Median of the arm's values. Of an effect, of the geometric means of the arms with the factor at its level.
    pub arm_value: Option<f64>,
    /// The arm's value over base's: Hodges–Lehmann estimate with its interval; of a contrast, its mean with the t interval.
    /// `None` with too few pairs.
    pub ratio: Option<Interval>,
    /// Exact two-sided signed-rank p-value, or the t test's (adjusted by Benjamini–Hochberg where the comparison is
    /// secondary).
    pub p: Option<f64>,
    /// What it comes to.
    pub verdict: Verdict,
    /// The smallest change, as a share, that this many pairs with this noise would find with 80% power.
    pub detectable: Option<f64>,
    /// Blocks after which a change of the minimum effect would be found with 80% power.
    pub blocks_needed: Option<u32>,
    /// The probability that the last look will settle what is open at this one.
    pub chance: Option<f64>,
    /// Why, in words, where the verdict needs them.
    pub note: Option<String>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An arm with base.
    Arm,
    /// A factor's level with base's level, over all arms or on top of all other factors.
    Effect,
    /// What factors do together beyond what each does by itself.
    Interaction,
}

/// An estimate with its interval. An end may be infinite or zero where the sample bounds it only on one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// One minus the interval's confidence.
    pub level: f64,
}

/// Which iterations of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Temperature {
    /// The process's first.
    Cold,
    /// The average of the further ones.
    Warm,
}

/// Whether a comparison sets the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// It does.
    Primary,
    /// It explains.
    Secondary,
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Slower, or larger, by at least the minimum effect.
    Regression,
    /// Faster, or smaller, by at least the minimum effect.
    Improvement,
    /// Within the minimum effect either way.
    Equivalent,
    /// None of these can be said.
    Inconclusive,
    /// The samples may not be judged.
    Invalid,
    /// The build is not what its label says.
    Stale,
    /// No pair has a number.
    MeasuredNothing,
}

impl Verdict {
    /// The word in tables, files and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Equivalent => "equivalent",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
            Self::Stale => "stale",
            Self::MeasuredNothing => "measured nothing",
        }
    }
}

/// Base against its twin on a bench's metric: what differs is noise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Noise {
    /// Bench name.
    pub bench: String,
    /// Pairs.
    pub pairs: usize,
    /// Standard deviation of the log-ratios.
    pub spread: Option<f64>,
    /// Estimated ratio of the twin to base.
    pub ratio: Option<Interval>,
    /// Exact two-sided p-value.
    pub p: Option<f64>,
    /// From 11 blocks on, whether the pair differs at level .001, which stops the judging.
    pub broken: bool,
}
