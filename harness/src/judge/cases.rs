//! Whole judgements: the cases from public reports, and each promise that `judge` makes.

use crate::experiment::Metric;
use crate::record::FindingKind;
use crate::stats::signed_rank::smallest_p;

use super::fixture::{BASE, Story, TWIN, bench, fail, finding, primary};
use super::{Family, Judgement, Outcome, Temperature, Verdict, outcome};

/// 115, 114, 115, 115, 115 and on in that way, against 78.8 throughout, in nanoseconds × 10⁷.
fn go_19634(blocks: usize) -> Vec<(u64, u64)> {
    (0..blocks).map(|i| (if i == 1 { 1_140_000_000 } else { 1_150_000_000 }, 788_000_000)).collect()
}

/// `count` pairs whose ratio wavers around `percent` of base by up to ±0.4%, no two alike.
fn around(percent: u64, count: u64) -> Vec<(u64, u64)> {
    (0..count)
        .map(|i| (1_000_000 + 1_000 * i, (1_000_000 + 1_000 * i) * percent / 100 + 997 * (i * 7 % 9) - 3_988))
        .collect()
}

fn judged(looks: &[u32], min_effect: f64, pairs: &[(u64, u64)]) -> (Story, Judgement) {
    let mut story = Story::new(looks, min_effect, &["A1"]);
    story.pairs("A1", pairs);
    let judgement = story.judge();
    (story, judgement)
}

#[test]
fn five_pairs_show_31_percent_less_but_only_six_can_decide_it() {
    let (_, five) = judged(&[5], 0.01, &go_19634(5));
    let comparison = primary(&five, "A1");
    let ratio = comparison.ratio.expect("five pairs have an estimate");
    assert!((ratio.estimate - 78.8 / 115.0).abs() < 1e-12, "{ratio:?}");
    assert_eq!((ratio.low, ratio.high), (0.0, f64::INFINITY));
    assert_eq!(comparison.verdict, Verdict::Inconclusive);
    assert_eq!(comparison.note.as_deref(), Some("5 pairs cannot decide at this level, 6 could"));

    let (story, six) = judged(&[6], 0.01, &go_19634(6));
    let comparison = primary(&six, "A1");
    let ratio = comparison.ratio.expect("six pairs");
    assert_eq!(comparison.verdict, Verdict::Improvement);
    assert_eq!(format!("{:.0}%", 100.0 * (ratio.estimate - 1.0)), "-31%");
    assert!((ratio.low - 78.8 / 115.0).abs() < 1e-12 && (ratio.high - 78.8 / 114.0).abs() < 1e-12);
    assert_eq!(outcome(&story.run, &six), Outcome::Clean);
}

#[test]
fn equal_values_are_equivalent_with_ratio_one() {
    let (story, judgement) = judged(&[6], 0.01, &[(100, 100); 6]);
    let comparison = primary(&judgement, "A1");
    let ratio = comparison.ratio.expect("six pairs");
    assert_eq!((ratio.estimate, ratio.low, ratio.high), (1.0, 1.0, 1.0));
    assert_eq!((comparison.p, comparison.verdict), (Some(1.0), Verdict::Equivalent));
    assert_eq!(judgement.noise[0].spread, Some(0.0));
    assert_eq!(outcome(&story.run, &judgement), Outcome::Clean);

    let (_, five) = judged(&[5], 0.01, &[(100, 100); 5]);
    let ratio = primary(&five, "A1").ratio.expect("five pairs");
    assert_eq!((ratio.estimate, primary(&five, "A1").verdict), (1.0, Verdict::Inconclusive));
}

