//! The planned looks: what each may spend, and whether it can decide anything.
//!
//! Pure arithmetic on the plan; no sample is needed, so it runs before anything is built. The invariant: of a plan that
//! passes [`check_plan`], every look can reach a verdict other than inconclusive. Comparisons by ranks need pairs enough for
//! the level; means of contrasts can be judged at any level, and need blocks enough to say how they scatter.

use thiserror::Error;

use super::Look;
use crate::stats::multiple::bonferroni;
use crate::stats::signed_rank::{fewest_pairs, smallest_p};
use crate::stats::spending::{levels, spent};

/// Rounding blocks up shifts the proportions a little, so the first stretched plan may just miss; a few more cannot.
const TRIES: u32 = 64;

/// A mean is not judged from fewer blocks: with two degrees of freedom an interval is as much chance as measurement.
pub(super) const FEWEST_FOR_A_MEAN: u32 = 4;

/// The comparisons that set the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimaryFamily {
    /// How many there are.
    pub comparisons: usize,
    /// Those judged by ranks; the others are means of contrasts.
    pub ranked: usize,
}

/// Why a plan is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlanError {
    /// A look that can decide nothing by ranks.
    #[error(transparent)]
    Undecidable(Undecidable),
    /// A look at too few blocks for the mean of a contrast.
    #[error(
        "measure.looks: the look at {blocks} blocks is too early for effects of factors, whose scatter takes at least \
         {FEWEST_FOR_A_MEAN} blocks to be known; begin at {FEWEST_FOR_A_MEAN} or later"
    )]
    TooEarly {
        /// The offending look's blocks.
        blocks: u32,
    },
}

/// A look that can decide nothing, whatever the samples say.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "measure.looks: the look at {blocks} blocks can decide nothing: {blocks} pairs give no p-value below {}, and the look's \
     level is {} (measure.alpha spread over {} and {}); {remedy}",
    significant(*smallest_p), significant(*level), counted(*looks, "look"), counted(*family, "comparison")
)]
pub struct Undecidable {
    /// The offending look's blocks.
    pub blocks: u32,
    /// The smallest two-sided p-value of that many pairs.
    pub smallest_p: f64,
    /// The look's level, below that.
    pub level: f64,
    /// How many looks are planned.
    pub looks: usize,
    /// Size of the primary family.
    pub family: usize,
    /// What to write instead.
    pub remedy: Remedy,
}

/// Plans that can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The fewest blocks of a single look, if any number would do.
    pub single: Option<u32>,
    /// The nearest plan with the same number of looks and nearly the same proportions.
    pub scaled: Option<Vec<u32>>,
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.single, &self.scaled) {
            (Some(single), Some(scaled)) if scaled.len() > 1 => {
                write!(f, "plan one look of at least {single} blocks, as in [{single}], or {scaled:?}")
            }
            (Some(single), _) => write!(f, "plan at least {single} blocks, as in [{single}]"),
            (None, _) => write!(f, "no number of blocks would do: raise measure.alpha or compare fewer arms"),
        }
    }
}

/// The looks with their levels: α is spent over the looks, what is spent is divided by the size of the family, and the
/// levels follow from that ([`crate::stats::spending`]).
///
/// Comparisons by ranks are tested at the levels of the group-sequential recursion. Means of contrasts are tested at what
/// each look spends: few blocks make Student's t from look to look another process than the recursion takes it for, and
/// at its levels too many would be accused, while the sum of what is spent bounds the error whatever looks share.
///
/// `looks` are numbers of blocks, ascending; `alpha` is the family-wise error rate. A family of none counts as one.
pub fn planned_looks(looks: &[u32], alpha: f64, family: usize) -> Vec<Look> {
    let Some(&last) = looks.last() else { return Vec::new() };
    let fractions: Vec<f64> = looks.iter().map(|&blocks| f64::from(blocks) / f64::from(last.max(1))).collect();
    let spent: Vec<f64> = spent(&fractions, alpha).into_iter().map(|spent| bonferroni(spent, family)).collect();
    let of = u32::try_from(looks.len()).unwrap_or(u32::MAX);
    let mut before = 0.0;
    (1..)
        .zip(looks.iter().zip(levels(&fractions, &spent)).zip(&spent))
        .map(|(number, ((&blocks, level), &spent))| {
            let mean_level = (spent - before).max(0.0);
            before = spent;
            Look { number, of, blocks, level, mean_level }
        })
        .collect()
}

/// Refuses a plan with a look whose smallest possible p-value, 2^(1−blocks), is above its level, where anything is judged by
/// ranks; and one that looks at means too early.
pub fn check_plan(looks: &[u32], alpha: f64, family: PrimaryFamily) -> Result<(), PlanError> {
    let planned = planned_looks(looks, alpha, family.comparisons);
    if let Some(&blocks) = looks.iter().find(|&&blocks| blocks < FEWEST_FOR_A_MEAN)
        && family.ranked < family.comparisons
    {
        return Err(PlanError::TooEarly { blocks });
    }
    // Of no comparison at all ranks are asked, too: nothing else would refuse such a plan.
    let by_ranks = family.ranked > 0 || family.comparisons == 0;
    match planned.iter().find(|look| by_ranks && !can_decide(look)) {
        None => Ok(()),
        Some(look) => Err(PlanError::Undecidable(Undecidable {
            blocks: look.blocks,
            smallest_p: smallest_p(look.blocks as usize),
            level: look.level,
            looks: looks.len(),
            family: family.comparisons.max(1),
            remedy: Remedy {
                single: fewest_pairs(bonferroni(alpha, family.comparisons))
                    .and_then(|fewest| u32::try_from(fewest).ok()),
                scaled: scaled(&planned, alpha, family.comparisons),
            },
        })),
    }
}

