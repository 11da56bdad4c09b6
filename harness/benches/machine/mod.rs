//! A made-up machine: runs of a design with a known truth under noise of a known kind, in the very order that a real run would
//! be measured in.

use std::collections::BTreeMap;

use ablate::design;
use ablate::experiment::{Bench, Design, Experiment, Factor, Lever, Measure, Metric, Parse};
use ablate::record::{Conditions, Exit, Format, Host, Measurement, Run, RunArm, Sample, State, Status};
use ablate::schedule;
use ablate::stats::normal::upper_quantile;
use jiff::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// How one sample's log time scatters beside the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    /// Independent and normal.
    White,
    /// The same over a slowdown of 1% a block.
    Drift,
    /// Each sample's noise is 0.7 of the one before and something new.
    Correlated,
    /// One sample in twenty takes half as long again.
    Spikes,
    /// Each sample takes one of two times, two standard deviations either way of the middle.
    TwoHumped,
    /// The first factor, or every other arm, scatters four times as far.
    Unequal,
}

/// All kinds.
pub(crate) const NOISES: [Noise; 6] =
    [Noise::White, Noise::Drift, Noise::Correlated, Noise::Spikes, Noise::TwoHumped, Noise::Unequal];

/// What is measured on the machine.
pub(crate) struct Plan {
    pub(crate) experiment: Experiment,
    pub(crate) run: Run,
}

impl Plan {
    /// Features named `A`, `B`, … in a design, with one bench.
    pub(crate) fn new(factors: usize, design: Design, looks: &[u32], min_effect: f64) -> Self {
        let factor = |at: usize| {
            let id = char::from(b'A' + u8::try_from(at).expect("few factors")).to_string();
            Factor { lever: Lever::Feature(id.to_lowercase()), id, changes: Vec::new(), backend: None, fact: None }
        };
        let experiment = experiment((0..factors).map(factor).collect(), design, looks, min_effect);
        let mut arms = design::arms(&experiment).expect("the design is right").arms;
        for arm in &mut arms {
            arm.binary = Some(arm.id.clone());
        }
        let run = run(arms);
        Self { experiment, run }
    }

    /// The samples of one run, every planned block of it. `truth` is an arm's log time; `spread` the standard deviation of a
    /// sample's.
    pub(crate) fn samples(&self, seed: u64, noise: Noise, spread: f64, truth: impl Fn(&RunArm) -> f64) -> Vec<Sample> {
        let mut machine = Machine { rng: ChaCha8Rng::seed_from_u64(seed), noise, spread, last: 0.0 };
        let blocks = self.experiment.measure.looks.last().copied().unwrap_or(0);
        let units = self.run.arms.len();
        let mut samples = Vec::with_capacity(units * blocks as usize);
        for block in 0..blocks {
            for (position, at) in (0..).zip(schedule::order(seed, block, units)) {
                let arm = &self.run.arms[at];
                let clock = f64::from(block) + f64::from(position) / units as f64;
                let wide = arm.levels.contains_key("A");
                samples.push(sample(block, position, &arm.id, truth(arm) + machine.next(clock, wide)));
            }
        }
        samples
    }
}

/// The state of the noise.
struct Machine {
    rng: ChaCha8Rng,
    noise: Noise,
    spread: f64,
    last: f64,
}

impl Machine {
    fn next(&mut self, clock: f64, wide: bool) -> f64 {
        let white = self.spread * upper_quantile(self.uniform());
        match self.noise {
            Noise::White => white,
            Noise::Drift => white + 0.01 * clock,
            Noise::Correlated => {
                self.last = 0.7 * self.last + (1.0_f64 - 0.49).sqrt() * white;
                self.last
            }
            Noise::Spikes => white + if self.uniform() < 0.05 { 1.5_f64.ln() } else { 0.0 },
            Noise::TwoHumped => white + if self.uniform() < 0.5 { 2.0 * self.spread } else { -2.0 * self.spread },
            Noise::Unequal => white * if wide { 4.0 } else { 1.0 },
        }
    }

    fn uniform(&mut self) -> f64 {
        (f64::from(self.rng.next_u32()) + 0.5) / 2.0_f64.powi(32)
    }
}

/// One bench, `prove`, judged by `span`.
fn experiment(factors: Vec<Factor>, design: Design, looks: &[u32], min_effect: f64) -> Experiment {
    let bench = Bench {
        name: "prove".to_owned(),
        args: Vec::new(),
        metric: Metric::Span,
        parse: Parse::Protocol,
        iterations: 1,
        timeout: None,
        arms: Vec::new(),
    };
    Experiment {
        file: "simulated.toml".into(),
        source: String::new(),
        root: ".".into(),
        name: "simulated".to_owned(),
        question: "Is the method right?".to_owned(),
        expect: None,
        target: None,
        cuda: None,
        factors,
        commands: Vec::new(),
        archives: Vec::new(),
        constraints: Vec::new(),
        design,
        prepare: None,
        benches: vec![bench],
        measure: Measure { looks: looks.to_vec(), alpha: 0.05, min_effect, max_time: None, seed: 1 },
    }
}

fn run(arms: Vec<RunArm>) -> Run {
    Run {
        format: Format::CURRENT,
        id: "simulated".to_owned(),
        experiment: "simulated".to_owned(),
        created: Timestamp::UNIX_EPOCH,
        state: State::Complete,
        host: Host {
            name: "nowhere".to_owned(),
            os: "none".to_owned(),
            cpu: "none".to_owned(),
            cpus: 1,
            memory_bytes: 0,
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

fn sample(block: u32, position: u32, arm: &str, log: f64) -> Sample {
    Sample {
        block,
        position,
        arm: arm.to_owned(),
        bench: "prove".to_owned(),
        started: Timestamp::UNIX_EPOCH,
        binary: None,
        status: Status::Ok,
        reason: None,
        cold: None,
        warm: vec![Measurement {
            total_ns: None,
            span_ns: Some(nanoseconds(log)),
            peak_rss_bytes: None,
            phases: Vec::new(),
        }],
        facts: BTreeMap::new(),
        proof: None,
        conditions: Conditions::default(),
        exit: Exit::Code { code: 0 },
    }
}

/// A minute times e to the given power.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some tens of billions")]
fn nanoseconds(log: f64) -> u64 {
    (6e10 * log.exp()).round() as u64
}
