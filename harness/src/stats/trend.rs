//! How a machine's speed moves: along the run, and along a block. Neither is corrected for; both are told.
//!
//! Pairing within blocks takes a drift along the run out of every comparison, and the random order keeps a trend along the
//! block from favouring anyone. What is left widens intervals; these estimates say how much there was to take out.

use super::least_squares::dot;
use super::location::Location;
use super::student::{self, critical, two_sided};

/// The slope that all `strata` have in common, each over 0, 1, 2, … with a level of its own: by least squares, with its
/// t interval of n − 1 − (number of strata) degrees of freedom.
///
/// Right for independent scatter about the lines; where successive values move together the interval is too narrow. `None`
/// where no degree of freedom is left, no stratum has two values, or one is not finite.
pub fn slope(strata: &[Vec<f64>], level: f64) -> Option<Location> {
    let strata = || strata.iter().filter(|values| !values.is_empty());
    let freedom = strata().map(Vec::len).sum::<usize>().checked_sub(strata().count() + 1).filter(|&left| left > 0)?;
    let places: Vec<f64> =
        strata().flat_map(|values| centred(&(0..values.len()).map(|place| place as f64).collect::<Vec<_>>())).collect();
    let values: Vec<f64> = strata().flat_map(|values| centred(values)).collect();
    let squares = dot(&places, &places);
    if squares <= 0.0 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let estimate = dot(&places, &values) / squares;
    let rest: f64 = values.iter().zip(&places).map(|(value, place)| (value - estimate * place).powi(2)).sum();
    let error = (rest / freedom as f64 / squares).sqrt();
    let (half_width, p) = if error > 0.0 {
        (critical(level, freedom) * error, two_sided(estimate / error, freedom))
    } else {
        (0.0, if estimate.abs() > 0.0 { 0.0 } else { 1.0 })
    };
    Some(Location { estimate, low: estimate - half_width, high: estimate + half_width, level, p })
}

/// The mean over blocks of each block's slope, with a t interval: by how much a value grows from one place of a block to
/// the next.
///
/// Each block is its places with its values; what arms differ by must have been taken out of the values. Blocks with
/// fewer than two distinct places are passed over.
pub fn mean_slope(blocks: &[Vec<(f64, f64)>], level: f64) -> Option<Location> {
    let of_block = |block: &Vec<(f64, f64)>| {
        let places = centred(&block.iter().map(|(place, _)| *place).collect::<Vec<_>>());
        let values: Vec<f64> = block.iter().map(|(_, value)| *value).collect();
        let squares = dot(&places, &places);
        (squares > 0.0).then(|| dot(&places, &values) / squares)
    };
    student::mean(&blocks.iter().filter_map(of_block).collect::<Vec<_>>(), level)
}

fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| value - mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_has_its_slope_and_no_doubt() {
        let line = slope(&[vec![1.0, 1.5, 2.0, 2.5]], 0.05).expect("four values");
        assert!((line.estimate - 0.5).abs() < 1e-14 && line.half_width() < 1e-12, "{line:?}");
        assert_eq!(slope(&[vec![1.0, 2.0]], 0.05), None);
        assert_eq!(slope(&[vec![1.0, 2.0, f64::NAN]], 0.05), None);
        assert_eq!(slope(&[], 0.05), None);
    }

    #[test]
    fn a_step_from_one_stratum_to_the_next_is_no_slope() {
        let strata = [vec![1.0, 1.5, 2.0], vec![], vec![9.0, 9.5], vec![7.0]];
        let line = slope(&strata, 0.05).expect("six values less four");
        assert!((line.estimate - 0.5).abs() < 1e-14 && line.half_width() < 1e-12, "{line:?}");
        assert_eq!(slope(&[vec![1.0], vec![2.0], vec![3.0], vec![4.0]], 0.05), None);
    }

    #[test]
    fn the_common_slope_is_that_of_dummy_variables() {
        // y = (1, 2, 4 | 10, 10): within slopes from Σxy = 3 + 0 and Σxx = 2 + 0.5; residual squares Σyy − (Σxy)²/Σxx.
        let line = slope(&[vec![1.0, 2.0, 4.0], vec![10.0, 10.0]], 0.05).expect("two degrees of freedom");
        let rest = 14.0 / 3.0 - 9.0 / 2.5;
        let error = (rest / 2.0_f64 / 2.5).sqrt();
        assert!((line.estimate - 1.2).abs() < 1e-14, "{line:?}");
        // t(0.975; 2) = 4.302652729749464, from tables.
        assert!((line.half_width() - 4.302_652_729_749_464 * error).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn slopes_of_blocks_are_averaged() {
        let blocks = [vec![(0.0, 1.0), (1.0, 1.2)], vec![(0.0, 9.0), (2.0, 9.2)], vec![(3.0, 1.0)], vec![]];
        let slope = mean_slope(&blocks, 0.05).expect("two blocks");
        assert!((slope.estimate - 0.15).abs() < 1e-12, "{slope:?}");
        assert_eq!(mean_slope(&[], 0.05), None);
    }
}
