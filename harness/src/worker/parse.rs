//! Numbers out of programs that do not speak the protocol.
//!
//! One process is one measurement. A number is what the group caught, whole or not at all: where it caught only `1` of
//! `1,024,312`, the sample failed.

use regex::{Captures, Regex};

use super::cut;
use super::protocol::quoted;
use crate::record::{Measurement, Phase};

/// The groups that hold a time, and how many nanoseconds one of it has.
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];

/// Reads every line of stdout that matches the expression as a phase named by its group `name`; the names `total` and
/// `span` stand for themselves. `span` is otherwise the process from start to exit, `wall_ns`.
pub fn regex(expression: &str, stdout: &[u8], wall_ns: u64) -> Result<Measurement, String> {
    let expression = Regex::new(expression).map_err(|error| format!("the bench's `pattern`: {error}"))?;
    let text = String::from_utf8_lossy(stdout);
    let mut measurement = Measurement::default();
    let mut matches = 0;
    for (index, line) in text.lines().enumerate() {
        for captures in expression.captures_iter(line) {
            matches += 1;
            let (name, ns) = time(&expression, &captures, line)
                .map_err(|reason| format!("line {} of the output: {reason}: {}", index + 1, quoted(line)))?;
            enter(&mut measurement, name, ns)?;
        }
    }
    if matches == 0 {
        return Err(format!("no line of the output matches `{expression}`"));
    }
    measurement.span_ns.get_or_insert(wall_ns);
    Ok(measurement)
}

/// The process from start to exit.
pub fn process(wall_ns: u64) -> Measurement {
    Measurement { span_ns: Some(wall_ns), ..Measurement::default() }
}

/// The starts of phases are not known here and stay zero.
fn enter(measurement: &mut Measurement, name: &str, ns: u64) -> Result<(), String> {
    let slot = match name {
        "total" => &mut measurement.total_ns,
        "span" => &mut measurement.span_ns,
        _ => {
            measurement.phases.push(Phase { name: name.to_owned(), start_ns: 0, ns });
            return Ok(());
        }
    };
    match slot.replace(ns) {
        None => Ok(()),
        Some(_) => Err(format!("the output has `{name}` more than once")),
    }
}

fn time<'a>(expression: &Regex, captures: &Captures<'a>, line: &'a str) -> Result<(&'a str, u64), String> {
    let name = captures.name("name").ok_or("the expression's group `name` caught nothing")?.as_str();
    let (unit, group, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| Some((*unit, captures.name(unit)?, factor)))
        .ok_or("none of the expression's groups `ns`, `us`, `ms`, `s` caught anything")?;
    cut::check(expression, captures, unit, line)?;
    let text = group.as_str();
    let value = number(text).ok_or_else(|| format!("`{text}` is not a time"))? * factor;
    // 2^63 nanoseconds are 292 years.
    if value >= 9.2e18 {
        return Err(format!("`{text}` is not a time"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9.2e18")]
    Ok((name, value.round() as u64))
}

/// A finite number that is not negative, with or without thousands separators.
fn number(text: &str) -> Option<f64> {
    let (integer, rest) = text.split_at(text.find(['.', 'e', 'E']).unwrap_or(text.len()));
    let separated = |separator: char| {
        let mut groups = integer.split(separator);
        let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
        first && groups.all(|group| group.len() == 3)
    };
    let plain = integer.chars().all(|c| c.is_ascii_digit());
    let grouped = (integer.contains(',') && separated(',')) || (integer.contains('_') && separated('_'));
    if integer.is_empty() || !(plain || grouped) {
        return None;
    }
    let digits: String = integer.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    if !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    format!("{digits}{rest}").parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPRESSION: &str = r"(?P<name>\w+): (?P<ns>\S+) ns";

    fn phase(expression: &str, line: &str) -> Result<u64, String> {
        Ok(regex(expression, line.as_bytes(), 7)?.phase_ns("work").expect("a phase of that name"))
    }

    #[test]
    fn a_number_with_separators_is_taken_whole() {
        assert_eq!(phase(EXPRESSION, "work: 1,024,312 ns"), Ok(1_024_312));
        assert_eq!(phase(r"(?P<name>\w+): (?P<ns>[\d,]+)", "work: 1,024,312 ns"), Ok(1_024_312));
        assert_eq!(phase(EXPRESSION, "work: 1_024_312 ns"), Ok(1_024_312));
    }

    #[test]
    fn a_number_ends_where_the_expression_says_so_or_the_sample_failed() {
        assert_eq!(phase(r"^(?<name>\w+),(?<ms>\d+),", "work,123,456"), Ok(123_000_000));
        assert_eq!(phase(r"(?<name>work)_8_(?<ms>\d+)ms", "work_8_120ms"), Ok(120_000_000));
        for expression in [r"(?<name>work): (?<ns>\d+)", r"(?<name>work).*?(?<ns>\d+) ns"] {
            for line in ["work: 250,300,410 ns", "work: 1,024,312 ns"] {
                let reason = phase(expression, &format!("\n{line}")).expect_err(line);
                assert!(reason.contains("line 2") && reason.contains("cut from a longer number"), "{reason}");
            }
        }
    }

    #[test]
    fn units_are_those_of_the_group() {
        assert_eq!(phase(r"(?P<name>\w+): (?P<us>\S+)", "work: 2.5"), Ok(2_500));
        assert_eq!(phase(r"(?P<name>\w+): (?P<ms>\S+)", "work: 1.5e1"), Ok(15_000_000));
        assert_eq!(phase(r"(?P<name>\w+)_s=(?P<s>\d+)", "work_s=3"), Ok(3_000_000_000));
        let cuzk = r"CUZK_TIMING: (?P<name>\w+)_ms=(?P<ms>\d+)";
        assert_eq!(phase(cuzk, "CUZK_TIMING: work_ms=2430"), Ok(2_430_000_000));
    }

    #[test]
    fn what_is_no_time_fails_with_its_line() {
        for text in ["NaN", "inf", "1e999", "-1", "-0.5", "1,02,3", ",5", "12,", "1.2.3", "", "abc", "1e300"] {
            let expression = r"(?P<name>\w+): \[(?P<ns>[^\]]*)\]";
            let line = format!("work: [{text}]");
            let reason = phase(expression, &format!("first\n{line}")).expect_err(text);
            assert!(reason.contains("line 2") && reason.contains(&line), "{reason}");
        }
    }

    #[test]
    fn a_line_split_by_an_error_text_is_no_match() {
        let reason = phase(EXPRESSION, "work: 1,024,\nerror: out of memory\n312 ns").expect_err("no match");
        assert!(reason.contains("no line of the output matches"), "{reason}");
    }

    #[test]
    fn total_and_span_stand_for_themselves_and_come_once() {
        let measurement = regex(EXPRESSION, b"total: 5 ns\nwork: 2 ns\nwork: 3 ns\n", 7).expect("three matches");
        assert_eq!((measurement.total_ns, measurement.span_ns), (Some(5), Some(7)));
        assert_eq!(measurement.phase_ns("work"), Some(5));
        let measurement = regex(EXPRESSION, b"span: 6 ns", 7).expect("a match");
        assert_eq!(measurement.span_ns, Some(6));
        assert!(regex(EXPRESSION, b"total: 5 ns\ntotal: 5 ns", 7).expect_err("twice").contains("more than once"));
    }
}
