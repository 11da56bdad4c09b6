//! Numbers as people read them: a unit that fits, as many digits as mean something, a sign on every change.
//!
//! Nothing here decides anything; the same function makes the text of the terminal, the page and the summary.

use serde::Serialize;

use crate::experiment::Metric;
use crate::judge::Interval;

/// What stands in for a number that is not there or is none.
pub(super) const ABSENT: &str = "n/a";

/// What a metric is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
}

impl Unit {
    pub(super) fn of(metric: &Metric) -> Self {
        match metric {
            Metric::PeakRss => Self::Bytes,
            Metric::Total | Metric::Span | Metric::Phase(_) | Metric::Rest(_) => Self::Ns,
        }
    }

    /// The value with four significant digits and the unit that fits it.
    pub(super) fn show(self, value: Option<f64>) -> String {
        let Some(value) = value.filter(|value| value.is_finite()) else { return ABSENT.to_owned() };
        let units: &[(&str, f64)] = match self {
            Self::Ns => &[("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
            Self::Bytes => &[("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)],
        };
        let limit = if self == Self::Ns { 999.95 } else { 1023.95 };
        let (name, scale) =
            units.iter().find(|(_, scale)| (value / scale).abs() < limit).or(units.last()).unwrap_or(&("", 1.0));
        format!("{} {name}", significant(value / scale, *scale > 1.0))
    }
}

/// Four significant digits; whole numbers of the smallest unit have no fraction to show.
fn significant(value: f64, fraction: bool) -> String {
    let decimals = match value.abs() {
        _ if !fraction => 0,
        size if size < 9.9995 => 3,
        size if size < 99.995 => 2,
        size if size < 999.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Changes in percent, with the same number of decimals wherever the same minimum effect applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Percent {
    decimals: usize,
}

impl Percent {
    /// One decimal, and one more for each power of ten that the smallest change that matters lies below 1%.
    pub(super) fn for_min_effect(min_effect: f64) -> Self {
        let decimals = match min_effect {
            d if d >= 0.00995 => 1,
            d if d >= 0.000_995 => 2,
            _ => 3,
        };
        Self { decimals }
    }

    /// `+3.1%`, `−0.4%`, `0.0%` for ratios 1.031, 0.996, 1.
    pub(super) fn change(self, ratio: f64) -> String {
        if !ratio.is_finite() {
            return ABSENT.to_owned();
        }
        let size = self.size(ratio - 1.0);
        let is_zero = !size.contains(|c: char| c.is_ascii_digit() && c != '0');
        match () {
            () if is_zero => size,
            () if ratio > 1.0 => format!("+{size}"),
            () => format!("−{size}"),
        }
    }

    /// `3.1%` for a change of 0.031 either way.
    pub(super) fn size(self, change: f64) -> String {
        let percent = (change * 100.0).abs();
        let decimals = if percent < 99.95 { self.decimals } else { 0 };
        format!("{percent:.decimals$}%")
    }

    /// `+1.9% to +4.2%`; an end that the sample does not bound is said in words.
    pub(super) fn interval(self, interval: &Interval) -> String {
        let low = (interval.low.is_finite() && interval.low > 0.0).then(|| self.change(interval.low));
        let high = interval.high.is_finite().then(|| self.change(interval.high));
        match (low, high) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            (Some(low), None) => format!("above {low}"),
            (None, Some(high)) => format!("below {high}"),
            (None, None) => "unbounded".to_owned(),
        }
    }

    /// `by 3.1% (1.9% to 4.2%)`, for a sentence that has already said which way.
    pub(super) fn by(self, interval: &Interval) -> String {
        let near = if interval.estimate < 1.0 { interval.high } else { interval.low };
        let far = if interval.estimate < 1.0 { interval.low } else { interval.high };
        let estimate = self.size(interval.estimate - 1.0);
        if far.is_finite() && far > 0.0 {
            format!("by {estimate} ({} to {})", self.size(near - 1.0), self.size(far - 1.0))
        } else {
            format!("by {estimate} (at least {})", self.size(near - 1.0))
        }
    }
}

/// A share as a plain percentage: `3%` for 0.03, `0.5%` for 0.005.
pub(super) fn share(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The confidence of an interval of this level, never rounded up to certainty: `95%`, `99.4%`, `99.998%`.
pub(super) fn confidence(level: f64) -> String {
    let doubt = level * 100.0;
    let decimals = if doubt > 0.0 { (1.0 - doubt.log10()).ceil().clamp(0.0, 6.0) } else { 1.0 };
    let power = 10_f64.powf(decimals);
    let text = format!("{:.6}", ((100.0 - doubt) * power).floor() / power);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A p-value with two significant digits.
pub(super) fn p_value(p: Option<f64>) -> String {
    match p {
        Some(p) if p.is_finite() && p < 0.0001 => "<0.0001".to_owned(),
        Some(p) if p.is_finite() && p < 0.001 => format!("{p:.5}"),
        Some(p) if p.is_finite() && p < 0.1 => format!("{p:.4}"),
        Some(p) if p.is_finite() => format!("{p:.2}"),
        _ => ABSENT.to_owned(),
    }
}

/// `1 block`, `2 blocks`.
pub(super) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_unit_that_fits() {
        let ns = |value| Unit::Ns.show(Some(value));
        assert_eq!(
            [ns(0.0), ns(512.0), ns(1_500.0), ns(412_345_678.0), ns(999_960_000.0), ns(2_034_567_890.0), ns(754e9)],
            ["0 ns", "512 ns", "1.500 µs", "412.3 ms", "1.000 s", "2.035 s", "754.0 s"]
        );
        assert_eq!(Unit::Bytes.show(Some(312.0 * 1_048_576.0)), "312.0 MiB");
        assert_eq!(Unit::Ns.show(Some(f64::NAN)), "n/a");
        assert_eq!(Unit::Ns.show(None), "n/a");
    }

    #[test]
    fn changes_carry_a_sign_and_the_experiments_precision() {
        let percent = Percent::for_min_effect(0.03);
        assert_eq!(
            [1.031, 0.9649, 1.0, 0.9999, 3.5].map(|r| percent.change(r)),
            ["+3.1%", "−3.5%", "0.0%", "0.0%", "+250%"]
        );
        assert_eq!(Percent::for_min_effect(0.005).change(1.00312), "+0.31%");
        assert_eq!(percent.change(f64::INFINITY), "n/a");
    }

    #[test]
    fn intervals_say_where_they_are_open() {
        let percent = Percent::for_min_effect(0.01);
        let interval = |estimate, low, high| Interval { estimate, low, high, level: 0.05 };
        assert_eq!(percent.interval(&interval(1.0, 0.99, 1.02)), "−1.0% to +2.0%");
        assert_eq!(percent.interval(&interval(1.0, 0.0, 1.02)), "below +2.0%");
        assert_eq!(percent.interval(&interval(1.0, 0.99, f64::INFINITY)), "above −1.0%");
        assert_eq!(percent.interval(&interval(1.0, 0.0, f64::INFINITY)), "unbounded");
        assert_eq!(percent.by(&interval(1.031, 1.019, 1.042)), "by 3.1% (1.9% to 4.2%)");
        assert_eq!(percent.by(&interval(0.95, 0.93, 0.97)), "by 5.0% (3.0% to 7.0%)");
        assert_eq!(percent.by(&interval(0.95, 0.0, 0.97)), "by 5.0% (at least 3.0%)");
    }

    #[test]
    fn confidence_is_never_rounded_up_to_certainty() {
        assert_eq!([0.05, 0.00625, 0.01, 2e-5].map(confidence), ["95%", "99.37%", "99%", "99.998%"]);
        assert_eq!([0.03, 0.005, 0.1].map(share), ["3%", "0.5%", "10%"]);
        assert_eq!(
            [0.00001, 0.00049, 0.0132, 0.73].map(|p| p_value(Some(p))),
            ["<0.0001", "0.00049", "0.0132", "0.73"]
        );
    }
}
