//! Student's t: its distribution, and the mean of values with its interval.
//!
//! The mean over blocks of a contrast, with an interval of blocks − 1 degrees of freedom, is how effects of factors are
//! judged. Only the contrast's values from block to block need one spread; the arms it is made of may have any.

use statrs::function::beta::beta_reg;

use super::location::Location;
use super::spread::standard_deviation;

/// The probability that |T| is at least |`t`|: I(ν/(ν + t²); ν/2, 1/2), the regularised incomplete beta function
/// (Abramowitz and Stegun, 26.7.1). Keeps its relative accuracy far out in the tails. 1 without degrees of freedom.
pub fn two_sided(t: f64, degrees: usize) -> f64 {
    if degrees == 0 || t.is_nan() {
        return 1.0;
    }
    let degrees = degrees as f64;
    let share = degrees / (degrees + t * t);
    if share > 0.0 { beta_reg(0.5 * degrees, 0.5, share) } else { 0.0 }
}

/// The t that |T| exceeds with probability `level`: 0 for 1, +∞ for 0 or without degrees of freedom.
pub fn critical(level: f64, degrees: usize) -> f64 {
    if degrees == 0 || level.is_nan() || level <= 0.0 {
        return f64::INFINITY;
    }
    if level >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while two_sided(high, degrees) > level {
        (low, high) = (high, 2.0 * high);
        if high.is_infinite() {
            return high;
        }
    }
    while low < high {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if two_sided(middle, degrees) > level { low = middle } else { high = middle }
    }
    high
}

/// The probability that T is below `t`.
pub fn below(t: f64, degrees: usize) -> f64 {
    let tail = 0.5 * two_sided(t, degrees);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The mean of `values` with the t interval of confidence 1 − `level`, and the t test's p-value against zero.
///
/// One value has a mean and an unbounded interval. Values that are all alike have an interval of no width. `None`
/// without values or with one that is not finite.
pub fn mean(values: &[f64], level: f64) -> Option<Location> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let n = values.len();
    let estimate = values.iter().sum::<f64>() / n as f64;
    let Some(spread) = standard_deviation(values) else {
        return Some(Location { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY, level, p: 1.0 });
    };
    let error = spread / (n as f64).sqrt();
    let half_width = if error > 0.0 { critical(level, n - 1) * error } else { 0.0 };
    let p = match (error > 0.0, estimate.abs() > 0.0) {
        (true, _) => two_sided(estimate / error, n - 1),
        (false, true) => 0.0,
        (false, false) => 1.0,
    };
    Some(Location { estimate, low: estimate - half_width, high: estimate + half_width, level, p })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the ends are exact")]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, table 26.10: t that is exceeded either way with probability 1 − A.
    #[test]
    fn critical_values_are_the_handbook_s() {
        for (level, degrees, t) in
            [(0.05, 1, 12.706), (0.05, 10, 2.228), (0.01, 30, 2.750), (0.001, 5, 6.869), (0.000_1, 3, 28.000)]
        {
            assert!((critical(level, degrees) - t).abs() < 1e-3, "{level} {degrees}: {}", critical(level, degrees));
        }
    }

    #[test]
    fn ends_are_ends() {
        assert_eq!(critical(0.0, 5), f64::INFINITY);
        assert_eq!(critical(0.05, 0), f64::INFINITY);
        assert_eq!(critical(1.0, 5), 0.0);
        assert_eq!((two_sided(0.0, 5), two_sided(f64::INFINITY, 5), two_sided(1.0, 0)), (1.0, 0.0, 1.0));
    }

    #[test]
    fn few_or_equal_values_have_no_nan() {
        assert_eq!(mean(&[], 0.05), None);
        assert_eq!(mean(&[1.0, f64::NAN], 0.05), None);
        let one = mean(&[0.5], 0.05).expect("a value");
        assert_eq!((one.estimate, one.low, one.p), (0.5, f64::NEG_INFINITY, 1.0));
        let alike = mean(&[0.5; 4], 0.05).expect("values");
        assert_eq!((alike.low, alike.high, alike.p), (0.5, 0.5, 0.0));
        let zeros = mean(&[0.0; 4], 0.05).expect("values");
        assert_eq!((zeros.low, zeros.high, zeros.p), (0.0, 0.0, 1.0));
    }

    #[test]
    fn p_and_interval_agree() {
        let values = [0.3, -0.1, 0.25, 0.4, 0.05, 0.2];
        for level in [0.2, 0.05, 0.03, 0.01, 0.001] {
            let location = mean(&values, level).expect("values");
            assert_eq!(location.excludes_zero(), location.p <= level, "{location:?}");
        }
    }
}
