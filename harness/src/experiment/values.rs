//! Values with a notation of their own: percentages and lengths of time.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// A share written as a percentage: `"1%"` is 0.01.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Percentage(pub(super) f64);

/// A length of time written in hours, minutes and seconds: `"4h"`, `"1h30m"`, `"90s"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length(pub(super) Duration);

impl<'de> Deserialize<'de> for Percentage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Notation {
            expecting: "a percentage as a string, such as \"1%\" or \"0.5%\"",
            parse: |text| percentage(text).map(Percentage),
        })
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Notation {
            expecting: "a length of time as a string, such as \"4h\", \"1h30m\" or \"90s\"",
            parse: |text| length(text).map(Length),
        })
    }
}

/// Reads a string by a function and names the notation where it cannot.
struct Notation<T> {
    expecting: &'static str,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Notation<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

fn percentage(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%')?.trim_end();
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    number.parse::<f64>().ok().map(|number| number / 100.0)
}

/// Whole numbers, each with its unit, the larger unit first and none twice.
pub(crate) fn length(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0u64;
    for (unit, unit_seconds) in [('h', 3600), ('m', 60), ('s', 1)] {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(after) = rest[digits..].strip_prefix(unit) {
            let count: u64 = rest[..digits].parse().ok()?;
            seconds = seconds.checked_add(count.checked_mul(unit_seconds)?)?;
            rest = after;
        }
    }
    (rest.is_empty() && seconds > 0).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages() {
        assert_eq!(percentage("1%"), Some(0.01));
        assert_eq!(percentage("0.5%"), Some(0.005));
        assert_eq!(percentage("10 %"), Some(0.1));
        for bad in ["1", "%", "-1%", "one%", "1e9999%", "NaN%", "inf%", ".%", "1%%"] {
            assert_eq!(percentage(bad), None, "{bad}");
        }
    }

    #[test]
    fn lengths() {
        let seconds = |text| length(text).map(|length| length.as_secs());
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("4h"), Some(14_400));
        assert_eq!(seconds("1h30m"), Some(5_400));
        assert_eq!(seconds("1h2m3s"), Some(3_723));
        for bad in ["", "h", "4", "4d", "30m1h", "1m1m", "-1s", "1.5h", "0s", "99999999999999999999h", "1s ", "é"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
