//! Factorial designs: planted truths must come back from the arms, or the judgement must say what cannot be told apart.

use crate::design;
use crate::experiment::{Ask, Constraint, Design, Experiment, Factor, Fraction, Lever};
use crate::record::{Bundled, FindingKind, Sample, Stay};

use super::compare::FUTILE;
use super::fixture::{Story, fail, finding};
use super::{Comparison, Family, Judgement, Kind, Ledger, Outcome, Verdict, outcome};

const IDS: [&str; 5] = ["A", "B", "C", "D", "E"];

/// What is planted: log effects of sets of factors that are all on together.
type Truth<'a> = &'a [(&'a [&'a str], f64)];

pub(super) fn factor(id: &str) -> Factor {
    Factor { id: id.into(), lever: Lever::Feature(id.to_lowercase()), changes: Vec::new(), backend: None, fact: None }
}

/// A story whose arms are those of the design over the first `factors` factors.
fn story(factors: usize, design: Design, change: impl FnOnce(&mut Experiment)) -> Story {
    let mut story = Story::new(&[8], 0.01, &[]);
    story.experiment.factors = IDS[..factors].iter().map(|id| factor(id)).collect();
    story.experiment.design = design;
    change(&mut story.experiment);
    let mut arms = design::arms(&story.experiment).expect("a plan").arms;
    for arm in &mut arms {
        arm.binary = Some(format!("digest of {}", arm.id));
    }
    story.run.arms = arms;
    story
}

/// Fills in `blocks` blocks: each arm takes a second times e to the sum of what its factors do, give or take 0.2% that is
/// another for every arm and block.
fn measure(story: &mut Story, truth: Truth<'_>, blocks: u64) {
    let arms = story.run.arms.clone();
    for block in 0..blocks {
        let spans: Vec<(&str, u64)> = (0..)
            .zip(&arms)
            .filter(|(_, arm)| arm.same_as.is_none())
            .map(|(number, arm)| {
                let done: f64 = (truth.iter())
                    .filter(|(factors, _)| factors.iter().all(|factor| arm.levels.contains_key(*factor)))
                    .map(|(_, effect)| effect)
                    .sum();
                (arm.id.as_str(), nanoseconds(done + wobble(block, number)))
            })
            .collect();
        story.block("prove", &spans);
    }
}

/// Between −0.2% and 0.2%, evenly spread and without a pattern: multiples of the golden ratio, less their whole part.
fn wobble(block: u64, arm: u64) -> f64 {
    let place = (block * 131 + arm * 17 + block * arm * 7 + 1) as f64 * 0.618_033_988_749_895;
    0.004 * (place.fract() - 0.5)
}

fn nanoseconds(log: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few billion at most")]
    let ns = (1e9 * log.exp()).round() as u64;
    ns
}

fn judged(factors: usize, design: Design, truth: Truth<'_>) -> (Story, Judgement) {
    let mut story = story(factors, design, |_| ());
    measure(&mut story, truth, 8);
    let judgement = story.judge();
    (story, judgement)
}

fn effect<'a>(judgement: &'a Judgement, label: &str) -> &'a Comparison {
    let own = |c: &&Comparison| c.kind != Kind::Arm && c.arm == label && c.metric.name() == "span";
    let all = || judgement.comparisons.iter().map(|c| c.arm.as_str()).collect::<Vec<_>>();
    judgement.comparisons.iter().find(own).unwrap_or_else(|| panic!("no effect {label} among {:?}", all()))
}

fn log(comparison: &Comparison) -> f64 {
    comparison.ratio.expect("numbers").estimate.ln()
}

fn holds(comparison: &Comparison, truth: f64) -> bool {
    let ratio = comparison.ratio.expect("numbers");
    ratio.low.ln() <= truth && truth <= ratio.high.ln() && (log(comparison) - truth).abs() < 0.003
}

/// A slows by 5%, B and C together by another 4%; D matters only with A (2%); E does nothing.
const TRUTH: Truth<'static> = &[(&["A"], 0.05), (&["B", "C"], 0.04), (&["A", "D"], 0.02)];

/// Averaged over the others, a factor has half of what it does with another.
const MAIN: [(&str, f64); 5] = [("A", 0.06), ("B", 0.02), ("C", 0.02), ("D", 0.01), ("E", 0.0)];

