//! The recorded run with a judgement made by hand: what a report shows does not move when the statistics do.

use super::recorded::{ARMS, BLOCKS, PHASES, Recorded, recorded};
use crate::experiment::{Experiment, Metric};
use crate::judge::{Comparison, Family, Interval, Judgement, Kind, Look, Noise, Temperature, Verdict};
use crate::record::{Run, Sample};

/// All that a report is made from.
pub(crate) struct Fixture {
    pub(crate) experiment: Experiment,
    pub(crate) run: Run,
    pub(crate) samples: Vec<Sample>,
    pub(crate) judgement: Judgement,
}

const LEVEL: f64 = 0.005;

pub(crate) fn fixture() -> Fixture {
    let Recorded { experiment, run, samples } = recorded();
    Fixture { experiment, run, samples, judgement: judgement() }
}

fn judgement() -> Judgement {
    let mut comparisons = Vec::new();
    for (bench, base) in [("synth", 1_170e6), ("prove", 7_412e6)] {
        let metric = if bench == "synth" { Metric::Total } else { Metric::Span };
        comparisons.extend(ARMS[2..].iter().map(|arm| comparison(arm, bench, metric.clone(), base, Family::Primary)));
    }
    for (bench, phase, ms) in PHASES {
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
        look: Some(Look { number: 1, of: 1, blocks: BLOCKS, level: LEVEL, mean_level: LEVEL }),
        family: 10,
        min_effect: 0.03,
        decided: false,
        comparisons,
        attributions: Vec::new(),
        noise: ["synth", "prove"].map(noise).to_vec(),
        trends: Vec::new(),
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
        kind: Kind::Arm,
        settings: Vec::new(),
        arms: vec!["base".to_owned(), arm.0.to_owned()],
        contains: None,
        metric,
        temperature: Temperature::Warm,
        family,
        pairs: BLOCKS as usize - failed,
        failed,
        base: Some(base),
        arm_value: Some(base * ratio.estimate),
        ratio: Some(ratio),
        p: Some(if matches!(verdict, Verdict::Regression | Verdict::Improvement) { 0.000_49 } else { 0.42 }),
        verdict,
        detectable: Some(wide),
        blocks_needed: (verdict == Verdict::Inconclusive).then_some(20),
        chance: None,
        note: None,
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