#[test]
fn a_metric_on_one_side_only_is_named_and_never_clean() {
    let mut story = Story::new(&[8], 0.01, &["A1"]);
    story.pairs("A1", &around(100, 8));
    for sample in story.samples.iter_mut().filter(|sample| sample.arm == BASE) {
        sample.warm[0].span_ns = None;
    }
    let judgement = story.judge();
    let comparison = primary(&judgement, "A1");
    assert_eq!(comparison.verdict, Verdict::MeasuredNothing);
    assert_eq!(comparison.note.as_deref(), Some("base has no span in bench prove"));
    assert_eq!((comparison.ratio, comparison.base), (None, None));
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn a_zero_is_left_out_and_named() {
    let mut pairs = around(110, 12);
    pairs[3].1 = 0;
    let (_, judgement) = judged(&[12], 0.01, &pairs);
    let comparison = primary(&judgement, "A1");
    assert_eq!((comparison.pairs, comparison.verdict), (11, Verdict::Regression));
    assert_eq!(comparison.note.as_deref(), Some("1 of 12 pairs are left out: 1 for a value of 0"));
    let ratio = comparison.ratio.expect("eleven pairs");
    assert!(ratio.low > 1.09 && ratio.high < 1.11, "{ratio:?}");

    let (story, judgement) = judged(&[12], 0.01, &[(100, 0); 12]);
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::MeasuredNothing);
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn what_an_early_look_decided_stays_as_it_was() {
    let mut pairs = around(110, 12);
    let (_, early) = judged(&[12, 24], 0.01, &pairs);
    let comparison = primary(&early, "A1");
    assert_eq!(comparison.verdict, Verdict::Regression);
    assert_eq!(comparison.note.as_deref(), Some("decided at look 1 of 2, after 12 blocks"));
    assert!(early.decided);

    pairs.extend(around(70, 12));
    let (_, late) = judged(&[12, 24], 0.01, &pairs);
    assert_eq!(late.comparisons, early.comparisons);
    assert_eq!((late.look, late.blocks), (early.look, 12));
    assert_eq!(
        late.notices,
        [
            "bench prove: values changed by 1.1% over the run; comparisons are within blocks, which takes that out",
            "12 further blocks are complete but not judged: the judgement stands at the look after 12 blocks"
        ]
    );
}

/// Arm A1 always 10% slower; A2 by turns above and below base.
fn two_arms(looks: &[u32], wave: fn(u64, u64) -> u64) -> (Story, Judgement) {
    let mut story = Story::new(looks, 0.01, &["A1", "A2"]);
    for (i, (base, slow)) in (0..).zip(around(110, 24)) {
        story.block("prove", &[(BASE, base), (TWIN, base), ("A1", slow), ("A2", wave(i, base))]);
    }
    let judgement = story.judge();
    (story, judgement)
}

#[test]
fn comparisons_close_one_by_one() {
    // 1.2% more, 1.2% less and twice nothing, three times over; then nothing.
    let (story, judgement) = two_arms(&[12, 24], |i, base| match i % 4 {
        0 if i < 12 => base + base * 12 / 1_000,
        1 if i < 12 => base - base * 12 / 1_000,
        _ => base,
    });
    assert_eq!((primary(&judgement, "A1").verdict, primary(&judgement, "A1").pairs), (Verdict::Regression, 12));
    assert_eq!((primary(&judgement, "A2").verdict, primary(&judgement, "A2").pairs), (Verdict::Equivalent, 24));
    assert!(judgement.decided);
    assert_eq!(judgement.look.map(|look| look.number), Some(2));
    assert_eq!(outcome(&story.run, &judgement), Outcome::Regression);
}

#[test]
fn noise_that_more_blocks_would_not_settle_is_named_and_ends_the_run() {
    let (story, judgement) = two_arms(&[16, 24], |i, base| if i % 4 < 2 { base * 2 } else { base / 2 });
    let noisy = primary(&judgement, "A2");
    assert_eq!((noisy.verdict, noisy.pairs), (Verdict::Inconclusive, 16));
    assert!(judgement.decided, "A1 is closed, and A2 would stay open");
    assert_eq!(judgement.look.map(|look| look.number), Some(1));
    assert_eq!(outcome(&story.run, &judgement), Outcome::Regression);
    let note = noisy.note.clone().expect("inconclusive says why");
    assert!(note.starts_with("noise: the interval reaches "), "{note}");
    assert!(note.contains("; futile: going on to 24 blocks"), "{note}");
    assert!(noisy.blocks_needed.is_some_and(|blocks| blocks > 24));
}

#[test]
fn base_that_differs_from_its_twin_makes_everything_invalid_from_eleven_blocks_on() {
    for (blocks, verdict, result) in
        [(10, Verdict::Regression, Outcome::Regression), (11, Verdict::Invalid, Outcome::Unfit)]
    {
        let mut story = Story::new(&[blocks], 0.01, &["A1"]);
        for (base, slow) in around(110, u64::from(blocks)) {
            story.block("prove", &[(BASE, base), (TWIN, slow), ("A1", slow)]);
        }
        let judgement = story.judge();
        assert_eq!(primary(&judgement, "A1").verdict, verdict, "{blocks} blocks");
        assert_eq!(outcome(&story.run, &judgement), result);
        assert_eq!(judgement.noise[0].p, Some(smallest_p(blocks as usize)));
    }
}

#[test]
fn merged_arms_are_no_part_of_the_family() {
    let mut story = Story::new(&[8], 0.01, &["A1", "A4"]);
    story.run.arms[3].same_as = Some(BASE.to_owned());
    story.pairs("A1", &around(100, 8));
    let judgement = story.judge();
    assert_eq!((judgement.family, judgement.look.map(|look| look.level)), (1, Some(0.05)));
    assert!(judgement.comparisons.iter().all(|comparison| comparison.arm == "A1"));
    assert_eq!(judgement.notices, [""; 0], "the run's own notices say so already");
}

#[test]
fn arms_that_are_all_base_leave_nothing_to_measure() {
    let mut story = Story::new(&[8], 0.01, &["A4"]);
    story.run.arms[2].same_as = Some(BASE.to_owned());
    for (base, twin) in around(100, 8) {
        story.block("prove", &[(BASE, base), (TWIN, twin)]);
    }
    let judgement = story.judge();
    assert_eq!((judgement.family, judgement.decided, judgement.noise[0].pairs), (0, false, 8));
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn what_was_not_measured_outranks_a_regression() {
    let mut story = Story::new(&[12], 0.01, &["A1", "A2"]);
    for (base, slow) in around(110, 12) {
        story.block("prove", &[(BASE, base), (TWIN, base), ("A1", slow), ("A2", 0)]);
    }
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::Regression);
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn one_pair_in_five_may_fail_and_no_more() {
    let mut story = Story::new(&[15], 0.01, &["A1"]);
    story.pairs("A1", &around(110, 15));
    for block in 0..2 {
        fail(story.sample(block, "A1"));
    }
    fail(story.sample(2, BASE));
    let judgement = story.judge();
    let comparison = primary(&judgement, "A1");
    assert_eq!((comparison.verdict, comparison.pairs, comparison.failed), (Verdict::Regression, 12, 2));
    let left_out = "3 of 15 pairs are left out: 3 for a failed sample (base 1, arm 2)";
    assert_eq!(comparison.note.as_deref(), Some(left_out));

    fail(story.sample(3, "A1"));
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::Invalid);
    assert_eq!(outcome(&story.run, &judgement), Outcome::Unfit);

    for block in 4..15 {
        fail(story.sample(block, "A1"));
    }
    fail(story.sample(2, "A1"));
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::MeasuredNothing);
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn only_complete_blocks_are_judged() {
    let mut story = Story::new(&[8], 0.01, &["A1"]);
    story.pairs("A1", &around(110, 8));
    story.samples.pop();
    let judgement = story.judge();
    assert_eq!((judgement.blocks, judgement.look), (7, None));
    let comparison = primary(&judgement, "A1");
    assert_eq!(comparison.verdict, Verdict::Inconclusive);
    assert_eq!(comparison.note.as_deref(), Some("the first look is at 8 blocks"));
    let notices = [
        "no verdict yet: 7 blocks are complete, the first look is at 8",
        "1 block is begun but not complete and left out",
    ];
    assert_eq!(judgement.notices, notices);
    assert_eq!(outcome(&story.run, &judgement), Outcome::Inconclusive);
}

#[test]
fn nothing_at_all_is_nothing_measured() {
    let story = Story::new(&[8], 0.01, &["A1"]);
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::MeasuredNothing);
    assert_eq!(primary(&judgement, "A1").note.as_deref(), Some("no block is complete"));
    assert_eq!(outcome(&story.run, &judgement), Outcome::NothingMeasured);
}

