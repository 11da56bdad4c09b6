//! Benches: their names, metrics and how their output is read.

use regex::Regex;

use super::error::{Problem, hint};
use super::validate::{distinct, not_blank};
use super::{Bench, Metric, Parse, wire};

/// The named groups of a `parse = "regex"` pattern that hold a time, by its unit.
const TIME_GROUPS: [&str; 4] = ["ns", "us", "ms", "s"];

pub(super) fn benches(wire: Vec<wire::Bench>) -> Result<Vec<Bench>, Problem> {
    if wire.is_empty() {
        return Err(Problem::new("bench", "nothing to measure: add a [[bench]] with `name`, `args` and `metric`"));
    }
    let mut benches: Vec<Bench> = Vec::new();
    for (index, bench) in wire.into_iter().enumerate() {
        let table = format!("bench[{index}]");
        not_blank(format!("{table}.name"), &bench.name)?;
        if let Some(first) = benches.iter().position(|other| other.name == bench.name) {
            let text = format!("`{}` is already the name of bench[{first}]; give each its own", bench.name);
            return Err(Problem::new(format!("{table}.name"), text));
        }
        benches.push(checked_bench(&table, bench)?);
    }
    Ok(benches)
}

fn checked_bench(table: &str, wire: wire::Bench) -> Result<Bench, Problem> {
    let parse = parse(table, &wire.parse, wire.pattern)?;
    let metric = metric(table, &wire.metric, &parse)?;
    let iterations = iterations(table, wire.iterations, &parse)?;
    distinct(&format!("{table}.arms"), &wire.arms)?;
    let timeout = wire.timeout.map(|length| length.0);
    Ok(Bench { name: wire.name, args: wire.args, metric, parse, iterations, timeout, arms: wire.arms })
}

fn iterations(table: &str, count: Option<i64>, parse: &Parse) -> Result<u32, Problem> {
    let key = format!("{table}.iterations");
    match count {
        None => Ok(1),
        Some(_) if *parse != Parse::Protocol => {
            Err(Problem::new(key, "only a program that speaks the protocol repeats its work; leave the key out"))
        }
        Some(count) => match u32::try_from(count) {
            Ok(count) if count >= 1 => Ok(count),
            _ => Err(Problem::new(key, format!("{count} is no count; write a whole number from 1"))),
        },
    }
}

fn parse(table: &str, kind: &str, pattern: Option<String>) -> Result<Parse, Problem> {
    let key = format!("{table}.parse");
    match (kind, pattern) {
        ("regex", Some(pattern)) => regex(table, pattern),
        ("regex", None) => Err(Problem::new(format!("{table}.pattern"), "missing; parse = \"regex\" needs one")),
        ("protocol" | "process", Some(_)) => {
            Err(Problem::new(format!("{table}.pattern"), "only parse = \"regex\" has a pattern; leave the key out"))
        }
        ("protocol", None) => Ok(Parse::Protocol),
        ("process", None) => Ok(Parse::Process),
        ("criterion", _) => {
            Err(Problem::new(key, "\"criterion\" is not available yet; write \"protocol\", \"regex\" or \"process\""))
        }
        (other, _) => {
            let hint = hint(other, &["protocol", "regex", "process"]);
            Err(Problem::new(key, format!("unknown way to read a program's output `{other}`; {hint}")))
        }
    }
}

fn regex(table: &str, pattern: String) -> Result<Parse, Problem> {
    let key = format!("{table}.pattern");
    let regex = match Regex::new(&pattern) {
        Ok(regex) => regex,
        Err(error) => {
            // The last line says what is wrong; those above draw where.
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            return Err(Problem::new(key, format!("not a regular expression: {reason}")));
        }
    };
    let groups: Vec<&str> = regex.capture_names().flatten().collect();
    let times = groups.iter().filter(|group| TIME_GROUPS.contains(group)).count();
    if groups.contains(&"name") && times == 1 {
        return Ok(Parse::Regex(pattern));
    }
    Err(Problem::new(
        key,
        "needs the named group `name` and exactly one of `ns`, `us`, `ms`, `s`, such as `(?<name>\\w+)=(?<ms>\\d+)`",
    ))
}

fn metric(table: &str, name: &str, parse: &Parse) -> Result<Metric, Problem> {
    let key = format!("{table}.metric");
    let metric = match name {
        "total" => Metric::Total,
        "span" => Metric::Span,
        "peak_rss" => Metric::PeakRss,
        phase if is_identifier(phase) => Metric::Phase(phase.to_owned()),
        rest if *parse == Parse::Protocol && Metric::left_out(rest).is_some_and(is_identifier) => {
            Metric::Rest(rest.to_owned())
        }
        // The output names its phases as it likes.
        phase if matches!(parse, Parse::Regex(_)) && !phase.is_empty() && !phase.contains(char::is_control) => {
            Metric::Phase(phase.to_owned())
        }
        other => {
            let text = format!(
                "{other:?} is no metric; write \"total\", \"span\", \"peak_rss\", a phase such as \"synthesis\", or \
                 \"total-synthesis\" for the total without it"
            );
            return Err(Problem::new(key, text));
        }
    };
    match (parse, &metric) {
        (Parse::Process, metric) if *metric != Metric::Span => {
            let text = format!("parse = \"process\" times the whole process: write \"span\" instead of \"{name}\"");
            Err(Problem::new(key, text))
        }
        (Parse::Regex(_), Metric::PeakRss) => Err(Problem::new(
            key,
            "parse = \"regex\" reads times alone: write \"span\", \"total\" or a name in the output",
        )),
        _ => Ok(metric),
    }
}

/// Phases are named in lower case: a letter, then letters, digits and `_`.
fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