#[test]
fn a_full_design_gives_back_what_was_planted() {
    let (story, judgement) = judged(5, Design::Full, TRUTH);
    assert_eq!(judgement.family, 5, "factors, not 31 arms");
    let primary: Vec<&str> =
        judgement.comparisons.iter().filter(|c| c.family == Family::Primary).map(|c| c.arm.as_str()).collect();
    assert_eq!(primary, IDS);
    for (id, main) in MAIN {
        assert!(holds(effect(&judgement, id), main), "{:?}", effect(&judgement, id));
    }
    assert_eq!(effect(&judgement, "A").verdict, Verdict::Regression);
    assert_eq!(effect(&judgement, "E").verdict, Verdict::Equivalent);
    for (pair, truth) in [("B×C", 0.04), ("A×D", 0.02), ("A×B", 0.0), ("D×E", 0.0)] {
        let interaction = effect(&judgement, pair);
        assert!(holds(interaction, truth), "{interaction:?}");
        assert_eq!((interaction.family, &interaction.contains), (Family::Secondary, &None));
        assert_eq!(interaction.p.expect("eight blocks") <= 0.05, truth > 0.0, "{interaction:?}");
    }
    assert_eq!(outcome(&story.run, &judgement), Outcome::Regression);
}

#[test]
fn half_of_the_arms_give_back_the_same() {
    let (story, judgement) = judged(5, Design::Fraction(Fraction::Half), TRUTH);
    assert_eq!(story.run.arms.len(), 16 + 1 + 1, "sixteen, base's twin, and the arm with all on as a check");
    for (id, main) in MAIN {
        assert!(holds(effect(&judgement, id), main), "{:?}", effect(&judgement, id));
    }
    for (pair, truth) in [("B×C", 0.04), ("A×D", 0.02), ("A×B", 0.0)] {
        assert!(holds(effect(&judgement, pair), truth), "{:?}", effect(&judgement, pair));
    }
}

#[test]
fn add_and_leave_gives_back_main_effects_and_how_much_each_does_with_the_rest() {
    let (story, judgement) = judged(5, Design::AddAndLeave, TRUTH);
    assert_eq!(story.run.arms.len(), 12 + 1);
    for (id, main) in MAIN {
        assert!(holds(effect(&judgement, id), main), "{:?}", effect(&judgement, id));
    }
    for (id, rest) in [("A×rest", 0.02), ("B×rest", 0.04), ("C×rest", 0.04), ("D×rest", 0.02), ("E×rest", 0.0)] {
        let interaction = effect(&judgement, id);
        assert!(holds(interaction, rest), "{interaction:?}");
    }
    assert!(judgement.comparisons.iter().all(|c| c.arm != "B×C"), "which of them it is with, the arms do not show");
    let plan = design::arms(&story.experiment).expect("a plan");
    assert!(
        plan.notices.iter().any(|notice| notice.contains("do not show the interactions A×B, A×C")),
        "{:?}",
        plan.notices
    );
}

#[test]
fn what_a_quarter_cannot_tell_apart_is_named() {
    let (_, judgement) = judged(5, Design::Fraction(Fraction::Quarter), &[(&["B", "C"], 0.04)]);
    let named = |id: &str| effect(&judgement, id).contains.clone().unwrap_or_default();
    // Where a main effect shows what B and C do together, B×C is named beside it.
    let mixed: Vec<&str> = IDS.into_iter().filter(|id| named(id).contains("B×C")).collect();
    for id in IDS {
        let own = if ["B", "C"].contains(&id) { 0.02 } else { 0.0 };
        let off = (log(effect(&judgement, id)) - own).abs();
        assert_eq!(off > 0.01, mixed.contains(&id), "{id}: {:?}", effect(&judgement, id));
    }
    let shown = |c: &&Comparison| {
        c.kind == Kind::Interaction
            && (c.arm == "B×C" || c.contains.as_ref().is_some_and(|other| other.contains("B×C")))
    };
    let shown = judgement.comparisons.iter().filter(shown).filter(|c| (log(c).abs() - 0.04).abs() < 0.003).count();
    assert_eq!(mixed.len() + shown, 1, "somewhere it is seen");
}

#[test]
fn an_interaction_that_a_half_of_four_cannot_tell_from_another_is_given_with_it() {
    let (_, judgement) = judged(4, Design::Fraction(Fraction::Half), &[(&["C", "D"], 0.04)]);
    let shown = effect(&judgement, "A×B");
    assert_eq!(shown.contains.as_deref(), Some("C×D"));
    assert!(holds(shown, 0.04), "{shown:?}");
    assert!(shown.note.as_deref().is_some_and(|note| note.contains("cannot be told apart from C×D")), "{shown:?}");
    assert!(judgement.comparisons.iter().all(|c| c.arm != "C×D"));
    assert!(holds(effect(&judgement, "A"), 0.0), "main effects are clear of it");
}