#[test]
fn secondary_comparisons_explain_and_never_set_the_exit_code() {
    let mut story = Story::new(&[16], 0.01, &["A1"]);
    story.pairs("A1", &around(100, 16));
    for sample in story.samples.iter_mut().filter(|sample| sample.arm == "A1") {
        sample.warm[0].phases[0].ns *= 2;
        sample.cold.as_mut().expect("the fixture has one").span_ns = Some(1);
    }
    let judgement = story.judge();
    let find = |metric: &str, temperature| {
        (judgement.comparisons.iter())
            .find(|c| c.family == Family::Secondary && c.metric.name() == metric && c.temperature == temperature)
            .unwrap_or_else(|| panic!("no secondary comparison of {metric}"))
    };
    assert_eq!(find("synthesis", Temperature::Warm).verdict, Verdict::Regression);
    assert_eq!(find("span", Temperature::Cold).verdict, Verdict::Improvement);
    // Two of four are discoveries with the smallest p-value of sixteen pairs; adjusted it is 4/2 of that.
    assert_eq!(find("synthesis", Temperature::Warm).p, Some(2.0 * smallest_p(16)));
    let level = find("peak_rss", Temperature::Warm).ratio.map(|ratio| ratio.level);
    assert_eq!(level, Some(0.05 * 2.0 / 4.0), "intervals go with the discoveries");
    assert_eq!(find("peak_rss", Temperature::Warm).verdict, Verdict::Equivalent);
    assert_eq!(find("total", Temperature::Warm).verdict, Verdict::Equivalent);
    assert_eq!(judgement.comparisons.len(), 5, "one primary, four secondary");
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::Equivalent);
    assert_eq!(outcome(&story.run, &judgement), Outcome::Clean);
}

