//! A run that never was, for looking at pages and for snapshots: seven arms, two benches, twelve blocks, with phases that
//! overlap, a drifting machine, one failed sample. Every value is a function of its place, so it is the same everywhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;

use super::ablate::experiment::{Bench, Change, Design, Experiment, Factor, Lever, Measure, Metric, Parse};
use super::ablate::judge::{Comparison, Family, Interval, Judgement, Look, Noise, Temperature, Verdict};
use super::ablate::record::{
    Build, Conditions, Exit, Format, Git, Host, Measurement, Phase, Role, Run, RunArm, Sample, State, Status,
};

/// All that a report is made from.
pub(crate) struct Fixture {
    pub(crate) experiment: Experiment,
    pub(crate) run: Run,
    pub(crate) samples: Vec<Sample>,
    pub(crate) judgement: Judgement,
}

const BLOCKS: u32 = 12;
const LEVEL: f64 = 0.005;

/// Id, feature, and the true change of synth and prove.
const ARMS: [(&str, &str, f64, f64); 7] = [
    ("base", "", 0.0, 0.0),
    ("base-again", "", 0.0, 0.0),
    ("A1", "smallvec", 0.062, 0.011),
    ("A2", "presize", -0.049, -0.008),
    ("A4", "parallel-b-g2", 0.001, -0.071),
    ("D4", "msm-windows", -0.002, 0.004),
    ("A1+A2+A4+D4", "msm-windows parallel-b-g2 presize smallvec", 0.009, -0.068),
];

/// Bench, phase, lane of the CPU it runs in, start and length in milliseconds.
const PHASES: [(&str, &str, u64, u64); 11] = [
    ("synth", "synthesis", 0, 1_170),
    ("synth", "free", 1_172, 112),
    ("prove", "synthesis", 0, 1_180),
    ("prove", "ntt", 1_182, 890),
    ("prove", "msm_h", 2_074, 1_630),
    ("prove", "msm_l", 3_706, 930),
    ("prove", "msm_a", 4_638, 870),
    ("prove", "msm_b_g1", 5_510, 410),
    ("prove", "msm_b_g2", 3_710, 3_390),
    ("prove", "assemble", 7_104, 6),
    ("prove", "free", 7_112, 300),
];

pub(crate) fn fixture() -> Fixture {
    Fixture { experiment: experiment(), run: run(), samples: samples(), judgement: judgement() }
}

/// A number in −1..1 that depends on nothing but its arguments.
fn jitter(block: u32, arm: usize, bench: usize, iteration: u32) -> f64 {
    let mut x = u64::from(block) << 24 | (arm as u64) << 16 | (bench as u64) << 8 | u64::from(iteration);
    for _ in 0..3 {
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x7f4a_7c15);
        x ^= x >> 29;
    }
    (x % 2_000_001) as f64 / 1_000_000.0 - 1.0
}

fn bench(name: &str, metric: Metric) -> Bench {
    Bench {
        name: name.to_owned(),
        args: [name, "--circuit", "mixed:6,100"].map(str::to_owned).to_vec(),
        metric,
        parse: Parse::Protocol,
        iterations: 2,
        timeout: None,
        arms: Vec::new(),
    }
}

fn experiment() -> Experiment {
    let factor = |(id, feature, ..): &(&str, &str, f64, f64)| Factor {
        id: (*id).to_owned(),
        lever: Lever::Feature((*feature).to_owned()),
        changes: vec![Change::Binary],
        backend: None,
    };
    Experiment {
        file: PathBuf::from("experiments/quick.toml"),
        source: String::new(),
        root: PathBuf::from("."),
        name: "quick".to_owned(),
        question: "Which of the four CPU toggles changes synthesis or proving by 3% or more?".to_owned(),
        expect: Some(
            "A1 slows synthesis; A2 helps it; A4 loses with one circuit in a batch; D4 changes nothing.".to_owned(),
        ),
        target: None,
        cuda: None,
        factors: ARMS[2..6].iter().map(factor).collect(),
        commands: Vec::new(),
        archives: Vec::new(),
        design: Design::AddOne,
        prepare: None,
        benches: vec![bench("synth", Metric::Total), bench("prove", Metric::Span)],
        measure: Measure { looks: vec![12], alpha: 0.05, min_effect: 0.03, max_time: None, seed: 1 },
    }
}

