//! Made-up runs for the tests of judging: an experiment of one or two benches, a base with its twin, some arms, and samples
//! by the block.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::experiment::{Bench, Design, Experiment, Measure, Metric, Parse};
use crate::record::{
    Conditions, Exit, Finding, FindingKind, Format, Host, Measurement, Phase, Role, Run, RunArm, Sample, State, Status,
};

use super::{Comparison, Family, Judgement, judge};

pub(super) const BASE: &str = "base";
pub(super) const TWIN: &str = "base-again";

/// A run in the making.
pub(super) struct Story {
    pub(super) experiment: Experiment,
    pub(super) run: Run,
    pub(super) samples: Vec<Sample>,
}

impl Story {
    /// One bench, `prove`, judged by `span` at α = 5%; arms besides base and its twin.
    pub(super) fn new(looks: &[u32], min_effect: f64, arms: &[&str]) -> Self {
        let combinations = arms.iter().map(|id| arm(id, Role::Combination));
        let arms = [arm(BASE, Role::Base), arm(TWIN, Role::BaseAgain)].into_iter().chain(combinations).collect();
        Self { experiment: experiment(looks, min_effect), run: run(arms), samples: Vec::new() }
    }

    /// Appends one block of `bench`: arm and span in nanoseconds.
    pub(super) fn block(&mut self, bench: &str, spans: &[(&str, u64)]) {
        let block = self.samples.iter().filter(|sample| sample.bench == bench).map(|sample| sample.block + 1).max();
        self.samples.extend(
            (0..).zip(spans).map(|(position, &(arm, span_ns))| Sample {
                position,
                ..sample(block.unwrap_or(0), arm, bench, span_ns)
            }),
        );
    }

    /// Appends as many blocks of `prove` as there are pairs: base's span, which its twin has too, and the only arm's.
    pub(super) fn pairs(&mut self, arm: &str, pairs: &[(u64, u64)]) {
        for &(base, other) in pairs {
            self.block("prove", &[(BASE, base), (TWIN, base), (arm, other)]);
        }
    }

    /// The sample of an arm in a block of `prove`.
    pub(super) fn sample(&mut self, block: u32, arm: &str) -> &mut Sample {
        let is_it = |sample: &&mut Sample| sample.block == block && sample.arm == arm && sample.bench == "prove";
        self.samples.iter_mut().find(is_it).expect("the story has that sample")
    }

    pub(super) fn judge(&self) -> Judgement {
        judge(&self.experiment, &self.run, &self.samples)
    }
}

/// The primary comparison of an arm on `prove`.
pub(super) fn primary<'a>(judgement: &'a Judgement, arm: &str) -> &'a Comparison {
    let is_it = |comparison: &&Comparison| {
        comparison.family == Family::Primary && comparison.arm == arm && comparison.bench == "prove"
    };
    judgement.comparisons.iter().find(is_it).expect("every compared arm has a primary comparison")
}

pub(super) fn fail(sample: &mut Sample) {
    sample.status = Status::Failed;
    sample.reason = Some("the proof does not verify".to_owned());
}

pub(super) fn finding(kind: FindingKind, arm: &str) -> Finding {
    Finding { kind, arm: arm.to_owned(), evidence: "liba.a is older than a.c".to_owned(), remedy: "rebuild".to_owned() }
}

pub(super) fn bench(name: &str) -> Bench {
    Bench {
        name: name.to_owned(),
        args: vec![name.to_owned()],
        metric: Metric::Span,
        parse: Parse::Protocol,
        iterations: 1,
        timeout: None,
        arms: Vec::new(),
    }
}

fn experiment(looks: &[u32], min_effect: f64) -> Experiment {
    Experiment {
        file: "story.toml".into(),
        source: String::new(),
        root: ".".into(),
        name: "story".to_owned(),
        question: "Which arm is slower?".to_owned(),
        expect: None,
        target: None,
        cuda: None,
        factors: Vec::new(),
        commands: Vec::new(),
        archives: Vec::new(),
        constraints: Vec::new(),
        design: Design::AddOne,
        prepare: None,
        benches: vec![bench("prove")],
        measure: Measure { looks: looks.to_vec(), alpha: 0.05, min_effect, max_time: None, seed: 1 },
    }
}

fn run(arms: Vec<RunArm>) -> Run {
    Run {
        format: Format::CURRENT,
        id: "story-1".to_owned(),
        experiment: "story".to_owned(),
        created: Timestamp::UNIX_EPOCH,
        state: State::Complete,
        host: Host {
            name: "desk".to_owned(),
            os: "Linux".to_owned(),
            cpu: "a CPU".to_owned(),
            cpus: 2,
            memory_bytes: 1 << 33,
            gpus: Vec::new(),
            driver: None,
        },
        git: None,
        toolchains: BTreeMap::new(),
        seed: 1,
        arms,
        builds: Vec::new(),
        findings: Vec::new(),
        notices: Vec::new(),
        provenance: None,
        bundle: None,
        question: None,
    }
}

fn arm(id: &str, role: Role) -> RunArm {
    RunArm { binary: Some(format!("digest of {id}")), ..RunArm::new(id, role) }
}

/// A sound sample: one cold iteration of twice the span, one warm one with a single phase of half of it.
fn sample(block: u32, arm: &str, bench: &str, span_ns: u64) -> Sample {
    Sample {
        block,
        position: 0,
        arm: arm.to_owned(),
        bench: bench.to_owned(),
        started: Timestamp::UNIX_EPOCH,
        binary: None,
        status: Status::Ok,
        reason: None,
        cold: Some(measurement(span_ns.saturating_mul(2))),
        warm: vec![measurement(span_ns)],
        facts: BTreeMap::new(),
        proof: None,
        conditions: Conditions::default(),
        exit: Exit::Code { code: 0 },
    }
}

fn measurement(span_ns: u64) -> Measurement {
    Measurement {
        total_ns: Some(span_ns),
        span_ns: Some(span_ns),
        peak_rss_bytes: Some(1 << 20),
        phases: vec![Phase { name: "synthesis".to_owned(), start_ns: 0, ns: span_ns / 2 }],
    }
}