#[test]
fn the_secondary_table_and_its_decisions_agree() {
    let mut story = Story::new(&[12], 1e-6, &["A1", "A2"]);
    for (i, (base, other)) in (0..).zip(around(100, 12)) {
        story.block("prove", &[(BASE, base), (TWIN, base), ("A1", other), ("A2", other + 600 * i)]);
    }
    let judgement = story.judge();
    for comparison in judgement.comparisons.iter().filter(|comparison| comparison.family == Family::Secondary) {
        let (ratio, p) = (comparison.ratio.expect("twelve pairs"), comparison.p.expect("twelve pairs"));
        assert_eq!(p <= 0.05, ratio.low > 1.0 || ratio.high < 1.0, "{comparison:?}");
    }
}

#[test]
fn findings_overrule_what_was_measured() {
    let (mut story, _) = judged(&[12], 0.01, &around(100, 12));
    story.run.findings.push(finding(FindingKind::Stale, "A1"));
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::Stale);
    let note = "the build of A1 is in doubt: liba.a is older than a.c";
    assert_eq!(primary(&judgement, "A1").note.as_deref(), Some(note));
    assert_eq!(outcome(&story.run, &judgement), Outcome::BuildFinding);

    story.run.findings = vec![finding(FindingKind::Leaking, BASE)];
    assert_eq!(primary(&story.judge(), "A1").verdict, Verdict::Stale, "all are compared with base");
}

