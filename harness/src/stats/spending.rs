//! How much of α each planned look may spend, and the level of the test there.
//!
//! **Spending.** Lan and `DeMets`' O'Brien–Fleming-type function (Biometrika 70, 1983, 659–663), for two sides of α/2 each:
//! by information fraction t, which is blocks so far over blocks planned,
//!
//! ```text
//! A(t) = 4 · (1 − Φ(z(α/4) ÷ √t)),      A(1) = α,
//! ```
//!
//! where z(q) is the point with probability q above it. Early looks get next to nothing and the last one nearly all.
//!
//! **Levels.** Look k may reject with probability A(tₖ) − A(tₖ₋₁) where no earlier look has. The boundary that does this is
//! found by Armitage, `McPherson` and Rowe's recursion (J. R. Stat. Soc. A 132, 1969, 235–244) over the density of the score
//! process B(t) = √t · Z(t), which has independent normal increments, and its two-sided tail is the look's level. The
//! signed-rank statistic has such increments in the limit (it is a U-statistic up to a vanishing term). The alternative,
//! testing look k at A(tₖ) − A(tₖ₋₁) itself, needs no limit but throws away what the looks share: with five looks
//! the last level would be .0256 instead of .0423. The recursion is taken because the exact test's p-values come in
//! steps and lie below their level by more than the limit is off; `harness/tests/oracle/looks.py` measures that.

use super::normal::{density, upper_quantile, upper_tail};
use super::quadrature::gauss_legendre;

/// Quadrature points for each standard deviation of the narrowest increment that fits between zero and the boundary; six
/// give nine digits.
const POINTS: f64 = 9.0;

/// What lies further out than this many standard deviations (1e-23) is left out of the recursion.
const FAR: f64 = 10.0;

/// α spent up to each information fraction, two-sided; fractions ascend from above 0 to 1.
pub fn spent(fractions: &[f64], alpha: f64) -> Vec<f64> {
    let z = upper_quantile(alpha / 4.0);
    fractions.iter().map(|&t| if t >= 1.0 { alpha } else { 4.0 * upper_tail(z / t.sqrt()) }).collect()
}

/// The two-sided level of the test at each look, where `spent` of the error may be used up by then.
///
/// `fractions` are the looks' information fractions, ascending, the last one 1; `spent` ascends too. A look that may
/// spend nothing, or that is not later than the one before, has level 0.
pub fn levels(fractions: &[f64], spent: &[f64]) -> Vec<f64> {
    let mut levels = Vec::with_capacity(fractions.len());
    let mut before = Undecided::start();
    let mut used = 0.0;
    for (k, (&t, &by_now)) in fractions.iter().zip(spent).enumerate() {
        if t <= before.t {
            levels.push(0.0);
            continue;
        }
        let increment = by_now - used;
        used = by_now;
        if k == 0 {
            levels.push(increment);
        } else {
            levels.push(2.0 * upper_tail(before.bound(t, increment) / t.sqrt()));
        }
        let bound = upper_quantile(0.5 * levels[k]) * t.sqrt();
        if k + 1 < fractions.len() {
            before = before.next(t, bound, fractions[k + 1] - t);
        }
    }
    levels
}

/// The distribution of the score B(t) at a look over the outcomes that no look so far has decided.
struct Undecided {
    /// Information fraction; 0 before the first look.
    t: f64,
    /// Scores between minus and plus the boundary, each with its share of the probability.
    masses: Vec<(f64, f64)>,
}

impl Undecided {
    /// Before the first look the score is 0.
    fn start() -> Self {
        Self { t: 0.0, masses: vec![(0.0, 1.0)] }
    }

    /// After a look at `t` with the given boundary; `ahead` is the increment to the next one.
    fn next(&self, t: f64, bound: f64, ahead: f64) -> Self {
        let deviation = (t - self.t).sqrt();
        let edge = bound.min(FAR * t.sqrt());
        let at = |(score, weight): (f64, f64)| {
            let density: f64 = self.masses.iter().map(|&(from, mass)| mass * density((score - from) / deviation)).sum();
            (score, weight * density / deviation)
        };
        let points = points(edge / ahead.sqrt().min(deviation));
        Self { t, masses: gauss_legendre(points, edge).into_iter().map(at).collect() }
    }

    /// The probability of a score beyond ± `bound` at fraction `t`.
    fn beyond(&self, t: f64, bound: f64) -> f64 {
        let deviation = (t - self.t).sqrt();
        2.0 * self.masses.iter().map(|&(from, mass)| mass * upper_tail((bound - from) / deviation)).sum::<f64>()
    }

    /// The bound at fraction `t` beyond which the score lies with probability `increment`, by bisection.
    fn bound(&self, t: f64, increment: f64) -> f64 {
        if increment <= 0.0 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, 40.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if self.beyond(t, middle) > increment {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

/// Enough points for a range of that many standard deviations either way; more than a thousand only slow things down.
fn points(deviations: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 64 to 1,000")]
    let points = (POINTS * deviations).ceil().clamp(64.0, 1_000.0) as usize;
    points
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "a level of nothing is exactly 0")]
mod tests {
    use super::*;

    fn boundaries(fractions: &[f64], alpha: f64) -> Vec<f64> {
        let levels = levels(fractions, &spent(fractions, alpha));
        levels.into_iter().map(|level| upper_quantile(0.5 * level)).collect()
    }

    /// The two-sided α = .05 boundaries for five equally spaced looks as published by Reboussin, `DeMets`, Kim and Lan
    /// (Controlled Clinical Trials 21, 2000, 190–207) and printed by R's `ldbounds` and `gsDesign`'s `sfLDOF`.
    #[test]
    fn five_equal_looks_have_the_published_boundaries() {
        let published = [4.877, 3.357, 2.680, 2.290, 2.031];
        let computed = boundaries(&[0.2, 0.4, 0.6, 0.8, 1.0], 0.05);
        for (computed, published) in computed.iter().zip(published) {
            assert!((computed - published).abs() < 6e-4, "{computed} against {published}");
        }
    }

    #[test]
    fn one_look_spends_all() {
        assert_eq!(levels(&[1.0], &spent(&[1.0], 0.05)), [0.05]);
    }

    #[test]
    fn close_looks_are_integrated_as_finely_as_far_ones() {
        // A look that may spend nothing changes no other level, wherever it is put.
        let plain = levels(&[0.5, 1.0], &[0.01, 0.05]);
        let crowded = levels(&[0.5, 0.501, 1.0], &[0.01, 0.01, 0.05]);
        assert_eq!(crowded[1], 0.0);
        assert!((plain[1] - crowded[2]).abs() < 1e-7, "{plain:?} {crowded:?}");
    }

    #[test]
    fn levels_lie_between_the_increment_and_what_is_spent() {
        let fractions = [0.25, 0.5, 0.6, 1.0];
        let spent: Vec<f64> = spent(&fractions, 0.05).into_iter().map(|spent| spent / 12.0).collect();
        let levels = levels(&fractions, &spent);
        for k in 1..fractions.len() {
            assert!(spent[k] - spent[k - 1] < levels[k] && levels[k] < spent[k], "{levels:?}");
        }
    }
}
