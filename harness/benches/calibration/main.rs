//! Whether the method keeps what docs/METHODOLOGY.md promises, on simulated runs: false alarms, coverage, false equivalence,
//! power.
//!
//!     cargo bench -p ablate --bench calibration            every table, some minutes
//!     cargo bench -p ablate --bench calibration -- 200     with 200 runs each instead of 2,000
//!     cargo bench -p ablate --bench calibration -- power   one of alarms, coverage, equivalence, power
//!
//! Whole runs are made, in the order that the schedule draws, and handed to the judge, on all cores.

#[path = "../machine/mod.rs"]
mod machine;
mod plans;

use std::thread;

use ablate::judge::{Family, Verdict, judge, planned_looks};
use ablate::stats::location::Location;
use ablate::stats::student;
use machine::{NOISES, Noise};
use plans::{Subject, plans};
use statrs::function::beta::beta_reg;

/// So small a minimum effect that significance alone decides.
const NONE: f64 = 1e-9;

const DELTA: f64 = 0.01;

/// A table under its name.
type Named = (&'static str, fn(u64));

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runs: u64 = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(2_000);
    println!("{runs} runs each; ≤ is the upper end of the one-sided 95% interval (Clopper and Pearson)");
    let tables: [Named; 4] =
        [("alarms", false_alarms), ("coverage", coverage), ("equivalence", false_equivalence), ("power", power)];
    let any_named = tables.iter().any(|(name, _)| args.iter().any(|arg| arg == name));
    for (name, table) in tables {
        if !any_named || args.iter().any(|arg| arg == name) {
            table(runs);
        }
    }
}

/// How many seeds below `runs` make it true, on all cores.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a sum of ones")]
fn count(runs: u64, hit: impl Fn(u64) -> bool + Sync) -> u64 {
    sum(runs, 1, |seed| vec![f64::from(u8::from(hit(seed)))])[0] as u64
}

/// The sums over all seeds below `runs` of `width` numbers each.
fn sum(runs: u64, width: usize, of: impl Fn(u64) -> Vec<f64> + Sync) -> Vec<f64> {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let part = |first: u64| {
        let mut sums = vec![0.0; width];
        for seed in (first..runs).step_by(usize::try_from(threads).unwrap_or(1)) {
            sums.iter_mut().zip(of(seed)).for_each(|(sum, value)| *sum += value);
        }
        sums
    };
    thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
        let mut sums = vec![0.0; width];
        for part in parts {
            let part = part.join().expect("no simulation panics");
            sums.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        }
        sums
    })
}

/// The upper end of Clopper and Pearson's one-sided 95% interval for `hits` of `runs`.
fn upper(hits: u64, runs: u64) -> f64 {
    if hits >= runs {
        return 1.0;
    }
    let (mut low, mut high) = (hits as f64 / runs as f64, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if beta_reg(hits as f64 + 1.0, (runs - hits) as f64, middle) < 0.95 { low = middle } else { high = middle }
    }
    high
}

fn percent(hits: u64, runs: u64) -> String {
    format!("{:5.2}% (≤ {:4.2}%)", 100.0 * hits as f64 / runs as f64, 100.0 * upper(hits, runs))
}

/// Runs of nothing but base under many names that accuse or praise anything.
fn false_alarms(runs: u64) {
    println!("\nfalse alarms: runs with any primary regression or improvement where nothing differs");
    for plan in plans(NONE) {
        println!("  {}", plan.name);
        for noise in NOISES {
            let hits = count(runs, |seed| {
                let samples = plan.plan.samples(seed, noise, 0.02, |_| 0.0);
                let judgement = judge(&plan.plan.experiment, &plan.plan.run, &samples);
                let mut primary =
                    judgement.comparisons.iter().filter(|comparison| comparison.family == Family::Primary);
                primary.any(|c| matches!(c.verdict, Verdict::Regression | Verdict::Improvement))
            });
            println!("    {:11} {}", format!("{noise:?}"), percent(hits, runs));
        }
    }
}

