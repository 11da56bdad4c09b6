//! One process's conversation: hello, iterations, bye.

use std::io::{BufRead, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::memory;
use super::message::{Event, Hello, Request};
use crate::timeline::{Phase, Span};

/// What is measured.
pub trait Bench {
    /// What an iteration leaves to be checked.
    type Output;

    /// The name a resident worker is asked for it by.
    fn name(&self) -> &'static str;

    /// One iteration. The clock runs in here, and starts after whatever the iteration is given has been made.
    fn measure(&mut self) -> Result<Measured<Self::Output>>;

    /// Checks what an iteration left, outside the clock.
    fn check(&mut self, output: Self::Output) -> Result<Checked>;
}

/// What an iteration took.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured<T> {
    /// Its phases.
    pub phases: Vec<Span>,
    /// From the start to the result.
    pub total_ns: u64,
    /// From the start until all memory is given back.
    pub span_ns: u64,
    /// What was chosen or counted.
    pub facts: Vec<(&'static str, Value)>,
    /// What is left to be checked.
    pub output: T,
}

/// What was found outside the clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// What was counted then.
    pub facts: Vec<(&'static str, Value)>,
    /// What was proved, by a bench that proves.
    pub proof: Option<ProofRecord>,
}

/// What was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofRecord {
    /// SHA-256 of the proofs' bytes in hexadecimal.
    pub digest: String,
    /// Whether every proof verifies.
    pub verified: bool,
}

/// A length of time as the protocol writes it.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A conversation that has said hello.
#[derive(Debug)]
pub struct Session<W> {
    output: W,
    /// The time it took to load; told with the first iteration.
    load_ns: Option<u64>,
    verified: bool,
}

impl<W: Write> Session<W> {
    /// Says hello. `load_ns` is how long the parameters took to load, where there are any.
    pub fn open(output: W, hello: &Hello, load_ns: Option<u64>) -> Result<Self> {
        let mut session = Self { output, load_ns, verified: true };
        session.send(&Event::Hello(hello))?;
        Ok(session)
    }

    /// Runs a cold iteration and `warm` warm ones, and says bye. `true` when every proof verified; the first that did not
    /// was the last iteration.
    pub fn run_batch(mut self, bench: &mut impl Bench, warm: u32) -> Result<bool> {
        for iteration in 0..=warm {
            let outcome = self.iterate(bench, iteration, iteration == 0);
            self.end_if_failed(outcome)?;
            if !self.verified {
                break;
            }
        }
        self.bye()
    }

    /// Answers each line of `requests` with an iteration, and says bye at their end. As [`Session::run_batch`] otherwise.
    pub fn run_resident(mut self, bench: &mut impl Bench, requests: impl BufRead) -> Result<bool> {
        for line in requests.lines() {
            let outcome = self.answer(bench, line);
            self.end_if_failed(outcome)?;
            if !self.verified {
                break;
            }
        }
        self.bye()
    }

