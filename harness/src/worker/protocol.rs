//! The worker protocol, version 1: JSON lines on stdout, read strictly.
//!
//! The wire types are private. What comes out is a [`Report`] of a process that did everything it was asked for, or the
//! reason why its numbers may not be used, naming the line. Fields that this version does not know are left alone, so
//! that a program may say more; events that it does not know are not.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;

use crate::record::{Measurement, Phase};

/// The version that is spoken here.
pub const VERSION: u32 = 1;

/// The argument, followed by a number, that asks for so many warm iterations after the cold one.
pub const ITERATIONS_FLAG: &str = "--iterations";

/// How deep the value of a fact may be nested. JSON is read down to 128 levels, and a sample stands around it.
const DEEPEST_FACT: usize = 32;

/// What a program says of itself before anything else.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Hello {
    /// The protocol's version.
    pub protocol: u32,
    /// The program's name.
    pub program: String,
    /// Its version.
    #[serde(default)]
    pub version: Option<String>,
    /// The features it was built with.
    #[serde(default)]
    pub features: Vec<String>,
    /// Digest of its native inputs.
    #[serde(default)]
    pub stamp: Option<String>,
    /// What it computes on.
    #[serde(default)]
    pub backend: Option<String>,
    /// The device's name.
    #[serde(default)]
    pub device: Option<String>,
    /// Threads it uses.
    #[serde(default)]
    pub threads: Option<u32>,
}

/// Everything a process reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Who it is.
    pub hello: Hello,
    /// The first iteration.
    pub cold: Measurement,
    /// The others, in order.
    pub warm: Vec<Measurement>,
    /// What it chose.
    pub facts: BTreeMap<String, serde_json::Value>,
    /// Digest of the first iteration's proof.
    pub proof: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "ev", rename_all = "snake_case")]
enum Event {
    Hello(Hello),
    Phase { iteration: u32, warmup: bool, name: String, start_ns: u64, ns: u64 },
    Total { iteration: u32, warmup: bool, total_ns: u64, span_ns: u64, peak_rss_bytes: Option<u64> },
    Proof { iteration: u32, digest: String, verified: bool },
    Fact { name: String, value: serde_json::Value },
    Bye { ok: bool },
}

/// Reads the first line of a program's output as its hello.
pub fn hello(stdout: &[u8]) -> Result<Hello, String> {
    let (number, line) = lines(stdout)?.next().ok_or("nothing was printed, expected a `hello`")?;
    expect_hello(number, line)
}

/// Whether the program is a build of the arm by the features that it tells: all that were asked for, and no other. Those that
/// are `implied` it may tell or not; a feature of a dependency, `name/feature`, is nothing that it knows of itself. The
/// error says what it tells and what it should.
pub fn same_features(hello: &Hello, asked: &[String], implied: &[String]) -> Result<(), String> {
    let own = |name: &&str| *name != "default" && !name.contains('/');
    let says: BTreeSet<&str> = hello.features.iter().map(String::as_str).filter(own).collect();
    let wanted: BTreeSet<&str> = asked.iter().map(String::as_str).filter(own).collect();
    let implied: BTreeSet<&str> = implied.iter().map(String::as_str).collect();
    if wanted.symmetric_difference(&says).all(|name| implied.contains(name)) {
        return Ok(());
    }
    Err(format!("the program says its features are {}, the arm's are {}", list(&says), list(&wanted)))
}

/// The program's stamp against that of the archive in its build. Without an archive that has one, nothing is asked.
pub fn same_stamp(hello: &Hello, expected: Option<&str>) -> Result<(), String> {
    match (hello.stamp.as_deref(), expected) {
        (_, None) => Ok(()),
        (Some(says), Some(expected)) if says == expected => Ok(()),
        (Some(says), Some(expected)) => {
            Err(format!("the program says its stamp is {says}, its archive's is {expected}"))
        }
        (None, Some(expected)) => Err(format!("the program says no stamp, its archive's is {expected}")),
    }
}

fn list(names: &BTreeSet<&str>) -> String {
    format!("[{}]", names.iter().copied().collect::<Vec<_>>().join(", "))
}

/// Reads the whole output of a process that was asked for `iterations` warm iterations.
pub fn report(stdout: &[u8], iterations: u32) -> Result<Report, String> {
    let mut lines = lines(stdout)?;
    let (number, line) = lines.next().ok_or("nothing was printed, expected a `hello`")?;
    let mut reader = Reader::new(expect_hello(number, line)?);
    for (number, line) in lines {
        reader.take(event(number, line)?).map_err(|reason| format!("line {number}: {reason}: {}", quoted(line)))?;
    }
    reader.finish(iterations)
}

fn lines(stdout: &[u8]) -> Result<impl Iterator<Item = (usize, &str)>, String> {
    let text = std::str::from_utf8(stdout)
        .map_err(|error| format!("the output is not UTF-8 from byte {} on", error.valid_up_to()))?;
    Ok(text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.trim().is_empty()))
}

