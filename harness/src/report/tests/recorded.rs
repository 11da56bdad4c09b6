//! A run that never was, for looking at pages and for snapshots: seven arms, two benches, twelve blocks, with phases that
//! overlap, a drifting machine, one failed sample. Every value is a function of its place, so it is the same everywhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;

use super::ablate::experiment::{Bench, Change, Design, Experiment, Factor, Lever, Measure, Metric, Parse};
use super::ablate::record::{
    Build, Conditions, Exit, Format, Git, Host, Measurement, Phase, Role, Run, RunArm, Sample, State, Status,
};

/// What a run's folder holds.
pub(crate) struct Recorded {
    pub(crate) experiment: Experiment,
    pub(crate) run: Run,
    pub(crate) samples: Vec<Sample>,
}

pub(crate) const BLOCKS: u32 = 12;

/// Id, feature, and about the change of synth and prove.
pub(crate) const ARMS: [(&str, &str, f64, f64); 7] = [
    ("base", "", 0.0, 0.0),
    ("base-again", "", 0.0, 0.0),
    ("A1", "smallvec", 0.062, 0.011),
    ("A2", "presize", -0.049, -0.008),
    ("A4", "parallel-b-g2", 0.001, -0.071),
    ("D4", "msm-windows", -0.002, 0.004),
    ("A1+A2+A4+D4", "msm-windows parallel-b-g2 presize smallvec", 0.009, -0.068),
];

/// Bench, phase and base's time in milliseconds, in order of their start.
pub(crate) const PHASES: [(&str, &str, u64); 11] = [
    ("synth", "synthesis", 1_170),
    ("synth", "free", 112),
    ("prove", "synthesis", 1_180),
    ("prove", "ntt", 890),
    ("prove", "msm_h", 1_630),
    ("prove", "msm_l", 930),
    ("prove", "msm_b_g2", 3_390),
    ("prove", "msm_a", 870),
    ("prove", "msm_b_g1", 410),
    ("prove", "assemble", 6),
    ("prove", "free", 300),
];

pub(crate) fn recorded() -> Recorded {
    Recorded { experiment: experiment(), run: run(), samples: samples() }
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
        fact: None,
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
        constraints: Vec::new(),
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
        levels: levels.into_iter().map(|factor| (factor.to_owned(), "on".to_owned())).collect(),
        features: features.split_whitespace().map(str::to_owned).collect(),
        binary: Some(digest(features)),
        ..RunArm::new(id, role)
    }
}

/// Looks like a SHA-256 and differs where the text does.
fn digest(text: &str) -> String {
    let start = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let [a, b, c, d] = [3, 5, 7, 9].map(|n: u64| start.wrapping_mul(n).rotate_left(17));
    format!("{a:016x}{b:016x}{c:016x}{d:016x}")
}

fn time(seconds: u64) -> Timestamp {
    let start: Timestamp = "2026-11-30T14:26:40Z".parse().expect("a time");
    start + std::time::Duration::from_secs(seconds)
}

fn run() -> Run {
    let build = |(at, spec): (usize, &(&str, &str, f64, f64))| Build {
        arms: if at == 0 { vec!["base".to_owned(), "base-again".to_owned()] } else { vec![spec.0.to_owned()] },
        features: spec.1.split_whitespace().map(str::to_owned).collect(),
        compiled: ["bellpepper-core", "groth16-prover"].map(str::to_owned).to_vec(),
        fresh_count: 78,
        rebuilt: at != 3,
        raw: digest(spec.1),
        binary: Some(digest(&format!("code {}", spec.1))),
        size_bytes: 6_912_344 + 1_024 * at as u64,
        ns: 31_200_000_000 + 1_700_000_000 * at as u64,
        command: ["cargo", "build", "--release", "-p", "groth16-prover", "--features", spec.1]
            .map(str::to_owned)
            .to_vec(),
        archives: Vec::new(),
    };
    let built = ARMS.iter().filter(|arm| arm.0 != "base-again").enumerate();
    Run {
        format: Format::CURRENT,
        id: "20261130-142640-quick".to_owned(),
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
        provenance: None,
        bundle: None,
        question: None,
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
    let (id, features, ..) = ARMS[arm];
    let failed = (block, id, bench) == (7, "D4", "prove");
    let drift = 0.03 * (f64::from(block) / 3.0).sin();
    let iteration = |n: u32| measurement(bench, id, (1.0 + drift) * (1.0 + 0.014 * jitter(block, arm, at, n)));
    Sample {
        block,
        position: u32::try_from(2 * position + at).expect("few positions"),
        arm: id.to_owned(),
        bench: bench.to_owned(),
        started: time(130 * u64::from(block) + 18 * position as u64 + 4 * at as u64),
        binary: Some(digest(features)),
        status: if failed { Status::Failed } else { Status::Ok },
        reason: failed.then(|| "the proof of iteration 1 does not verify".to_owned()),
        cold: (!failed).then(|| iteration(0)),
        warm: if failed { Vec::new() } else { vec![iteration(1), iteration(2)] },
        facts: facts(bench, id),
        proof: (bench == "prove" && !failed).then(|| digest("proof")),
        conditions: Conditions { wall_ns: 4_100_000_000, load: Some(1.25), ..Conditions::default() },
        exit: Exit::Code { code: i32::from(failed) },
    }
}

/// The windows that the program chose.
fn facts(bench: &str, arm: &str) -> BTreeMap<String, serde_json::Value> {
    let windows = if arm.contains("D4") { [12, 11, 9] } else { [12, 12, 12] };
    let windows: serde_json::Value = ["h", "l", "b_g2"].into_iter().map(str::to_owned).zip(windows).collect();
    let facts = [("backend", "cpu".into()), ("msm_windows", windows)].into_iter();
    facts.filter(|_| bench == "prove").map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The phases of one iteration, one after another but for `msm_b_g2`, which starts beside `msm_l`.
fn measurement(bench: &str, arm: &str, stretch: f64) -> Measurement {
    let mut phases: Vec<Phase> = Vec::new();
    let (mut end, mut end_beside) = (0, 0);
    for &(_, name, ms) in PHASES.iter().filter(|phase| phase.0 == bench) {
        let beside = if name == "msm_b_g2" { phases.iter().find(|phase| phase.name == "msm_l") } else { None };
        let next = if name == "assemble" { u64::max(end, end_beside) } else { end };
        let start_ns = beside.map_or(next, |phase| phase.start_ns);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some seconds, and never negative")]
        let ns = (ms as f64 * 1e6 * stretch * (1.0 + change(arm, name))) as u64;
        if name == "msm_b_g2" {
            end_beside = start_ns + ns;
        } else {
            end = start_ns + ns;
        }
        phases.push(Phase { name: name.to_owned(), start_ns, ns });
    }
    let result = if bench == "synth" { "synthesis" } else { "assemble" };
    let total_ns = phases.iter().find(|phase| phase.name == result).map(|phase| phase.start_ns + phase.ns);
    Measurement { total_ns, span_ns: Some(end), peak_rss_bytes: Some(412 << 20), phases }
}

/// What an arm does to a phase.
fn change(arm: &str, phase: &str) -> f64 {
    let effects =
        [("A1", "synthesis", 0.062), ("A2", "synthesis", -0.049), ("A2", "free", -0.11), ("A4", "msm_b_g2", -0.155)];
    effects.iter().filter(|(factor, name, _)| arm.contains(factor) && *name == phase).map(|effect| effect.2).sum()
}
