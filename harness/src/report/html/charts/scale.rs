//! A linear scale from values to places, and round values to mark on it.

/// Maps `from..to` to `start..end`. Values outside land outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// A scale over a range of values; an empty range is widened, so that a single value has a place.
    pub(super) fn new((from, to): (f64, f64), (start, end): (f64, f64)) -> Self {
        let widen = if to > from { 0.0 } else { from.abs().max(1.0) * 0.05 };
        Self { from: from - widen, to: to + widen, start, end }
    }

    /// The place of a value, to a tenth of a unit.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = (value - self.from) / (self.to - self.from);
        ((self.start + share * (self.end - self.start)) * 10.0).round() / 10.0
    }

    /// Whether the value lies within the range.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }

    /// Round values within the range, about `wanted` of them.
    pub(super) fn ticks(&self, wanted: u32) -> Vec<f64> {
        let raw = (self.to - self.from) / f64::from(wanted.max(1));
        let power = 10_f64.powf(raw.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= raw * 0.999).unwrap_or(raw);
        let first = (self.from / step).ceil();
        (0..=2 * wanted).map(|n| (first + f64::from(n)) * step).take_while(|tick| *tick <= self.to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_map_to_ends_and_ticks_are_round() {
        let scale = Scale::new((0.0, 0.97), (10.0, 110.0));
        assert_eq!([scale.place(0.0), scale.place(0.97)].map(|x| format!("{x:.1}")), ["10.0", "110.0"]);
        assert_eq!(
            scale.ticks(5).iter().map(|t| format!("{t:.1}")).collect::<Vec<_>>(),
            ["0.0", "0.2", "0.4", "0.6", "0.8"]
        );
    }

    #[test]
    fn a_single_value_lies_in_the_middle() {
        let scale = Scale::new((7.0, 7.0), (0.0, 100.0));
        assert!((scale.place(7.0) - 50.0).abs() < 1e-9);
        assert!(!scale.ticks(3).is_empty());
        assert!((Scale::new((0.0, 0.0), (0.0, 100.0)).place(0.0) - 50.0).abs() < 1e-9);
    }
}
