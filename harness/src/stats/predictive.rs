//! Whether going on is of any use: the probability, as seen from a look, that the last one will decide.
//!
//! With everything known so far and nothing believed beforehand, the estimate at the last look is scattered about the present
//! one as Student's t with the present degrees of freedom times s · √(1/n − 1/N): predictive power (Spiegelhalter,
//! Freedman and Blackburn, Controlled Clinical Trials 7, 1986, 8–17). Stopping when it is small costs a little power and can
//! never raise a false alarm, since a stop for futility accuses nobody.

use super::student::below;

/// Where an open comparison stands, in log units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The estimate now.
    pub estimate: f64,
    /// Standard deviation of an estimate from one block: that of n blocks is 1/√n of it.
    pub spread: f64,
    /// Blocks now.
    pub blocks: usize,
    /// Half the width that the interval will have at the last look.
    pub last_half_width: f64,
    /// Blocks at the last look.
    pub last_blocks: usize,
    /// The minimum effect.
    pub margin: f64,
}

impl Standing {
    /// The probability that the interval at the last look lies within the margin, or excludes no change with an estimate
    /// of at least the margin.
    pub fn chance(&self) -> f64 {
        let narrow = (self.margin - self.last_half_width).max(0.0);
        let wide = self.margin.max(self.last_half_width);
        self.within(narrow) + 1.0 - self.within(wide)
    }

    /// The probability that the last estimate is less than `reach` away from zero.
    fn within(&self, reach: f64) -> f64 {
        let ahead = (1.0 / self.blocks as f64 - 1.0 / self.last_blocks as f64).max(0.0);
        let scatter = self.spread * ahead.sqrt();
        if scatter.is_nan() || scatter <= 0.0 {
            return if self.estimate.abs() < reach { 1.0 } else { 0.0 };
        }
        let degrees = self.blocks.saturating_sub(1);
        below((reach - self.estimate) / scatter, degrees) - below((-reach - self.estimate) / scatter, degrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Standing =
        Standing { estimate: 0.0, spread: 0.01, blocks: 8, last_half_width: 0.004, last_blocks: 32, margin: 0.01 };

    /// `scipy.stats.t` 1.17.1: 1 − 2·sf(.006 / (.01 · √(1/8 − 1/32)), 7) + 2·sf(.01 / …, 7).
    #[test]
    fn the_chance_is_students() {
        assert!((OPEN.chance() - 0.922_875_942_1).abs() < 1e-9, "{}", OPEN.chance());
    }

    #[test]
    fn an_interval_that_stays_too_wide_about_a_small_estimate_is_hopeless() {
        let hopeless = Standing { spread: 0.03, last_half_width: 0.05, blocks: 24, ..OPEN };
        assert!(hopeless.chance() < 1e-6, "{}", hopeless.chance());
        let clear = Standing { estimate: 0.08, ..hopeless };
        assert!(clear.chance() > 0.95, "{}", clear.chance());
    }

    #[test]
    fn without_scatter_or_blocks_ahead_the_answer_is_yes_or_no() {
        for standing in [Standing { spread: 0.0, ..OPEN }, Standing { blocks: 32, ..OPEN }] {
            assert!((standing.chance() - 1.0).abs() < 1e-15);
            let between = Standing { estimate: 0.008, ..standing };
            assert!(between.chance() < 1e-15);
        }
    }
}