fn expect_hello(number: usize, line: &str) -> Result<Hello, String> {
    let Event::Hello(hello) = event(number, line)? else {
        return Err(format!("line {number}: expected a `hello` first: {}", quoted(line)));
    };
    if hello.protocol != VERSION {
        return Err(format!("the program speaks protocol {}, expected {VERSION}", hello.protocol));
    }
    Ok(hello)
}

fn event(number: usize, line: &str) -> Result<Event, String> {
    serde_json::from_str(line)
        .map_err(|error| format!("line {number} is not an event of the protocol ({error}): {}", quoted(line)))
}

/// The line, cut where it is long.
pub(super) fn quoted(line: &str) -> String {
    const LONGEST: usize = 160;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

/// Puts the events of a process together.
struct Reader {
    hello: Hello,
    iterations: BTreeMap<u32, Iteration>,
    facts: BTreeMap<String, serde_json::Value>,
    proof: Option<String>,
    bye: Option<bool>,
}

#[derive(Default)]
struct Iteration {
    measurement: Measurement,
    complete: bool,
}

impl Reader {
    fn new(hello: Hello) -> Self {
        Self { hello, iterations: BTreeMap::new(), facts: BTreeMap::new(), proof: None, bye: None }
    }

    fn take(&mut self, event: Event) -> Result<(), String> {
        if self.bye.is_some() {
            return Err("an event after `bye`".to_owned());
        }
        match event {
            Event::Hello(_) => return Err("a second `hello`".to_owned()),
            Event::Phase { iteration, warmup, name, start_ns, ns } => {
                check_warmup(iteration, warmup)?;
                let entry = self.iterations.entry(iteration).or_default();
                entry.measurement.phases.push(Phase { name, start_ns, ns });
            }
            Event::Total { iteration, warmup, total_ns, span_ns, peak_rss_bytes } => {
                check_warmup(iteration, warmup)?;
                let entry = self.iterations.entry(iteration).or_default();
                if std::mem::replace(&mut entry.complete, true) {
                    return Err(format!("a second `total` of iteration {iteration}"));
                }
                entry.measurement.total_ns = Some(total_ns);
                entry.measurement.span_ns = Some(span_ns);
                entry.measurement.peak_rss_bytes = peak_rss_bytes;
            }
            Event::Proof { iteration, verified: false, .. } => {
                return Err(format!("the proof of iteration {iteration} does not verify"));
            }
            Event::Proof { iteration, digest, verified: true } => {
                if iteration == 0 {
                    self.proof = Some(digest);
                }
            }
            Event::Fact { name, value } => {
                if depth(&value) > DEEPEST_FACT {
                    return Err(format!("the fact's value is nested deeper than {DEEPEST_FACT} levels"));
                }
                self.facts.insert(name, value);
            }
            Event::Bye { ok } => self.bye = Some(ok),
        }
        Ok(())
    }

    fn finish(mut self, iterations: u32) -> Result<Report, String> {
        match self.bye {
            None => return Err("the output ends without a `bye`".to_owned()),
            Some(false) => return Err("the program says that it failed: `bye` is not ok".to_owned()),
            Some(true) => {}
        }
        let mut measured = Vec::new();
        for number in 0..=iterations {
            match self.iterations.remove(&number) {
                Some(Iteration { mut measurement, complete: true }) => {
                    measurement.phases.sort_by_key(|phase| phase.start_ns);
                    measured.push(measurement);
                }
                _ => return Err(format!("no `total` of iteration {number}: asked for 0 to {iterations}")),
            }
        }
        if let Some(number) = self.iterations.keys().next() {
            return Err(format!("iteration {number} was not asked for: asked for 0 to {iterations}"));
        }
        let warm = measured.split_off(1);
        let cold = measured.remove(0);
        Ok(Report { cold, warm, facts: self.facts, proof: self.proof, hello: self.hello })
    }
}

/// How many arrays and objects stand around the innermost value.
fn depth(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        serde_json::Value::Object(items) => 1 + items.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The first iteration is the warm-up, the others are not.
fn check_warmup(iteration: u32, warmup: bool) -> Result<(), String> {
    if warmup == (iteration == 0) {
        return Ok(());
    }
    Err(format!("iteration {iteration} has `warmup` {warmup}; iteration 0 alone is the warm-up"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_must_say_the_stamp_of_its_archive() {
        let says = |stamp: &str| {
            let line = format!("{{\"ev\":\"hello\",\"protocol\":1,\"program\":\"p\",\"stamp\":{stamp}}}\n");
            hello(line.as_bytes()).expect("a hello")
        };
        assert_eq!(same_stamp(&says("\"ab\""), Some("ab")), Ok(()));
        assert_eq!(same_stamp(&says("\"ab\""), None), Ok(()), "nothing is known of the archive");
        let other = same_stamp(&says("\"ab\""), Some("cd")).expect_err("another");
        assert_eq!(other, "the program says its stamp is ab, its archive's is cd");
        let none = same_stamp(&says("null"), Some("cd")).expect_err("none");
        assert_eq!(none, "the program says no stamp, its archive's is cd");
    }
}
