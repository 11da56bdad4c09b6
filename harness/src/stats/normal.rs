//! The standard normal distribution, from statrs' error functions.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::{erfc, erfc_inv};

/// The density at `z`.
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The probability above `z`; keeps its relative accuracy far out in the tail.
pub fn upper_tail(z: f64) -> f64 {
    0.5 * erfc(z / SQRT_2)
}

/// The `z` whose probability above is `tail`: +∞ for 0, −∞ for 1.
pub fn upper_quantile(tail: f64) -> f64 {
    SQRT_2 * erfc_inv(2.0 * tail.clamp(0.0, 1.0))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "infinities are compared exactly")]
mod tests {
    use super::*;

    /// `scipy.stats.norm` 1.17.1: `sf(z)` and its inverse `isf`.
    const TAILS: [(f64, f64); 5] = [
        (0.0, 0.5),
        (1.0, 0.158_655_253_931_457_05),
        (1.959_963_984_540_054, 0.025),
        (4.877, 5.385_571_773_514_84e-7),
        (8.0, 6.220_960_574_271_74e-16),
    ];

    #[test]
    fn tails_and_quantiles_are_scipys() {
        for (z, tail) in TAILS {
            assert!((upper_tail(z) / tail - 1.0).abs() < 1e-9, "tail above {z}: {}", upper_tail(z));
            assert!((upper_quantile(tail) - z).abs() < 1e-9, "quantile of {tail}: {}", upper_quantile(tail));
        }
    }

    #[test]
    fn the_ends_are_infinite() {
        assert_eq!(upper_quantile(0.0), f64::INFINITY);
        assert_eq!(upper_quantile(1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn the_density_is_scipys() {
        assert!((density(1.5) - 0.129_517_595_665_891_74).abs() < 1e-15);
    }
}