/// In a half of five, A·B·C cannot be told from D×E; the arm with all on, beside the fraction, shows that the sum is off.
#[test]
fn a_third_order_term_shows_as_a_rest() {
    let truth: Truth<'_> = &[(&["A"], 0.05), (&["A", "B", "C"], 0.08)];
    for design in [Design::Full, Design::Fraction(Fraction::Half), Design::AddAndLeave] {
        let (_, judgement) = judged(5, design.clone(), truth);
        let [whole] = judgement.attributions.as_slice() else { panic!("one bench") };
        let rest = whole.rest.as_ref().expect("the parts need not add up");
        assert!(rest.ratio.low > 1.0 || rest.ratio.high < 1.0, "{design:?}: {rest:?}");
    }
    for design in [Design::Full, Design::Fraction(Fraction::Half), Design::AddAndLeave] {
        let (_, judgement) = judged(5, design.clone(), TRUTH);
        let rest = judgement.attributions[0].rest.as_ref().expect("the parts need not add up");
        assert!(rest.ratio.low < 1.0 && rest.ratio.high > 1.0, "{design:?}: {rest:?}");
    }
}

#[test]
fn the_parts_and_the_rest_are_the_whole() {
    // Where there are as many terms as arms, nothing can be left over.
    for (factors, design, ledger, left_over) in [
        (5, Design::Full, Ledger::AloneAndPairs, true),
        (5, Design::Fraction(Fraction::Half), Ledger::AloneAndPairs, true),
        (5, Design::AddAndLeave, Ledger::MainEffects, true),
        (4, Design::Fraction(Fraction::Half), Ledger::MainEffects, false),
        (2, Design::Full, Ledger::AloneAndPairs, false),
    ] {
        let (_, judgement) = judged(factors, design.clone(), TRUTH);
        let whole = &judgement.attributions[0];
        assert_eq!((whole.ledger, whole.blocks), (ledger, 8), "{design:?}");
        let all = || whole.parts.iter().chain(&whole.rest);
        let logs: f64 = all().map(|part| part.ratio.estimate.ln()).sum();
        let ns: f64 = all().map(|part| part.units.estimate).sum();
        assert!((logs - whole.whole.ratio.estimate.ln()).abs() < 1e-12, "{design:?}: {logs}");
        assert!((ns - whole.whole.units.estimate).abs() < 1e-3, "{design:?}: {ns} of {:?}", whole.whole);
        assert_eq!(whole.rest.is_some(), left_over, "{design:?} of {factors}");
    }
    let (_, judgement) = judged(5, Design::Full, TRUTH);
    let part = |label: &str| {
        let found = judgement.attributions[0].parts.iter().find(|part| part.label == label);
        found.unwrap_or_else(|| panic!("no part {label}")).ratio.estimate.ln()
    };
    for (label, truth) in [("A", 0.05), ("B", 0.0), ("B×C", 0.04), ("A×D", 0.02), ("D", 0.0)] {
        assert!((part(label) - truth).abs() < 0.004, "{label}: {}", part(label));
    }
}

#[test]
fn leave_one_out_judges_a_factor_on_top_of_all_others() {
    let (story, judgement) = judged(4, Design::LeaveOneOut, TRUTH);
    assert_eq!(story.run.arms.len(), 2 + 1 + 4);
    // A brings its own 5% and what D needs it for; B and C bring what they do together.
    for (id, truth) in [("A", 0.07), ("B", 0.04), ("C", 0.04), ("D", 0.02)] {
        let ratio = effect(&judgement, id).ratio.expect("numbers");
        assert!((ratio.estimate.ln() - truth).abs() < 0.004, "{id}: {ratio:?}");
    }
    let whole = judgement.comparisons.iter().find(|c| c.kind == Kind::Arm && c.arm == "A+B+C+D").expect("the whole");
    assert_eq!((whole.family, judgement.family), (Family::Primary, 5));
    assert!((log(whole) - 0.11).abs() < 0.004, "{whole:?}");
    assert!(judgement.attributions.is_empty());
}

#[test]
fn a_forbidden_combination_is_not_missed() {
    let requires = Constraint { factor: "B".into(), ask: Ask::Requires, other: "A".into(), level: None };
    let mut story = story(3, Design::Full, |experiment| experiment.constraints.push(requires));
    assert_eq!(story.run.arms.len(), 6 + 1);
    measure(&mut story, &[(&["A"], 0.05), (&["B"], 0.03)], 8);
    let judgement = story.judge();
    assert!(holds(effect(&judgement, "A"), 0.05), "{:?}", effect(&judgement, "A"));
    assert!(holds(effect(&judgement, "B"), 0.03), "{:?}", effect(&judgement, "B"));
    assert_eq!(effect(&judgement, "B").contains.as_deref(), Some("A×B"), "it was never seen without A");
    assert!(judgement.comparisons.iter().all(|c| c.arm != "A×B"));
}

