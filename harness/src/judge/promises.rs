//! Promises of a judgement that no reported case asks for: each test fails where its rule is left out.

use crate::experiment::{Bench, Design};

use super::factors::factor;
use super::fixture::{BASE, Story, TWIN, bench, fail, primary};
use super::{Comparison, Family, Judgement, Outcome, Verdict, outcome};

/// How many nanoseconds an arm takes in a block.
type Span = fn(u64) -> u64;

/// `count` blocks of base, its twin and arms.
fn blocks(story: &mut Story, count: u64, arms: &[(&str, Span)]) {
    for block in 0..count {
        let base = 1_000_000 + 1_000 * (block * 5 % 7);
        let others = arms.iter().map(|(id, span)| (*id, span(block)));
        let spans: Vec<(&str, u64)> = [(BASE, base), (TWIN, base)].into_iter().chain(others).collect();
        story.block("prove", &spans);
    }
}

/// About a tenth more than base, no two alike.
fn slow(block: u64) -> u64 {
    1_100_000 + 1_300 * (block * 3 % 11)
}

fn secondary<'a>(judgement: &'a Judgement, metric: &str) -> Option<&'a Comparison> {
    judgement.comparisons.iter().find(|c| c.family == Family::Secondary && c.metric.name() == metric)
}

#[test]
fn base_is_waited_for_on_a_bench_that_is_kept_to_one_arm() {
    let mut story = Story::new(&[12], 0.01, &["A1"]);
    story.experiment.benches.push(Bench { arms: vec!["A1".to_owned()], ..bench("synth") });
    for block in 0..12 {
        let spans = [(BASE, 1_000_000), (TWIN, 1_000_000 + block), ("A1", slow(block))];
        story.block("prove", &spans);
        story.block("synth", &spans);
    }
    assert_eq!(story.judge().blocks, 12);
    story.samples.retain(|sample| !(sample.block == 11 && sample.bench == "synth" && sample.arm == BASE));
    let judgement = story.judge();
    assert_eq!((judgement.blocks, judgement.look), (11, None), "a block without base on one bench is not complete");
}

/// Values without any scatter would else be bounded by themselves, and equivalent to each other.
#[test]
fn before_the_first_look_nothing_bounds_an_estimate() {
    for design in [Design::AddOne, Design::Full] {
        let (mut story, arm) = (Story::new(&[8], 0.01, &["A"]), "A");
        story.experiment.factors = vec![factor(arm)];
        story.experiment.design = design.clone();
        story.run.arms[2].levels.insert(arm.to_owned(), "on".to_owned());
        story.pairs(arm, &[(1_000_000, 1_000_000); 7]);
        let judgement = story.judge();
        let comparison = primary(&judgement, arm);
        let ratio = comparison.ratio.expect("seven blocks");
        assert_eq!((ratio.low, ratio.estimate, ratio.high), (0.0, 1.0, f64::INFINITY), "{design:?}");
        assert_eq!(comparison.verdict, Verdict::Inconclusive, "{design:?}");
        story.pairs(arm, &[(1_000_000, 1_000_000)]);
        assert_eq!(primary(&story.judge(), arm).verdict, Verdict::Equivalent, "{design:?}");
    }
}

#[test]
fn no_block_waits_for_an_arm_that_was_never_scheduled() {
    let mut story = Story::new(&[12], 0.01, &["A1", "A2"]);
    blocks(&mut story, 12, &[("A1", slow)]);
    let judgement = story.judge();
    assert_eq!((judgement.blocks, primary(&judgement, "A1").verdict), (12, Verdict::Regression));
    assert_eq!(primary(&judgement, "A2").verdict, Verdict::MeasuredNothing);
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn a_metric_that_no_side_has_is_left_out_and_one_that_one_side_has_is_named() {
    let mut story = Story::new(&[12], 0.01, &["A1"]);
    blocks(&mut story, 12, &[("A1", slow)]);
    story.samples.iter_mut().for_each(|sample| sample.warm[0].total_ns = None);
    assert_eq!(secondary(&story.judge(), "total"), None);
    story.samples.iter_mut().filter(|sample| sample.arm == "A1").for_each(|sample| sample.warm[0].total_ns = Some(1));
    let judgement = story.judge();
    let total = secondary(&judgement, "total").expect("the arm has it");
    assert_eq!(total.note.as_deref(), Some("base has no total in bench prove"));
}

#[test]
fn noise_is_named_at_the_last_look_where_it_is_why() {
    let wild = |block: u64| if block % 4 < 2 { 1_400_000 } else { 700_000 };
    let named = |looks: &[u32]| {
        let mut story = Story::new(looks, 0.01, &["A1"]);
        blocks(&mut story, 12, &[("A1", wild)]);
        story.judge().notices.iter().any(|notice| notice.starts_with("bench prove: noise is why"))
    };
    assert!(named(&[12]));
    assert!(!named(&[12, 200]), "more blocks may still settle it");
}

#[test]
fn what_has_no_number_is_not_called_invalid_for_the_twins_sake() {
    let mut story = Story::new(&[12], 0.01, &["A1", "A2"]);
    blocks(&mut story, 12, &[("A1", slow), ("A2", |_| 0)]);
    story.samples.iter_mut().filter(|sample| sample.arm == TWIN).for_each(|sample| sample.warm[0].span_ns = Some(1));
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::Invalid);
    assert_eq!(primary(&judgement, "A2").verdict, Verdict::MeasuredNothing);
    assert_eq!(outcome(&story.run, &judgement), Outcome::Unfit);
}

