//! An estimate with its interval, on the log scale.

/// Where values lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval; −∞ where the values are too few for the level.
    pub low: f64,
    /// Upper end; +∞ where the values are too few.
    pub high: f64,
    /// One minus the interval's confidence.
    pub level: f64,
    /// The smallest level whose interval excludes zero: at most `level` exactly where this one does.
    pub p: f64,
}

impl Location {
    /// Whether zero lies outside the interval.
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Half the interval's width; +∞ where the interval is unbounded.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}