fn arm(&(id, features, ..): &(&str, &str, f64, f64)) -> RunArm {
    let role = match id {
        "base" => Role::Base,
        "base-again" => Role::BaseAgain,
        _ => Role::Combination,
    };
    let levels = if role == Role::Combination { id.split('+').collect() } else { Vec::new() };
    RunArm {
        id: id.to_owned(),
        role,
        levels: levels.into_iter().map(|factor| (factor.to_owned(), "on".to_owned())).collect(),
        features: features.split_whitespace().map(str::to_owned).collect(),
        args: Vec::new(),
        env: BTreeMap::new(),
        command: Vec::new(),
        binary: Some(digest(features)),
        same_as: None,
    }
}

/// Looks like a SHA-256 and differs where the text does.
fn digest(text: &str) -> String {
    let start = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    (1..=4).map(|n: u64| format!("{:016x}", start.wrapping_mul(2 * n + 1).rotate_left(17))).collect()
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_796_050_000 + seconds).expect("a date in this century")
}

fn run() -> Run {
    let build = |(at, spec): (usize, &(&str, &str, f64, f64))| Build {
        arms: if at == 0 { vec!["base".to_owned(), "base-again".to_owned()] } else { vec![spec.0.to_owned()] },
        features: spec.1.split_whitespace().map(str::to_owned).collect(),
        compiled: ["bellpepper-core", "groth16-prover"].map(str::to_owned).to_vec(),
        fresh_count: 78,
        rebuilt: at != 3,
        raw: digest(spec.1),
        size_bytes: 6_912_344 + 1_024 * at as u64,
        ns: 31_200_000_000 + 1_700_000_000 * at as u64,
        command: ["cargo", "build", "--release", "-p", "groth16-prover", "--features", spec.1]
            .map(str::to_owned)
            .to_vec(),
    };
    let built = ARMS.iter().filter(|arm| arm.0 != "base-again").enumerate();
    Run {
        format: Format::CURRENT,
        id: "quick-20261130-142640".to_owned(),
        experiment: "quick".to_owned(),
        created: time(0),
        state: State::Complete,
        host: Host {
            name: "bench-03".to_owned(),
            os: "Linux 6.12.0".to_owned(),
            cpu: "AMD EPYC 9454 48-Core Processor".to_owned(),
            cpus: 2,
            memory_bytes: 16 << 30,
            gpus: Vec::new(),
            driver: None,
        },
        git: Some(Git { commit: "5f0c1e7a9b3d24680ace13579bdf02468ace1357".to_owned(), dirty_digest: None }),
        toolchains: [("cargo", "1.95.0"), ("rustc", "1.95.0")].map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
        seed: 1,
        arms: ARMS.iter().map(arm).collect(),
        builds: built.map(build).collect(),
        findings: Vec::new(),
        notices: vec!["B1 is left out: it has no effect on the backend cpu".to_owned()],
    }
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for block in 0..BLOCKS {
        for position in 0..ARMS.len() {
            let arm = (position + 3 * block as usize) % ARMS.len();
            for (at, bench) in ["synth", "prove"].into_iter().enumerate() {
                samples.push(sample(block, position, arm, at, bench));
            }
        }
    }
    samples
}

fn sample(block: u32, position: usize, arm: usize, at: usize, bench: &str) -> Sample {
    let (id, features, synth, prove) = ARMS[arm];
    let failed = (block, id, bench) == (7, "D4", "prove");
    let drift = 0.03 * (f64::from(block) / 3.0).sin();
    let change = if bench == "synth" { synth } else { prove };
    let iteration =
        |n: u32| measurement(bench, (1.0 + change) * (1.0 + drift) * (1.0 + 0.014 * jitter(block, arm, at, n)));
    Sample {
        block,
        position: u32::try_from(2 * position + at).expect("few positions"),
        arm: id.to_owned(),
        bench: bench.to_owned(),
        started: time(i64::from(block) * 130 + 18 * position as i64 + 4 * at as i64),
        binary: Some(digest(features)),
        status: if failed { Status::Failed } else { Status::Ok },
        reason: failed.then(|| "the proof of iteration 1 does not verify".to_owned()),
        cold: (!failed).then(|| iteration(0)),
        warm: if failed { Vec::new() } else { vec![iteration(1), iteration(2)] },
        facts: BTreeMap::new(),
        proof: (bench == "prove" && !failed).then(|| digest("proof")),
        conditions: Conditions { wall_ns: 4_100_000_000, load: Some(1.25), ..Conditions::default() },
        exit: Exit::Code { code: i32::from(failed) },
    }
}

