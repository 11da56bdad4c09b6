//! Whether the error rates are what they are said to be, on simulated runs with fixed seeds.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use crate::stats::location::Location;
use crate::stats::normal::upper_quantile;
use crate::stats::power::detectable;

use super::Verdict;
use super::fixture::{BASE, Story, TWIN, primary};

const EXPERIMENTS: u64 = 400;
const ARMS: [&str; 3] = ["A1", "A2", "A4"];

/// Of 400 experiments with a false alarm rate of 5%, at most this many have one, but for one such series in a thousand:
/// the 99.9% quantile of Binomial(400, .05), by `scipy.stats.binom.ppf(.999, 400, .05)`.
const MOST_FALSE: usize = 35;

/// How a machine's speed wanders while it measures.
#[derive(Clone, Copy, Debug)]
enum Weather {
    /// Not at all: 2% of independent noise a sample.
    Calm,
    /// The same noise over a steady slowdown of 1% a block.
    Drift,
    /// One sample in twenty takes half as long again.
    Spikes,
}

/// One simulated run; `slower` is the true log-ratio of A1 to base. Arms lie in random order within a block.
fn simulate(seed: u64, weather: Weather, slower: f64, min_effect: f64) -> Story {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut story = Story::new(&[16, 20, 24], min_effect, &ARMS);
    let mut clock = 0.0;
    for _ in 0..24 {
        let mut arms: Vec<&str> = [BASE, TWIN].into_iter().chain(ARMS).collect();
        shuffle(&mut rng, &mut arms);
        let spans: Vec<(&str, u64)> = (arms.into_iter())
            .map(|arm| {
                clock += 1.0 / 5.0;
                let effect = if arm == "A1" { slower } else { 0.0 };
                (arm, span_ns(effect + noise(&mut rng, weather, clock)))
            })
            .collect();
        story.block("prove", &spans);
    }
    story
}

fn noise(rng: &mut ChaCha8Rng, weather: Weather, clock: f64) -> f64 {
    let calm = 0.02 * upper_quantile(uniform(rng));
    match weather {
        Weather::Calm => calm,
        Weather::Drift => calm + 0.01 * clock,
        Weather::Spikes => calm + if uniform(rng) < 0.05 { 0.4 } else { 0.0 },
    }
}

/// A second times e to the given power, in nanoseconds.
fn span_ns(log: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few billion at most")]
    let ns = (1e9 * log.exp()).round() as u64;
    ns
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (f64::from(rng.next_u32()) + 0.5) / 2.0_f64.powi(32)
}

fn shuffle(rng: &mut ChaCha8Rng, arms: &mut [&str]) {
    for last in (1..arms.len()).rev() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a short list")]
        let other = (uniform(rng) * (last + 1) as f64) as usize;
        arms.swap(last, other);
    }
}

/// Experiments in which any primary comparison says regression or improvement.
fn alarms(weather: Weather) -> usize {
    let alarmed = |seed: &u64| {
        // So small a minimum effect that significance alone decides.
        let judgement = simulate(*seed, weather, 0.0, 1e-9).judge();
        let verdicts = ARMS.map(|arm| primary(&judgement, arm).verdict);
        verdicts.iter().any(|verdict| matches!(verdict, Verdict::Regression | Verdict::Improvement))
    };
    (0..EXPERIMENTS).filter(alarmed).count()
}

#[test]
fn false_alarms_keep_their_rate_over_three_looks_and_three_arms() {
    for weather in [Weather::Calm, Weather::Drift, Weather::Spikes] {
        let alarms = alarms(weather);
        assert!((1..=MOST_FALSE).contains(&alarms), "{weather:?}: {alarms} of {EXPERIMENTS}");
    }
}

#[test]
fn twice_the_minimum_effect_is_found_and_the_interval_holds_it() {
    let (slower, mut found, mut held) = (0.06, 0, 0);
    for seed in 0..100 {
        let judgement = simulate(seed, Weather::Calm, slower, 0.03).judge();
        let comparison = primary(&judgement, "A1");
        let ratio = comparison.ratio.expect("enough pairs");
        found += usize::from(comparison.verdict == Verdict::Regression);
        held += usize::from(ratio.low.ln() <= slower && slower <= ratio.high.ln());
    }
    assert!(found >= 95, "found {found} of 100");
    // 95% family-wise, so far more than 95% for one comparison.
    assert!(held >= 95, "held {held} of 100");
}

#[test]
fn an_arm_at_the_minimum_effect_is_hardly_ever_called_equivalent_and_one_like_base_mostly_is() {
    let min_effect: f64 = 0.03;
    let equivalent = |slower: f64| {
        let is_it = |&seed: &u64| {
            let judgement = simulate(seed, Weather::Calm, slower, min_effect).judge();
            primary(&judgement, "A1").verdict == Verdict::Equivalent
        };
        (0..200).filter(is_it).count()
    };
    // At most 2.5%: the 99.9% quantile of Binomial(200, .025), by `scipy.stats.binom.ppf(.999, 200, .025)`.
    let at_margin = equivalent(min_effect.ln_1p());
    assert!(at_margin <= 13, "{at_margin} of 200 at the minimum effect");
    let like_base = equivalent(0.0);
    assert!(like_base >= 160, "{like_base} of 200 like base");
}

#[test]
fn the_detectable_effect_is_found_four_times_in_five() {
    let (spread, level) = (0.02, 0.01);
    for pairs in [24, 60] {
        let effect = detectable(spread, pairs, level).expect("enough pairs");
        let mut rng = ChaCha8Rng::seed_from_u64(80);
        let mut difference = || effect + spread * upper_quantile(uniform(&mut rng));
        let found = (0..1_000)
            .filter(|_| {
                let differences: Vec<f64> = (0..pairs).map(|_| difference()).collect();
                Location::of(&differences, level).is_some_and(|location| location.excludes_zero())
            })
            .count();
        // 80% by a limit, so a little less at 24 pairs; ± 4% is three standard errors of 1,000 trials.
        assert!((720..=840).contains(&found), "{found} of 1,000 with {pairs} pairs");
    }
}

#[test]
fn the_twins_of_an_honest_machine_are_hardly_ever_broken() {
    let broken = (0..EXPERIMENTS)
        .filter(|&seed| simulate(seed, Weather::Drift, 0.0, 0.01).judge().noise.iter().any(|noise| noise.broken));
    // At level .001 a look, three looks: Binomial(400, .003) exceeds 6 once in 4,000 series.
    let broken = broken.count();
    assert!(broken <= 6, "{broken} of {EXPERIMENTS}");
}