    fn answer(&mut self, bench: &mut impl Bench, line: std::io::Result<String>) -> Result<()> {
        let line = line.context("reading a request from standard input failed")?;
        let request: Request = serde_json::from_str(&line).with_context(|| {
            format!(r#"request `{line}` is not of the form {{"run":"{}","iteration":0,"warmup":false}}"#, bench.name())
        })?;
        if request.run != bench.name() {
            bail!("request `{line}` asks for `{}`, but this worker was started to run `{}`", request.run, bench.name());
        }
        self.iterate(bench, request.iteration, request.warmup)
    }

    fn iterate<B: Bench>(&mut self, bench: &mut B, iteration: u32, warmup: bool) -> Result<()> {
        let mark_is_ours = memory::reset_peak();
        let measured = bench.measure()?;
        let peak_rss_bytes = if mark_is_ours { memory::peak_bytes() } else { None };
        let checked = bench.check(measured.output)?;

        let load = self.load_ns.take().map(|ns| Span { name: Phase::LoadParams, start_ns: 0, ns });
        for Span { name, start_ns, ns } in load.into_iter().chain(measured.phases) {
            self.send(&Event::Phase { iteration, warmup, name, start_ns, ns })?;
        }
        for (name, value) in measured.facts.iter().chain(&checked.facts) {
            self.send(&Event::Fact { name, value })?;
        }
        let (total_ns, span_ns) = (measured.total_ns, measured.span_ns);
        self.send(&Event::Total { iteration, warmup, total_ns, span_ns, peak_rss_bytes })?;
        if let Some(ProofRecord { digest, verified }) = checked.proof {
            self.verified &= verified;
            self.send(&Event::Proof { iteration, digest: &digest, verified })?;
        }
        Ok(())
    }

    /// A reader that still listens learns that no more will come.
    fn end_if_failed(&mut self, outcome: Result<()>) -> Result<()> {
        outcome.inspect_err(|_| {
            // The error itself is the caller's to tell; where even this line cannot be written, it says why.
            let _ = self.send(&Event::Bye { ok: false });
        })
    }

    fn bye(mut self) -> Result<bool> {
        self.send(&Event::Bye { ok: self.verified })?;
        Ok(self.verified)
    }

    fn send(&mut self, event: &Event<'_>) -> Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.output
            .write_all(&line)
            .and_then(|()| self.output.flush())
            .context("standard output was closed before the bench had ended")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::message::PROTOCOL;

    /// A bench whose iterations are numbered from 1, and whose proof `wrong` does not verify.
    struct Mock {
        iterations: u32,
        wrong: u32,
        fails: u32,
    }

    impl Bench for Mock {
        type Output = u32;

        fn name(&self) -> &'static str {
            "mock"
        }

        fn measure(&mut self) -> Result<Measured<u32>> {
            self.iterations += 1;
            anyhow::ensure!(self.iterations != self.fails, "it failed");
            let phases = vec![Span { name: Phase::MsmBG2, start_ns: 1, ns: 2 }];
            let facts = vec![("n", Value::from(self.iterations))];
            Ok(Measured { phases, total_ns: 3, span_ns: 4, facts, output: self.iterations })
        }

        fn check(&mut self, output: u32) -> Result<Checked> {
            let proof = ProofRecord { digest: format!("d{output}"), verified: output != self.wrong };
            Ok(Checked { facts: vec![("m", Value::Null)], proof: Some(proof) })
        }
    }

    fn hello() -> Hello {
        Hello {
            protocol: PROTOCOL,
            program: "mock",
            version: "1",
            features: vec!["smallvec"],
            stamp: None,
            backend: "cpu",
            device: "none".to_owned(),
            threads: 1,
        }
    }

    /// The lines without the measured memory, and what the session returned.
    fn talk(
        mut bench: Mock,
        run: impl FnOnce(Session<&mut Vec<u8>>, &mut Mock) -> Result<bool>,
    ) -> (Vec<String>, Result<bool>) {
        let mut bytes = Vec::new();
        let session = Session::open(&mut bytes, &hello(), Some(9)).unwrap();
        let result = run(session, &mut bench);
        let strip = |line: &str| line.split(r#","peak_rss_bytes""#).next().unwrap().to_owned();
        (String::from_utf8(bytes).unwrap().lines().map(strip).collect(), result)
    }

    const HELLO: &str = r#"{"ev":"hello","protocol":1,"program":"mock","version":"1","features":["smallvec"],"stamp":null,"backend":"cpu","device":"none","threads":1}"#;

    #[test]
    fn a_batch_is_cold_then_warm() {
        let (lines, result) =
            talk(Mock { iterations: 0, wrong: 0, fails: 0 }, |session, bench| session.run_batch(bench, 1));
        assert!(result.unwrap());
        let expected = [
            HELLO,
            r#"{"ev":"phase","iteration":0,"warmup":true,"name":"load_params","start_ns":0,"ns":9}"#,
            r#"{"ev":"phase","iteration":0,"warmup":true,"name":"msm_b_g2","start_ns":1,"ns":2}"#,
            r#"{"ev":"fact","name":"n","value":1}"#,
            r#"{"ev":"fact","name":"m","value":null}"#,
            r#"{"ev":"total","iteration":0,"warmup":true,"total_ns":3,"span_ns":4"#,
            r#"{"ev":"proof","iteration":0,"digest":"d1","verified":true}"#,
            r#"{"ev":"phase","iteration":1,"warmup":false,"name":"msm_b_g2","start_ns":1,"ns":2}"#,
            r#"{"ev":"fact","name":"n","value":2}"#,
            r#"{"ev":"fact","name":"m","value":null}"#,
            r#"{"ev":"total","iteration":1,"warmup":false,"total_ns":3,"span_ns":4"#,
            r#"{"ev":"proof","iteration":1,"digest":"d2","verified":true}"#,
            r#"{"ev":"bye","ok":true}"#,
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_resident_worker_answers_with_the_numbers_it_was_given() {
        let requests =
            "{\"run\":\"mock\",\"iteration\":3,\"warmup\":false}\n{\"run\":\"mock\",\"iteration\":9,\"warmup\":true}\n";
        let (lines, result) = talk(Mock { iterations: 0, wrong: 0, fails: 0 }, |session, bench| {
            session.run_resident(bench, requests.as_bytes())
        });
        assert!(result.unwrap());
        assert_eq!(lines[1], r#"{"ev":"phase","iteration":3,"warmup":false,"name":"load_params","start_ns":0,"ns":9}"#);
        assert_eq!(lines[6], r#"{"ev":"proof","iteration":3,"digest":"d1","verified":true}"#);
        assert_eq!(lines[11], r#"{"ev":"proof","iteration":9,"digest":"d2","verified":true}"#);
        assert_eq!(lines[12..], [r#"{"ev":"bye","ok":true}"#]);
    }

    #[test]
    fn a_wrong_proof_ends_the_session_with_a_failed_bye() {
        let (lines, result) =
            talk(Mock { iterations: 0, wrong: 2, fails: 0 }, |session, bench| session.run_batch(bench, 5));
        assert!(!result.unwrap());
        let end = [r#"{"ev":"proof","iteration":1,"digest":"d2","verified":false}"#, r#"{"ev":"bye","ok":false}"#];
        assert_eq!(lines[lines.len() - 2..], end);
    }

    #[test]
    fn a_failed_iteration_gives_no_time() {
        let (lines, result) =
            talk(Mock { iterations: 0, wrong: 0, fails: 1 }, |session, bench| session.run_batch(bench, 5));
        assert_eq!(result.unwrap_err().to_string(), "it failed");
        assert_eq!(lines, [HELLO, r#"{"ev":"bye","ok":false}"#]);
    }

    #[test]
    fn bad_requests_are_errors_that_show_the_right_form() {
        for (request, expected) in [
            (r#"{"run":"other","iteration":0,"warmup":false}"#, "this worker was started to run `mock`"),
            (r#"{"run":"mock"}"#, r#"is not of the form {"run":"mock","iteration":0,"warmup":false}"#),
            ("", "request `` is not of the form"),
        ] {
            let request = format!("{request}\n");
            let (lines, result) = talk(Mock { iterations: 0, wrong: 0, fails: 0 }, |session, bench| {
                session.run_resident(bench, request.as_bytes())
            });
            let error = result.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(lines, [HELLO, r#"{"ev":"bye","ok":false}"#]);
        }
    }

    #[test]
    fn a_reader_that_went_away_is_an_error() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        assert!(Session::open(Closed, &hello(), None).is_err());
    }
}