#[test]
fn a_factor_that_changes_no_program_is_no_part_of_the_family() {
    let mut story = story(2, Design::Full, |_| ());
    // B is inert: each arm with it is the arm without it.
    story.run.arms[3].same_as = Some("base".to_owned());
    story.run.arms[4].same_as = Some("A".to_owned());
    measure(&mut story, &[(&["A"], 0.05)], 8);
    let judgement = story.judge();
    assert_eq!(judgement.family, 1);
    assert!(holds(effect(&judgement, "A"), 0.05), "{:?}", effect(&judgement, "A"));
    assert!(judgement.comparisons.iter().all(|c| c.kind == Kind::Arm || c.arm == "A"));
}

#[test]
fn one_arm_s_failure_costs_the_block_and_one_block_in_five_is_the_most() {
    let mut story = story(2, Design::Full, |_| ());
    measure(&mut story, &[(&["A"], 0.05)], 8);
    fail(story.sample(3, "A+B"));
    let judgement = story.judge();
    let main = effect(&judgement, "A");
    assert_eq!((main.pairs, main.failed, main.verdict), (7, 1, Verdict::Regression));
    let note = "1 of 8 blocks are left out: 1 for a failed sample in one of the arms";
    assert_eq!(main.note.as_deref(), Some(note));
    fail(story.sample(4, "B"));
    let judgement = story.judge();
    assert_eq!(effect(&judgement, "A").verdict, Verdict::Invalid);
    assert_eq!(outcome(&story.run, &judgement), Outcome::Unfit);
}

#[test]
fn a_finding_about_any_arm_puts_the_effects_in_doubt() {
    let (mut story, _) = judged(2, Design::Full, &[]);
    story.run.findings.push(finding(FindingKind::Stale, "A+B"));
    let judgement = story.judge();
    assert_eq!(effect(&judgement, "A").verdict, Verdict::Stale);
    assert_eq!(effect(&judgement, "B").verdict, Verdict::Stale);
}

#[test]
fn an_arm_that_did_not_build_leaves_the_others_to_be_judged() {
    let mut story = story(3, Design::Full, |_| ());
    let gone = story.run.arms.pop().expect("A+B+C");
    story.run.arms.push(crate::record::RunArm { binary: None, ..gone });
    story.run.findings.push(finding(FindingKind::BuildFailed, "A+B+C"));
    let arms = story.run.arms.clone();
    story.run.arms.pop();
    measure(&mut story, &[(&["A"], 0.05)], 8);
    story.run.arms = arms;
    let judgement = story.judge();
    assert!(holds(effect(&judgement, "A"), 0.05), "{:?}", effect(&judgement, "A"));
    assert_eq!(outcome(&story.run, &judgement), Outcome::BuildFinding);
}

#[test]
fn memory_is_judged_like_time() {
    let mut story = story(3, Design::Full, |experiment| {
        experiment.benches[0].metric = crate::experiment::Metric::PeakRss;
    });
    measure(&mut story, &[], 8);
    for sample in story.samples.iter_mut().filter(|sample| sample.arm.contains('B')) {
        sample.warm[0].peak_rss_bytes = Some((1 << 20) + (1 << 16));
    }
    let judgement = story.judge();
    let main = judgement.comparisons.iter().find(|c| c.kind == Kind::Effect && c.arm == "B").expect("its effect");
    assert_eq!((main.verdict, main.metric.name()), (Verdict::Regression, "peak_rss"));
    assert!((log(main) - (17.0_f64 / 16.0).ln()).abs() < 1e-12, "{main:?}");
    assert!((judgement.attributions[0].whole.units.estimate - 65_536.0).abs() < 1e-6);
}