/// One sample that took five times as long is no reason to promise less.
#[test]
fn one_spike_does_not_make_the_detectable_effect_larger_by_half() {
    let detectable = |spike: u64| {
        let mut story = Story::new(&[16], 0.01, &["A1"]);
        blocks(&mut story, 16, &[("A1", slow)]);
        let span = &mut story.sample(5, "A1").warm[0].span_ns;
        *span = span.map(|ns| ns * spike);
        primary(&story.judge(), "A1").detectable.expect("sixteen pairs")
    };
    assert!(detectable(5) < 1.5 * detectable(1), "{} against {}", detectable(5), detectable(1));
}

#[test]
fn twins_that_differ_stop_the_measuring_at_a_look_and_not_before() {
    let judged = |looks: &[u32]| {
        let mut story = Story::new(looks, 0.01, &["A1"]);
        blocks(&mut story, 12, &[("A1", |block| if block % 4 < 2 { 1_012_000 } else { 1_000_000 })]);
        let twins = story.samples.iter_mut().filter(|sample| sample.arm == TWIN);
        twins.for_each(|sample| sample.warm[0].span_ns = sample.warm[0].span_ns.map(|ns| ns + 10_000));
        story.judge()
    };
    let at_look = judged(&[12, 200]);
    assert!(at_look.decided && at_look.noise[0].broken, "{at_look:?}");
    assert_eq!(primary(&at_look, "A1").verdict, Verdict::Invalid);
    let before = judged(&[13, 200]);
    assert!(!before.decided && !before.noise[0].broken, "looking after every block would raise false alarms");
    assert_eq!(primary(&before, "A1").verdict, Verdict::Inconclusive);
}

#[test]
fn of_two_samples_of_one_place_the_first_counts() {
    let mut story = Story::new(&[12], 0.01, &["A1"]);
    blocks(&mut story, 12, &[("A1", slow)]);
    let before = story.judge();
    let mut again = story.sample(3, "A1").clone();
    again.warm[0].span_ns = Some(1);
    story.samples.push(again);
    assert_eq!(story.judge(), before);
}

/// One of six pairs is lost, so of seven blocks five pairs are to be expected, which decide nothing at 5%.
#[test]
fn what_is_lost_is_expected_to_be_lost_again() {
    let mut story = Story::new(&[6, 7], 0.01, &["A1"]);
    blocks(&mut story, 6, &[("A1", slow)]);
    fail(story.sample(2, "A1"));
    let judgement = story.judge();
    let comparison = primary(&judgement, "A1");
    assert_eq!((comparison.verdict, comparison.pairs), (Verdict::Inconclusive, 5));
    assert!(judgement.decided && comparison.chance.is_some_and(|chance| chance < 0.05), "{comparison:?}");
}

#[test]
fn no_block_waits_for_an_arm_that_is_another_s_program() {
    let mut story = Story::new(&[12], 0.01, &["A1", "A4"]);
    blocks(&mut story, 12, &[("A1", slow), ("A4", slow)]);
    story.run.arms[3].same_as = Some(BASE.to_owned());
    story.samples.retain(|sample| sample.arm != "A4" || sample.block == 0);
    let judgement = story.judge();
    assert_eq!((judgement.blocks, primary(&judgement, "A1").verdict), (12, Verdict::Regression));
}
