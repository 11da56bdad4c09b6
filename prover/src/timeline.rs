//! Where the time of one iteration went: named phases with a start and a length.
//!
//! Phases are returned, never printed, and may overlap: each carries its start, counted from the start of the iteration.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Serialize;

/// A named part of a bench. The names are the same in Rust, CUDA, the worker protocol and the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reading the parameters; outside `total` and `span`.
    LoadParams,
    /// From circuits to the vectors a, b, c, the assignments and the densities.
    Synthesis,
    /// Locking host pages.
    Pin,
    /// Transforms and the quotient polynomial.
    Ntt,
    /// The multi-scalar multiplication over the H query.
    MsmH,
    /// … over the L query.
    MsmL,
    /// … over the A query.
    MsmA,
    /// … over the B query in G1.
    #[serde(rename = "msm_b_g1")]
    MsmBG1,
    /// … over the B query in G2.
    #[serde(rename = "msm_b_g2")]
    MsmBG2,
    /// The sums of the bases whose scalar is one.
    BatchAdd,
    /// Unlocking host pages.
    Unpin,
    /// From the sums to the proof's points and bytes.
    Assemble,
    /// Giving memory back.
    Free,
}

/// One phase as it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Which phase.
    pub name: Phase,
    /// From the start of the iteration to the start of the phase, in nanoseconds.
    pub start_ns: u64,
    /// The phase's length in nanoseconds.
    pub ns: u64,
}

/// Collects the phases of one iteration; threads share it.
#[derive(Debug)]
pub struct Timeline {
    start: Instant,
    spans: Mutex<Vec<Span>>,
}

impl Timeline {
    /// An empty timeline whose clock starts now.
    pub fn start() -> Self {
        Self { start: Instant::now(), spans: Mutex::new(Vec::new()) }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Runs `work` and records it as `phase`.
    pub fn record<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let begin = self.start.elapsed();
        let result = work();
        let length = self.start.elapsed().saturating_sub(begin);
        let span = Span { name: phase, start_ns: nanoseconds(begin), ns: nanoseconds(length) };
        self.add(span);
        result
    }

    /// Adds a phase that was timed elsewhere, on a clock that has been counted back to this one's start.
    pub fn add(&self, span: Span) {
        self.spans.lock().expect("no thread panics while it holds the timeline").push(span);
    }

    /// The recorded phases by their start.
    pub fn into_spans(self) -> Vec<Span> {
        let mut spans = self.spans.into_inner().expect("no thread panics while it holds the timeline");
        spans.sort_by_key(|span| (span.start_ns, span.name));
        spans
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_come_back_by_their_start_with_results_passed_on() {
        let timeline = Timeline::start();
        let inner = timeline.record(Phase::Ntt, || timeline.record(Phase::MsmH, || 7));
        timeline.record(Phase::Free, || ());
        let end = nanoseconds(timeline.elapsed());
        assert_eq!(inner, 7);
        let spans = timeline.into_spans();
        assert_eq!(spans.iter().map(|span| span.name).collect::<Vec<_>>(), [Phase::Ntt, Phase::MsmH, Phase::Free]);
        assert!(spans[0].start_ns + spans[0].ns >= spans[1].start_ns + spans[1].ns, "the outer phase ends last");
        assert!(spans.iter().all(|span| span.start_ns + span.ns <= end));
    }

    #[test]
    fn phases_have_the_names_of_the_protocol() {
        let names = [Phase::LoadParams, Phase::MsmBG1, Phase::MsmBG2, Phase::BatchAdd]
            .map(|phase| serde_json::to_string(&phase).unwrap());
        assert_eq!(names, [r#""load_params""#, r#""msm_b_g1""#, r#""msm_b_g2""#, r#""batch_add""#]);
    }
}