/// Three significant digits, written out where that is readable.
fn significant(p: f64) -> String {
    match p {
        0.1.. => format!("{p:.3}"),
        0.01..0.1 => format!("{p:.4}"),
        0.001..0.01 => format!("{p:.5}"),
        _ => format!("{p:.2e}"),
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn can_decide(look: &Look) -> bool {
    smallest_p(look.blocks as usize) <= look.level
}

/// The same looks stretched until every one can decide. `None` where no number of blocks would do for the first one.
fn scaled(planned: &[Look], alpha: f64, family: usize) -> Option<Vec<u32>> {
    let first = planned.first()?;
    let fewest = u32::try_from(fewest_pairs(first.level)?).ok()?.max(first.blocks);
    let stretched = |to: u32| -> Option<Vec<u32>> {
        let stretch = |look: &Look| look.blocks.checked_mul(to).map(|product| product.div_ceil(first.blocks.max(1)));
        planned.iter().map(stretch).collect()
    };
    (fewest..fewest.saturating_add(TRIES))
        .map_while(stretched)
        .find(|looks| planned_looks(looks, alpha, family).iter().all(can_decide))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(comparisons: usize) -> PrimaryFamily {
        PrimaryFamily { comparisons, ranked: comparisons }
    }

    fn refused(looks: &[u32], alpha: f64, comparisons: usize) -> Undecidable {
        match check_plan(looks, alpha, ranks(comparisons)) {
            Err(PlanError::Undecidable(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn looks_that_can_decide_nothing_are_refused_with_plans_that_can() {
        let error = refused(&[4, 6, 8], 0.05, 2);
        assert_eq!(error.blocks, 4);
        assert!(check_plan(&[error.remedy.single.expect("a plan")], 0.05, ranks(2)).is_ok());
        let scaled = error.remedy.scaled.clone().expect("a plan");
        assert_eq!(scaled.len(), 3);
        assert!(check_plan(&scaled, 0.05, ranks(2)).is_ok());
        let text = error.to_string();
        let expected = "measure.looks: the look at 4 blocks can decide nothing: 4 pairs give no p-value below 0.125, and the \
                        look's level is 0.00153 (measure.alpha spread over 3 looks and 2 comparisons); plan one look of \
                        at least 7 blocks, as in [7], or [11, 17, 22]";
        assert_eq!(text, expected);
    }

    #[test]
    fn six_blocks_are_the_fewest_for_one_comparison_at_five_percent() {
        assert!(check_plan(&[6], 0.05, ranks(1)).is_ok());
        let error = refused(&[5], 0.05, 1);
        assert_eq!((error.blocks, error.remedy.single), (5, Some(6)));
        assert!(error.to_string().ends_with("plan at least 6 blocks, as in [6]"), "{error}");
    }

    #[test]
    fn one_early_look_among_good_ones_is_refused_too() {
        assert!(check_plan(&[16, 24, 32], 0.05, ranks(12)).is_ok());
        let error = refused(&[8, 24, 32], 0.05, 12);
        assert_eq!(error.blocks, 8);
    }

    #[test]
    fn levels_ascend_and_shrink_with_the_family() {
        let one = planned_looks(&[16, 24, 32], 0.05, 1);
        let twelve = planned_looks(&[16, 24, 32], 0.05, 12);
        assert!(one.windows(2).all(|pair| pair[0].level < pair[1].level));
        assert!((one[0].level / twelve[0].level - 12.0).abs() < 1e-9, "the first look spends its part at once");
        assert!(twelve[2].level < 0.05 / 12.0);
        let spent: f64 = twelve.iter().map(|look| look.mean_level).sum();
        assert!((spent - 0.05 / 12.0).abs() < 1e-15, "means are tested at what each look spends");
        assert!(twelve.iter().all(|look| look.mean_level <= look.level));
        assert_eq!((twelve[1].number, twelve[1].of, twelve[1].blocks), (2, 3, 24));
    }

    #[test]
    fn hopeless_and_empty_plans_do_not_panic() {
        let error = refused(&[4], 0.0, 1);
        assert_eq!(error.remedy, Remedy { single: None, scaled: None });
        assert!(error.to_string().contains("no number of blocks would do"));
        assert!(planned_looks(&[], 0.05, 1).is_empty());
        assert!(check_plan(&[], 0.05, ranks(1)).is_ok());
        for looks in [&[0][..], &[0, 0], &[16, 16, 24], &[24, 16]] {
            assert!(planned_looks(looks, 0.05, 1).iter().all(|look| (0.0..=0.05).contains(&look.level)), "{looks:?}");
            assert!(check_plan(looks, 0.05, ranks(1)).is_err(), "{looks:?}");
        }
        assert!(check_plan(&[u32::MAX], 0.05, ranks(1)).is_ok());
    }

    #[test]
    fn means_are_judged_at_any_level_from_four_blocks_on() {
        let means = |comparisons| PrimaryFamily { comparisons, ranked: 0 };
        assert!(check_plan(&[4, 6, 8], 0.05, means(5)).is_ok(), "ranks could decide nothing here");
        assert_eq!(check_plan(&[3, 8], 0.05, means(5)), Err(PlanError::TooEarly { blocks: 3 }));
        let mixed = PrimaryFamily { comparisons: 6, ranked: 1 };
        assert!(matches!(check_plan(&[4, 6, 8], 0.05, mixed), Err(PlanError::Undecidable(_))));
        assert!(check_plan(&[3], 0.5, ranks(1)).is_ok(), "ranks need no more than their level says");
    }
}
