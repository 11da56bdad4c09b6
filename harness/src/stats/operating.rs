//! What a plan of looks promises before a sample is taken: how often a true effect is called one.
//!
//! The estimate after n blocks is taken as normal about the effect with standard deviation σ/√n, and its increments from look
//! to look as independent. At a look with half-width h = z(ℓ/2)·σ/√n the comparison is closed as a change where the
//! estimate is at least max(δ, h) away from zero, as equivalent where it is less than δ − h away, and stays open
//! otherwise; the density of the open ones is carried on by Armitage, `McPherson` and Rowe's recursion
//! (J. R. Stat. Soc. A 132, 1969, 235–244). For the Hodges–Lehmann estimate of normal pairs σ is that of a pair times
//! √(π/3). For the mean of a contrast over few blocks the interval's width is chance, too, which the recursion does not
//! know of; there the last look alone is computed exactly, by the noncentral t.

use statrs::function::gamma::ln_gamma;

use super::normal::{density, upper_quantile, upper_tail};
use super::quadrature::gauss_legendre;
use super::student::critical;

/// What lies further out than this many standard deviations is left out.
const FAR: f64 = 9.0;

/// Points for each stretch of open estimates.
const POINTS: usize = 160;

/// A planned look: blocks so far, and the two-sided level there.
pub type Planned = (u32, f64);

/// For each look the probability that by then an `effect` above zero has been called a change upward. Everything in log
/// units: `spread` is the standard deviation of an estimate from one block, `margin` the minimum effect.
pub fn found(effect: f64, spread: f64, looks: &[Planned], margin: f64) -> Vec<f64> {
    let mut open = vec![(0.0, 1.0)];
    let (mut before, mut total) = (0.0, 0.0);
    let mut found = Vec::with_capacity(looks.len());
    for &(blocks, level) in looks {
        let blocks = f64::from(blocks);
        let step = Step { effect, spread, ahead: blocks - before };
        let half_width = upper_quantile(0.5 * level) * spread / blocks.sqrt();
        let far = blocks * margin.max(half_width);
        let near = blocks * (margin - half_width).max(0.0);
        total += open.iter().map(|&(sum, mass)| mass * step.above(sum, far)).sum::<f64>();
        found.push(total);
        open = step.carry(&open, &stretches(near, far, blocks * effect, FAR * spread * blocks.sqrt()));
        before = blocks;
    }
    found
}

/// The probability that the mean over `blocks` blocks of a contrast with standard deviation `spread` calls an `effect`
/// above zero a change upward at one look: that its estimate is at least `margin` and at least t(ℓ/2) · s/√n.
///
/// Given s, the mean is normal and independent of it, and s²(n−1)/σ² is chi-squared with n − 1 degrees of freedom: the
/// noncentral t, with a margin. Needs at least two blocks.
pub fn found_by_mean(effect: f64, spread: f64, blocks: u32, level: f64, margin: f64) -> f64 {
    let degrees = f64::from(blocks - 1);
    let error = spread / f64::from(blocks).sqrt();
    let t = critical(level, blocks as usize - 1);
    // The density of s/σ.
    let constant = 2.0_f64.ln() + 0.5 * degrees * (0.5 * degrees).ln() - ln_gamma(0.5 * degrees);
    let share = |ratio: f64| (constant + (degrees - 1.0) * ratio.ln() - 0.5 * degrees * ratio * ratio).exp();
    let reach = |ratio: f64| margin.max(t * ratio * error);
    let widest = 1.0 + FAR / degrees.sqrt();
    gauss_legendre(POINTS, 0.5 * widest)
        .into_iter()
        .map(|(x, weight)| (x + 0.5 * widest, weight))
        .map(|(ratio, weight)| weight * share(ratio) * upper_tail((reach(ratio) - effect) / error))
        .sum()
}

