//! How far pairs scatter, in log units: about the share by which one pair differs from the next.

use super::pairwise::nth_distance;

/// Makes the median distance of two normal values their standard deviation: 1 ÷ (√2 · Φ⁻¹(3/4)).
const NORMAL_CONSISTENT: f64 = 1.048_358_264_478_069_7;

/// Sample standard deviation (divisor n − 1). `None` with fewer than two values or one that is not finite.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let n = usable(values)?.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (n - 1.0)).sqrt())
}

/// Shamos' spread: the median distance between two values, scaled to estimate a normal sample's standard deviation
/// (Shamos 1976; Rousseeuw and Croux, JASA 88, 1993, 1273–1283: 86% efficient, unmoved until 29% of the values are
/// off). It goes with the Hodges–Lehmann estimate, which is a median over pairs too.
///
/// `None` with fewer than two values or one that is not finite.
pub fn robust(values: &[f64]) -> Option<f64> {
    let mut sorted = usable(values)?.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let distances = sorted.len() * (sorted.len() - 1) / 2;
    let high = nth_distance(&sorted, distances / 2);
    let low = if distances % 2 == 1 { high } else { nth_distance(&sorted, distances / 2 - 1) };
    Some(NORMAL_CONSISTENT * (low + 0.5 * (high - low)))
}

fn usable(values: &[f64]) -> Option<&[f64]> {
    (values.len() >= 2 && values.iter().all(|value| value.is_finite())).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::normal::upper_quantile;

    #[test]
    fn the_standard_deviation_is_numpys() {
        // numpy.std([1, 2, 4, 8], ddof=1)
        assert!((standard_deviation(&[1.0, 2.0, 4.0, 8.0]).expect("four") - 3.095_695_936_834_452).abs() < 1e-12);
    }

    #[test]
    fn normal_quantiles_have_spread_one() {
        let values: Vec<f64> = (0..2_000).map(|i| upper_quantile((f64::from(i) + 0.5) / 2_000.0)).collect();
        assert!((robust(&values).expect("many") - 1.0).abs() < 2e-3);
        assert!((standard_deviation(&values).expect("many") - 1.0).abs() < 2e-3);
    }

    #[test]
    fn one_spike_in_ten_does_not_move_the_robust_spread_far() {
        let calm: Vec<f64> = (0..10).map(f64::from).collect();
        let mut spiked = calm.clone();
        spiked[9] = 1e6;
        let (calm, spiked) = (robust(&calm).expect("ten"), robust(&spiked).expect("ten"));
        assert!(spiked < 1.5 * calm, "{calm} became {spiked}");
    }

    #[test]
    fn too_little_has_no_spread() {
        assert_eq!(standard_deviation(&[1.0]), None);
        assert_eq!(robust(&[]), None);
        assert_eq!(robust(&[1.0, f64::INFINITY]), None);
        assert_eq!(robust(&[2.0, 2.0, 2.0]), Some(0.0));
    }
}
