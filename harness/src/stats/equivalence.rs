//! The minimum effect as a margin on the log scale.
//!
//! A minimum effect of δ = 5% means a factor of 1.05 either way: ratios from 1 ÷ 1.05 to 1.05 are "no change that
//! matters", and on the log scale the margin is symmetric, ± ln(1 + δ). So the verdict on A against B is the mirror image
//! of that on B against A. Downward the margin is therefore slightly narrower than δ itself: 1 ÷ 1.05 is −4.8%.

use super::location::Location;

/// ln(1 + `share`): the margin in log units of a minimum effect given as a share (0.05 for 5%).
pub fn margin(share: f64) -> f64 {
    share.ln_1p()
}

/// Whether the whole interval lies within ± `margin`: two one-sided tests at half the interval's level each
/// (Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987, 657–680).
pub fn inside(location: &Location, margin: f64) -> bool {
    -margin < location.low && location.high < margin
}

/// Whether the estimate is at least `margin` away from zero.
pub fn reaches(location: &Location, margin: f64) -> bool {
    location.estimate.abs() >= margin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(low: f64, estimate: f64, high: f64) -> Location {
        Location { estimate, low, high, level: 0.05, p: 0.5 }
    }

    #[test]
    fn a_mirrored_interval_is_judged_alike() {
        let margin = margin(0.05);
        assert!(inside(&location(0.0, 0.04, (1.0499_f64).ln()), margin));
        assert!(inside(&location(-(1.0499_f64).ln(), -0.04, 0.0), margin));
        assert!(!inside(&location(-(1.0501_f64).ln(), -0.04, 0.0), margin));
        assert!(reaches(&location(0.0, (1.05_f64).ln(), 1.0), margin));
        assert!(reaches(&location(-1.0, -(1.05_f64).ln(), 0.0), margin));
    }

    #[test]
    fn what_is_inside_never_reaches() {
        let margin = margin(0.01);
        for estimate in [-0.02, -margin, 0.0, margin, 0.02] {
            let location = location(estimate, estimate, estimate);
            assert!(!(inside(&location, margin) && reaches(&location, margin)), "{estimate}");
        }
    }

    #[test]
    fn an_unbounded_interval_is_never_inside() {
        assert!(!inside(&location(f64::NEG_INFINITY, 0.0, f64::INFINITY), margin(1e9)));
    }
}