/// Where the sum over blocks leaves a comparison open: between `near` and `far` on either side, as far as it is likely.
fn stretches(near: f64, far: f64, centre: f64, reach: f64) -> Vec<(f64, f64)> {
    let (lowest, highest) = ((-far).max(centre - reach), far.min(centre + reach));
    let stretches = if near > 0.0 {
        vec![(lowest, highest.min(-near)), (lowest.max(near), highest)]
    } else {
        vec![(lowest, highest)]
    };
    stretches.into_iter().filter(|(from, to)| from < to).collect()
}

/// The sum's way from one look to the next.
struct Step {
    effect: f64,
    spread: f64,
    /// Blocks between the two.
    ahead: f64,
}

impl Step {
    fn deviation(&self) -> f64 {
        self.spread * self.ahead.sqrt()
    }

    /// The probability of a sum above `bound` from a sum so far.
    fn above(&self, sum: f64, bound: f64) -> f64 {
        upper_tail((bound - sum - self.effect * self.ahead) / self.deviation())
    }

    /// The density on each stretch, as points with their masses.
    fn carry(&self, open: &[(f64, f64)], stretches: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let deviation = self.deviation();
        let at = |to: f64| -> f64 {
            open.iter()
                .map(|&(sum, mass)| mass * density((to - sum - self.effect * self.ahead) / deviation) / deviation)
                .sum()
        };
        let points = |&(from, to): &(f64, f64)| {
            let (middle, edge) = (0.5 * (from + to), 0.5 * (to - from));
            gauss_legendre(POINTS, edge).into_iter().map(move |(x, weight)| (middle + x, weight)).collect::<Vec<_>>()
        };
        stretches.iter().flat_map(points).map(|(to, weight)| (to, weight * at(to))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One look: the normal power function, by `scipy.stats.norm.sf`.
    #[test]
    fn one_look_is_the_textbook_s() {
        // z = 1.96, σ/√n = .0025: the margin of .01 binds, and half of the effects of .01 reach it.
        let at_margin = found(0.01, 0.01, &[(16, 0.05)], 0.01);
        assert!((at_margin[0] - 0.5).abs() < 1e-12, "{at_margin:?}");
        let twice = found(0.02, 0.02, &[(16, 0.05)], 0.01);
        // max(.01, 1.95996 · .005) = .01; sf((.01 − .02) / .005) = sf(−2).
        assert!((twice[0] - 0.977_249_868_051_820_8).abs() < 1e-9, "{twice:?}");
    }

    /// `scipy.stats.nct.sf(t, n − 1, θ√n/σ)`.
    #[test]
    fn a_mean_s_power_is_the_noncentral_t_s() {
        for (blocks, level, noncentrality, power) in
            [(8, 0.05, 3.0, 0.730_628_288_626_270_8), (8, 0.01, 4.0, 0.681_003_946_138_664_6)]
        {
            let effect = noncentrality / f64::from(blocks).sqrt();
            let found = found_by_mean(effect, 1.0, blocks, level, 0.0);
            assert!((found - power).abs() < 1e-9, "{found} against {power}");
        }
        assert!((found_by_mean(1.0, 1e-6, 4, 0.05, 1.0) - 0.5).abs() < 1e-9, "at the margin, half");
    }

    /// Without an effect and with a margin of nothing the plan accuses upward half of what it may spend.
    #[test]
    fn no_effect_is_found_as_often_as_alpha_allows() {
        let fractions = [0.25, 0.5, 0.75, 1.0];
        let spent = super::super::spending::spent(&fractions, 0.05);
        let levels = super::super::spending::levels(&fractions, &spent);
        let looks: Vec<Planned> = [8, 16, 24, 32].into_iter().zip(levels).collect();
        let found = found(0.0, 1.0, &looks, 1e-12);
        for (found, spent) in found.iter().zip(spent) {
            assert!((found - 0.5 * spent).abs() < 1e-7, "{found} against {spent}");
        }
    }
}
