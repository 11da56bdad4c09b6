//! The Hodges–Lehmann estimate of a location and the interval that inverts the signed-rank test.
//!
//! The estimate is the median of the Walsh averages, the means of all pairs of values, each with itself too (Hodges and
//! Lehmann, Ann. Math. Stat. 34, 1963, 598–611). The interval runs from the (c+1)-th smallest average to the (c+1)-th
//! largest, c being the test's critical value at the level (Hollander, Wolfe and Chicken, 3.3). Its ends belong to it,
//! which keeps its coverage at least 1 − level for tied values too.

use super::location::Location;
use super::pairwise::{averages_up_to, nth_average};
use super::signed_rank::Null;

/// Values sorted once, for any number of levels.
#[derive(Clone, Debug)]
pub struct Walsh {
    sorted: Vec<f64>,
}

impl Walsh {
    /// Takes the values. `None` without values or with one that is not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(Self { sorted })
    }

    /// How many averages there are: n(n+1) ÷ 2.
    fn averages(&self) -> usize {
        self.sorted.len() * (self.sorted.len() + 1) / 2
    }

    /// The smallest level whose interval excludes zero; `null` is the distribution for that many values.
    ///
    /// Without ties and zeros this is the signed-rank test's exact p-value; an average of zero, which only opposite
    /// or vanishing values make, counts against either side.
    pub fn p_value(&self, null: &Null) -> f64 {
        let below_zero = averages_up_to(&self.sorted, -f64::from_bits(1));
        let from_zero = self.averages() - below_zero;
        let smaller = averages_up_to(&self.sorted, 0.0).min(from_zero);
        // With many zeros both counts exceed the half, and nothing speaks against zero.
        if 2 * smaller >= self.averages() { 1.0 } else { null.p_value(smaller) }
    }

    /// The estimate with an interval of confidence 1 − `level`; `null` is the distribution for that many values.
    pub fn location(&self, level: f64, null: &Null) -> Location {
        let last = self.averages() - 1;
        let (low, high) = match null.critical_value(level) {
            Some(c) => (nth_average(&self.sorted, c), nth_average(&self.sorted, last - c)),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Location { estimate: self.estimate(), low, high, level, p: self.p_value(null) }
    }

    /// The median of the averages.
    fn estimate(&self) -> f64 {
        let averages = self.averages();
        let high = nth_average(&self.sorted, averages / 2);
        if averages % 2 == 1 {
            return high;
        }
        let low = nth_average(&self.sorted, averages / 2 - 1);
        low + 0.5 * (high - low)
    }
}

impl Location {
    /// Where `values` lie by Hodges and Lehmann. `None` without values or with one that is not finite.
    ///
    /// Computes the distribution of the signed-rank test anew; who has many of one size calls [`Walsh::location`].
    pub fn of(values: &[f64], level: f64) -> Option<Self> {
        Some(Walsh::of(values)?.location(level, &Null::of(values.len())))
    }
}

/// The median; the mean of the middle two of an even number. `None` without values.
///
/// Reorders `values`, which must not hold a NaN.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let upper = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let high = nth(values, upper);
    if values.len() % 2 == 1 {
        return Some(high);
    }
    // Selection left the smaller half in front.
    let low = values[..upper].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(low + 0.5 * (high - low))
}

fn nth(values: &mut [f64], index: usize) -> f64 {
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hollander, Wolfe and Chicken, example 3.3 (Hamilton depression scale): estimate −.46, and the interval of
    /// level .040 is from −.786 to −.010.
    #[test]
    #[expect(clippy::approx_constant, reason = "3.14 was measured")]
    fn the_depression_scale_example_comes_out() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
        let location = Location::of(&differences, 0.04).expect("nine finite values");
        assert!((location.estimate + 0.46).abs() < 1e-9, "{location:?}");
        assert!((location.low + 0.786).abs() < 1e-9, "{location:?}");
        assert!((location.high + 0.010).abs() < 1e-9, "{location:?}");
        assert!((location.p - 20.0 / 512.0).abs() < 1e-12, "{location:?}");
    }

    #[test]
    fn too_few_values_bound_nothing() {
        let location = Location::of(&[0.1; 5], 0.05).expect("finite");
        assert_eq!((location.low, location.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!((location.estimate - 0.1).abs() < 1e-15);
        assert!(!location.excludes_zero());
    }

    #[test]
    fn p_and_interval_agree_with_ties_and_zeros() {
        let cases: [&[f64]; 4] = [
            &[0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0],
            &[-1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0],
            &[0.0; 8],
            &[0.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0],
        ];
        for values in cases {
            for level in [0.001, 0.007_812_5, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5] {
                let location = Location::of(values, level).expect("finite");
                assert_eq!(location.excludes_zero(), location.p <= level, "{values:?} at {level}: {location:?}");
                assert!(location.low <= location.estimate && location.estimate <= location.high);
            }
        }
    }

    #[test]
    fn nothing_finite_has_no_location() {
        assert_eq!(Location::of(&[], 0.05), None);
        assert_eq!(Location::of(&[1.0, f64::NAN], 0.05), None);
        assert_eq!(Location::of(&[f64::INFINITY], 0.05), None);
    }

    #[test]
    fn medians_of_even_and_odd_counts() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }
}