fn measurement(bench: &str, stretch: f64) -> Measurement {
    let ns = |ms: u64| (ms as f64 * 1e6 * stretch) as u64;
    let own = || PHASES.iter().filter(|phase| phase.0 == bench);
    let phases: Vec<Phase> = own()
        .map(|&(_, name, start, length)| Phase { name: name.to_owned(), start_ns: ns(start), ns: ns(length) })
        .collect();
    let end = |name: &str| phases.iter().filter(|p| p.name == name).map(|p| p.start_ns + p.ns).max();
    let total_ns = if bench == "synth" { end("synthesis") } else { end("assemble") };
    Measurement { total_ns, span_ns: end("free"), peak_rss_bytes: Some(412 << 20), phases }
}

fn judgement() -> Judgement {
    let mut comparisons = Vec::new();
    for (bench, base) in [("synth", 1_170e6), ("prove", 7_412e6)] {
        let metric = if bench == "synth" { Metric::Total } else { Metric::Span };
        comparisons.extend(ARMS[2..].iter().map(|arm| comparison(arm, bench, metric.clone(), base, Family::Primary)));
    }
    for (bench, phase, _, ms) in PHASES {
        let metric = Metric::Phase(phase.to_owned());
        let base = ms as f64 * 1e6;
        comparisons.extend(ARMS[2..].iter().map(|arm| comparison(arm, bench, metric.clone(), base, Family::Secondary)));
    }
    for arm in &ARMS[2..] {
        comparisons.push(comparison(arm, "prove", Metric::PeakRss, f64::from(412 << 20), Family::Secondary));
    }
    Judgement {
        blocks: BLOCKS,
        planned_blocks: BLOCKS,
        look: Some(Look { number: 1, of: 1, blocks: BLOCKS, level: LEVEL }),
        family: 10,
        min_effect: 0.03,
        decided: false,
        comparisons,
        noise: ["synth", "prove"].map(noise).to_vec(),
        notices: vec!["D4 on prove has 11 pairs of 12: one sample failed".to_owned()],
    }
}

fn comparison(arm: &(&str, &str, f64, f64), bench: &str, metric: Metric, base: f64, family: Family) -> Comparison {
    let change = match &metric {
        Metric::PeakRss => 0.0,
        Metric::Phase(phase) if bench == "prove" && !phase.starts_with("msm") => arm.2 * 0.3,
        _ if bench == "synth" => arm.2,
        _ => arm.3,
    };
    let wide = if arm.0 == "D4" && bench == "prove" { 0.041 } else { 0.017 };
    let ratio =
        Interval { estimate: 1.0 + change, low: 1.0 + change - wide, high: 1.0 + change + wide * 1.1, level: LEVEL };
    let verdict = match change {
        c if c >= 0.03 => Verdict::Regression,
        c if c <= -0.03 => Verdict::Improvement,
        c if (c - wide).abs().max((c + wide * 1.1).abs()) <= 0.03 => Verdict::Equivalent,
        _ => Verdict::Inconclusive,
    };
    let failed = usize::from(arm.0 == "D4" && bench == "prove");
    Comparison {
        bench: bench.to_owned(),
        arm: arm.0.to_owned(),
        metric,
        temperature: Temperature::Warm,
        family,
        pairs: BLOCKS as usize - failed,
        failed,
        base: Some(base),
        arm_value: Some(base * ratio.estimate),
        ratio: Some(ratio),
        p: Some(if verdict.is_one_way() { 0.000_49 } else { 0.42 }),
        verdict,
        detectable: Some(wide),
        blocks_needed: (verdict == Verdict::Inconclusive).then_some(20),
        note: None,
    }
}

trait OneWay {
    fn is_one_way(self) -> bool;
}

impl OneWay for Verdict {
    fn is_one_way(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement)
    }
}

fn noise(bench: &str) -> Noise {
    Noise {
        bench: bench.to_owned(),
        pairs: BLOCKS as usize,
        spread: Some(0.0121),
        ratio: Some(Interval { estimate: 0.998, low: 0.984, high: 1.013, level: LEVEL }),
        p: Some(0.73),
        broken: false,
    }
}