/// How often an interval holds the truth, at 95% and at each look's own level, over all primary comparisons.
fn coverage(runs: u64) {
    println!("\ncoverage: of 95% intervals, and misses at the look's own level over that level, look by look");
    for plan in plans(NONE) {
        println!("  {}", plan.name);
        let experiment = &plan.plan.experiment;
        let looks = planned_looks(&experiment.measure.looks, 0.05, plan.subjects.len());
        for noise in NOISES {
            let sums = sum(runs, 2 * looks.len(), |seed| {
                let samples = plan.plan.samples(seed, noise, 0.02, |_| 0.0);
                let mut misses = vec![0.0; 2 * looks.len()];
                for subject in &plan.subjects {
                    let values = subject.values(&samples);
                    for (at, look) in looks.iter().enumerate() {
                        let values = &values[..look.blocks as usize];
                        let misses_at = |level| f64::from(u8::from(interval(subject, values, level).excludes_zero()));
                        misses[2 * at] += misses_at(0.05);
                        misses[2 * at + 1] += misses_at(subject.level_at(look));
                    }
                }
                misses
            });
            let intervals = runs as f64 * plan.subjects.len() as f64;
            let shown = looks.iter().enumerate().map(|(at, look)| {
                let (wide, own) = (sums[2 * at] / intervals, sums[2 * at + 1] / intervals);
                format!(
                    "{:3} blocks {:5.2}%, {:4.2}",
                    look.blocks,
                    100.0 * (1.0 - wide),
                    own / plan.subjects[0].level_at(look)
                )
            });
            println!("    {:11} {}", format!("{noise:?}"), shown.collect::<Vec<_>>().join("; "));
        }
    }
}

fn interval(subject: &Subject, values: &[f64], level: f64) -> Location {
    let location = if subject.is_ranked() { Location::of(values, level) } else { student::mean(values, level) };
    location.expect("simulated values are finite")
}

/// How often a level that truly costs δ, or 2δ, is called equivalent.
fn false_equivalence(runs: u64) {
    println!("\nfalse equivalence at δ = 1%, spread of pairs 1%: true δ, then true 2δ");
    for plan in plans(DELTA) {
        println!("  {}", plan.name);
        for noise in NOISES {
            let called = [1.0, 2.0].map(|times| {
                let truth = times * DELTA.ln_1p();
                count(runs, |seed| plan.verdict(seed, noise, 0.01 / 2.0_f64.sqrt(), truth).0 == Verdict::Equivalent)
            });
            println!("    {:11} {}   {}", format!("{noise:?}"), percent(called[0], runs), percent(called[1], runs));
        }
    }
}

/// How often 2δ is found, beside what theory says of the same plan; how often nothing is called equivalent; and after how many
/// blocks the run is over in either case.
fn power(runs: u64) {
    println!(
        "\npower at δ = 1%: 2δ found in theory and in fact; blocks until a run with one such factor, and with none, ends"
    );
    for plan in plans(DELTA) {
        println!("  {}", plan.name);
        for (noise, pairs) in
            [(Noise::White, 0.006), (Noise::White, 0.01), (Noise::White, 0.02), (Noise::Spikes, 0.006)]
        {
            let spread = pairs / 2.0_f64.sqrt();
            let effect = 2.0 * DELTA.ln_1p();
            let theory = plan.theory(spread, effect, DELTA.ln_1p());
            let outcome = |truth: f64, wanted: Verdict| {
                sum(runs, 2, |seed| {
                    let (verdict, blocks) = plan.verdict(seed, noise, spread, truth);
                    vec![f64::from(u8::from(verdict == wanted)), f64::from(blocks)]
                })
                .into_iter()
                .map(|sum| sum / runs as f64)
                .collect::<Vec<_>>()
            };
            let found = outcome(effect, Verdict::Regression);
            let same = outcome(0.0, Verdict::Equivalent);
            println!(
                "    {noise:?}, spread of pairs {:3.1}%: theory {:5.1}%, found {:5.1}%; {:4.1} blocks; no effect: equivalent {:5.1}%, {:4.1} blocks",
                100.0 * pairs,
                100.0 * theory,
                100.0 * found[0],
                found[1],
                100.0 * same[0],
                same[1]
            );
        }
    }
}