#[test]
fn a_hopeless_comparison_stops_the_measuring_at_a_look() {
    let noisy = |change: f64| {
        let mut story = Story::new(&[12, 16], 0.01, &["A1"]);
        for block in 0..12_u64 {
            let slow = nanoseconds(change + 40.0 * wobble(block, 3));
            let base = nanoseconds(40.0 * wobble(block, 11));
            story.block("prove", &[("base", base), ("base-again", base), ("A1", slow)]);
        }
        story.judge()
    };
    let hopeless = noisy(0.0);
    let comparison = &hopeless.comparisons[0];
    assert_eq!(comparison.verdict, Verdict::Inconclusive);
    assert!(comparison.chance.is_some_and(|chance| chance < FUTILE), "{comparison:?}");
    assert!(hopeless.decided, "sixteen blocks of such noise would not tell 1%");
    assert!(
        hopeless.notices[0].starts_with("stopped after 12 of 16 planned blocks: 1 comparison is inconclusive"),
        "{:?}",
        hopeless.notices
    );
    assert!(
        comparison.note.as_deref().is_some_and(|note| note.contains("futile: going on to 16 blocks")),
        "{comparison:?}"
    );

    let likely = noisy(0.02);
    let comparison = &likely.comparisons[0];
    assert_eq!(comparison.verdict, Verdict::Inconclusive);
    assert!(comparison.chance.is_some_and(|chance| chance > FUTILE) && !likely.decided, "{comparison:?}");
}

#[test]
fn a_drift_is_told_and_does_not_touch_the_effects() {
    let mut story = story(2, Design::Full, |_| ());
    measure(&mut story, &[(&["A"], 0.05)], 8);
    for sample in &mut story.samples {
        let slower = 1.0 + 0.02 * f64::from(sample.block) + 0.01 * f64::from(sample.position);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few billion at most")]
        let ns = (sample.warm[0].span_ns.unwrap_or(0) as f64 * slower) as u64;
        sample.warm[0].span_ns = Some(ns);
    }
    let judgement = story.judge();
    let run = judgement.trends[0].over_run.expect("eight blocks");
    assert!((run.estimate - 1.14).abs() < 0.02 && run.low > 1.05, "{run:?}");
    // The arms stand in one order here, so what grows along a block is taken for what arms differ by.
    assert!(
        judgement.notices.iter().any(|notice| notice.starts_with("bench prove: values changed by")),
        "{:?}",
        judgement.notices
    );
}

/// A story measured in two stays: the first broke off in block 3, and the second machine takes half as long again.
fn two_stays() -> (Story, Vec<Sample>) {
    let mut story = story(3, Design::Full, |_| ());
    measure(&mut story, TRUTH, 9);
    let left: Vec<Sample> = story.samples.extract_if(.., |sample| sample.block == 3 && sample.position > 4).collect();
    for sample in story.samples.iter_mut().filter(|sample| sample.block > 3) {
        sample.warm[0].span_ns = sample.warm[0].span_ns.map(|ns| ns * 3 / 2);
    }
    let stay = |first_block: u32| Stay {
        began: story.run.created,
        host: story.run.host.clone(),
        boot: first_block.to_string(),
        gpu_uuids: Vec::new(),
        first_block,
    };
    story.run.bundle = Some(Bundled {
        digest: "a bundle's".to_owned(),
        made: story.run.created,
        ablate: "1".to_owned(),
        built_on: story.run.host.clone(),
        stays: vec![stay(0), stay(4)],
    });
    (story, left)
}

#[test]
fn a_block_that_a_stay_left_unfinished_is_in_no_effect() {
    let (story, left) = two_stays();
    assert!(!left.is_empty());
    let judgement = story.judge();
    assert_eq!(judgement.blocks, 8);
    assert!(judgement.comparisons.iter().all(|c| c.pairs == 8), "{:?}", judgement.comparisons);
    let whole = |sample: &Sample| sample.block != 3;
    let without = Story { samples: story.samples.iter().filter(|s| whole(s)).cloned().collect(), ..story };
    let expected = without.judge();
    assert_eq!(judgement.comparisons, expected.comparisons);
    assert_eq!(judgement.attributions, expected.attributions);
    assert_eq!((&judgement.noise, &judgement.trends), (&expected.noise, &expected.trends));
    let said = "1 block is begun but not complete and left out".to_owned();
    assert_eq!(judgement.notices, [expected.notices, vec![said]].concat());
}

#[test]
fn another_machine_s_speed_is_neither_an_effect_nor_a_drift() {
    let (mut story, _) = two_stays();
    let judgement = story.judge();
    for (id, main) in [("A", 0.05), ("B", 0.02), ("C", 0.02)] {
        assert!(holds(effect(&judgement, id), main), "{:?}", effect(&judgement, id));
    }
    let drift = |judgement: &Judgement| judgement.trends[0].over_run.expect("eight blocks");
    assert!((drift(&judgement).estimate - 1.0).abs() < 0.01, "{:?}", judgement.trends);
    story.run.bundle = None;
    let one_machine = story.judge();
    assert!(drift(&one_machine).estimate > 1.3, "what one machine would have had to drift: {:?}", one_machine.trends);
    assert_eq!(judgement.comparisons, one_machine.comparisons);
}