#[test]
fn an_arm_that_did_not_build_does_not_hold_up_the_others() {
    let mut story = Story::new(&[12], 0.01, &["A1", "A2"]);
    story.run.arms[3].binary = None;
    story.run.findings.push(finding(FindingKind::BuildFailed, "A2"));
    story.pairs("A1", &around(110, 12));
    let judgement = story.judge();
    assert_eq!(primary(&judgement, "A1").verdict, Verdict::Regression);
    assert_eq!(primary(&judgement, "A2").verdict, Verdict::MeasuredNothing);
    let note = "the build of A2 failed: liba.a is older than a.c";
    assert_eq!(primary(&judgement, "A2").note.as_deref(), Some(note));
    assert!(judgement.decided);
    assert_eq!(outcome(&story.run, &judgement), Outcome::BuildFinding);
}

#[test]
fn a_bench_kept_to_some_arms_is_not_expected_of_others() {
    let mut story = Story::new(&[12], 0.01, &["A1", "A2"]);
    story.experiment.benches.push(crate::experiment::Bench { arms: vec!["A2".to_owned()], ..bench("synth") });
    for (base, slow) in around(110, 12) {
        story.block("prove", &[(BASE, base), (TWIN, base), ("A1", base), ("A2", slow)]);
        story.block("synth", &[(BASE, base), (TWIN, base), ("A2", slow)]);
    }
    let judgement = story.judge();
    assert_eq!((judgement.family, judgement.blocks), (3, 12));
    let of = |comparison: &super::Comparison| (comparison.bench.clone(), comparison.arm.clone(), comparison.verdict);
    let primaries: Vec<_> = judgement.comparisons.iter().filter(|c| c.family == Family::Primary).map(of).collect();
    let expected = [
        ("prove", "A1", Verdict::Equivalent),
        ("prove", "A2", Verdict::Regression),
        ("synth", "A2", Verdict::Regression),
    ];
    assert_eq!(primaries, expected.map(|(bench, arm, verdict)| (bench.to_owned(), arm.to_owned(), verdict)));
}

#[test]
fn the_order_of_samples_does_not_matter() {
    let (mut story, judgement) = judged(&[8, 16], 0.01, &around(101, 16));
    story.samples.reverse();
    assert_eq!(story.judge(), judgement);
}

#[test]
fn warm_iterations_are_averaged() {
    let (mut story, before) = judged(&[8], 0.01, &around(110, 8));
    for sample in &mut story.samples {
        let mut more = sample.warm[0].clone();
        more.span_ns = more.span_ns.map(|ns| ns * 3);
        sample.warm.push(more);
    }
    let after = story.judge();
    assert_eq!(primary(&after, "A1").base, primary(&before, "A1").base.map(|ns| 2.0 * ns));
    assert_eq!(primary(&after, "A1").verdict, Verdict::Regression);
}

#[test]
fn absurd_values_never_make_a_nan() {
    let absurd = [0, 1, u64::MAX, u64::MAX - 1, 1_000, 0, 1, 1];
    let pairs: Vec<(u64, u64)> = (0..16).map(|i| (absurd[i % 8], absurd[(i * 3 + i / 8) % 8])).collect();
    for blocks in 0..=pairs.len() {
        for metric in [Metric::Span, Metric::PeakRss, Metric::Phase("synthesis".to_owned())] {
            let mut story = Story::new(&[6, 8, 16], 0.01, &["A1"]);
            story.experiment.benches[0].metric = metric;
            story.pairs("A1", &pairs[..blocks]);
            for comparison in &story.judge().comparisons {
                let ratio = comparison.ratio.map_or([1.0; 3], |ratio| [ratio.estimate, ratio.low, ratio.high]);
                let numbers = [comparison.p, comparison.detectable, comparison.base, comparison.arm_value];
                let numbers = numbers.into_iter().flatten().chain(ratio);
                assert!(numbers.into_iter().all(|number| !number.is_nan()), "{comparison:?}");
                assert!(ratio[0].is_finite() && ratio[0] > 0.0, "{comparison:?}");
            }
        }
    }
}
