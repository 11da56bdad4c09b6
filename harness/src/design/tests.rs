//! Designs, against brute force and by hand.

use std::collections::BTreeSet;

use super::*;
use crate::experiment::{Ask, CommandArm, Constraint, Design, Fraction, Measure, Metric, Parse, Target};

fn feature(id: &str) -> Factor {
    Factor { id: id.into(), lever: Lever::Feature(id.to_lowercase()), changes: Vec::new(), backend: None, fact: None }
}

fn argument(id: &str, levels: &[&str]) -> Factor {
    let levels = levels.iter().map(|&level| level.to_owned()).collect();
    let lever = Lever::Argument { flag: format!("--{}", id.to_lowercase()), levels };
    Factor { id: id.into(), lever, changes: Vec::new(), backend: None, fact: None }
}

fn experiment(factors: Vec<Factor>, design: Design) -> Experiment {
    Experiment {
        file: "x.toml".into(),
        source: String::new(),
        root: "/project".into(),
        name: "x".into(),
        question: "?".into(),
        expect: None,
        target: Some(Target {
            manifest: "/project/Cargo.toml".into(),
            package: "p".into(),
            bin: "p".into(),
            features: vec!["z".into(), "always".into()],
            profile: "release".into(),
        }),
        cuda: None,
        factors,
        commands: Vec::new(),
        archives: Vec::new(),
        constraints: Vec::new(),
        design,
        prepare: None,
        benches: vec![bench(&[], &[])],
        measure: Measure { looks: vec![8], alpha: 0.05, min_effect: 0.01, max_time: None, seed: 1 },
    }
}

fn bench(args: &[&str], arms: &[&str]) -> Bench {
    let owned = |list: &[&str]| list.iter().map(|&item| item.to_owned()).collect();
    Bench {
        name: "b".into(),
        args: owned(args),
        metric: Metric::Span,
        parse: Parse::Protocol,
        iterations: 1,
        timeout: None,
        arms: owned(arms),
    }
}

fn choice(levels: &[(&str, usize)]) -> Choice {
    levels.iter().map(|&(id, level)| (id.to_owned(), level)).collect()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.arms.iter().map(|arm| arm.id.as_str()).collect()
}

#[test]
fn add_one_tries_each_level_alone() {
    let plan = arms(&experiment(vec![feature("A"), argument("W", &["1", "2", "3"])], Design::AddOne)).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A", "W=2", "W=3"]);
    let roles: Vec<Role> = plan.arms.iter().map(|arm| arm.role).collect();
    assert_eq!(roles, [Role::Base, Role::BaseAgain, Role::Combination, Role::Combination, Role::Combination]);
}

#[test]
fn an_arm_carries_its_features_arguments_and_variables() {
    let environment = Lever::Environment { name: "E".into(), levels: vec!["low".into(), "high".into()] };
    let environment = Factor { id: "E".into(), lever: environment, changes: Vec::new(), backend: None, fact: None };
    let factors = vec![feature("M"), argument("W", &["1", "2"]), environment];
    let list = Design::List(vec![choice(&[("E", 1), ("M", 1)])]);
    let plan = arms(&experiment(factors, list)).expect("a plan");
    let (base, arm) = (&plan.arms[0], &plan.arms[2]);
    assert_eq!(base.features, ["always", "z"], "sorted");
    assert_eq!(base.args, ["--w", "1"], "base says its level too");
    assert_eq!(base.env, BTreeMap::from([("E".into(), "low".into())]));
    assert_eq!(base.levels, BTreeMap::new());
    assert_eq!(arm.id, "M+E=high", "factors in file order");
    assert_eq!(arm.features, ["always", "m", "z"]);
    assert_eq!(arm.args, ["--w", "1"]);
    assert_eq!(arm.env, BTreeMap::from([("E".into(), "high".into())]));
    assert_eq!(arm.levels, BTreeMap::from([("M".into(), "on".into()), ("E".into(), "high".into())]));
    assert_eq!(RunArm { id: BASE.into(), role: Role::Base, ..plan.arms[1].clone() }, *base, "the twin is base");
}

/// Nested loops over every level of every factor.
#[test]
fn a_full_design_is_every_combination_once() {
    let factors = vec![feature("A"), argument("W", &["1", "2", "3"]), feature("B"), feature("C")];
    let plan = arms(&experiment(factors, Design::Full)).expect("a plan");
    let mut expected = BTreeSet::new();
    for (a, w, b, c) in
        (0..2).flat_map(|a| (0..3).flat_map(move |w| (0..2).flat_map(move |b| (0..2).map(move |c| (a, w, b, c)))))
    {
        let mut levels = BTreeMap::new();
        for (id, on) in [("A", a), ("B", b), ("C", c)] {
            if on == 1 {
                levels.insert(id.to_owned(), "on".to_owned());
            }
        }
        if w > 0 {
            levels.insert("W".to_owned(), (w + 1).to_string());
        }
        expected.insert(levels);
    }
    let combinations: Vec<_> = plan.arms.iter().filter(|arm| arm.role != Role::BaseAgain).collect();
    assert_eq!(combinations.len(), 24);
    assert_eq!(combinations.iter().map(|arm| arm.levels.clone()).collect::<BTreeSet<_>>(), expected);
    assert_eq!(ids(&plan)[2..6], ["A", "W=2", "A+W=2", "W=3"], "the first factor changes fastest");
}

#[test]
fn a_full_design_stops_at_its_limit() {
    let many = |count: usize| (0..count).map(|number| feature(&format!("F{number}"))).collect::<Vec<_>>();
    assert_eq!(arms(&experiment(many(8), Design::Full)).expect("256 arms and the twin").arms.len(), 257);
    let refused = |count| arms(&experiment(many(count), Design::Full)).expect_err("too many").to_string();
    assert!(refused(9).contains("makes 512 arms of 9 factors"), "{}", refused(9));
    assert!(refused(200).contains("makes more than 2^128 arms of 200 factors"), "{}", refused(200));
    assert!(refused(200).contains("(201 arms)"), "{}", refused(200));
}

#[test]
fn a_factor_whose_backend_no_bench_names_is_left_out() {
    let cuda = Factor { backend: Some("cuda".into()), ..feature("B") };
    let listed = [choice(&[("A", 1)]), choice(&[("A", 1), ("B", 1)]), choice(&[("B", 1)])];
    let mut experiment = experiment(vec![feature("A"), cuda], Design::List(listed.to_vec()));
    experiment.benches = vec![bench(&["--backend", "cpu"], &["A+B"])];
    let plan = arms(&experiment).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A"]);
    assert_eq!(plan.notices.len(), 3, "{:?}", plan.notices);
    assert!(plan.notices[0].starts_with("factor B is left out: it acts on backend cuda alone"), "{}", plan.notices[0]);
    assert!(plan.notices[1].starts_with("arm A+B is left out"), "{}", plan.notices[1]);
    for args in [&["--backend", "cuda"][..], &["--backend=cuda"]] {
        experiment.benches.push(bench(args, &[]));
        let plan = arms(&experiment).expect("a plan");
        assert_eq!(ids(&plan), ["base", "base-again", "A", "A+B", "B"]);
        assert!(plan.notices.is_empty());
        experiment.benches.pop();
    }
}

#[test]
fn nothing_to_compare_says_why() {
    let message = arms(&experiment(Vec::new(), Design::AddOne)).expect_err("base alone").to_string();
    assert_eq!(message, "x.toml: nothing to compare base with; add a [[factor]] or an [[arm]]");
    let cuda = Factor { backend: Some("cuda".into()), ..feature("B") };
    let message = arms(&experiment(vec![cuda], Design::Full)).expect_err("base alone").to_string();
    assert!(message.contains("factor B is left out"), "{message}");
}

#[test]
fn commands_stand_last_and_take_no_levels() {
    let mut experiment = experiment(vec![argument("W", &["1", "2"])], Design::AddOne);
    experiment.commands =
        vec![CommandArm { id: "peer".into(), command: vec!["peer".into(), "x".into()], build: vec![] }];
    let plan = arms(&experiment).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "W=2", "peer"]);
    let peer = &plan.arms[3];
    assert_eq!((peer.role, peer.command.len(), peer.args.len()), (Role::Command, 2, 0));
    assert!(plan.arms[..3].iter().all(|arm| arm.command.is_empty()));
}

#[test]
fn a_command_can_be_base() {
    let mut experiment = experiment(vec![argument("W", &["1", "2"])], Design::AddOne);
    experiment.target = None;
    experiment.commands = vec![CommandArm { id: "base".into(), command: vec!["program".into()], build: vec![] }];
    let plan = arms(&experiment).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "W=2"]);
    assert!(plan.arms.iter().all(|arm| arm.command == ["program"] && arm.features.is_empty()));
    assert_eq!(plan.arms[2].args, ["--w", "2"]);
}

#[test]
fn benches_name_arms_that_are_made() {
    let mut experiment = experiment(vec![feature("Alpha"), feature("Beta")], Design::AddOne);
    experiment.benches = vec![bench(&[], &["Alpha"])];
    let plan = arms(&experiment).expect("a plan");
    let run: Vec<bool> = plan.arms.iter().map(|arm| runs(&experiment.benches[0], arm)).collect();
    assert_eq!(run, [true, true, true, false], "base and its twin always");
    experiment.benches = vec![bench(&[], &["Alhpa"])];
    let message = arms(&experiment).expect_err("no such arm").to_string();
    assert_eq!(message, "x.toml: bench `b` names arm `Alhpa`, which the design does not make; did you mean `Alpha`?");
}

fn requires(factor: &str, other: &str) -> Constraint {
    Constraint { factor: factor.into(), ask: Ask::Requires, other: other.into(), level: None }
}

fn conflicts(factor: &str, other: &str) -> Constraint {
    Constraint { ask: Ask::Conflicts, ..requires(factor, other) }
}

#[test]
fn leave_one_out_starts_from_all() {
    let factors = vec![feature("A"), argument("W", &["1", "2", "3"]), feature("B")];
    let plan = arms(&experiment(factors, Design::LeaveOneOut)).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A+W=3+B", "W=3+B", "A+B", "A+W=3"]);
}

#[test]
fn add_and_leave_is_both_and_each_arm_once() {
    let factors = |count: usize| ["A", "B", "C", "D", "E"][..count].iter().map(|id| feature(id)).collect::<Vec<_>>();
    for (count, arms_and_twin) in [(1, 3), (2, 5), (3, 9), (4, 11), (5, 13)] {
        let plan = arms(&experiment(factors(count), Design::AddAndLeave)).expect("a plan");
        assert_eq!(plan.arms.len(), arms_and_twin, "{count} factors");
        assert_eq!(ids(&plan).into_iter().collect::<BTreeSet<_>>().len(), arms_and_twin, "no arm twice");
    }
}

#[test]
fn a_fraction_has_base_and_an_even_number_of_each_word_on() {
    let factors: Vec<Factor> = ["A", "B", "C", "D"].into_iter().map(feature).collect();
    let plan = arms(&experiment(factors, Design::Fraction(Fraction::Half))).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A+B", "A+C", "B+C", "A+D", "B+D", "C+D", "A+B+C+D"]);
    let expected = [
        "a half of the combinations of 4 factors, resolution IV: those with an even number of A·B·C·D on; main effects are \
         clear of two-factor interactions, which cannot all be told apart from each other",
        "aliases: A = B·C·D; B = A·C·D; C = A·B·D; D = A·B·C; A·B = C·D; A·C = B·D; A·D = B·C",
    ];
    assert_eq!(plan.notices, expected);
}

#[test]
fn a_fraction_without_the_arm_with_all_on_has_it_beside() {
    let factors: Vec<Factor> = ["A", "B", "C", "D", "E"].into_iter().map(feature).collect();
    let plan = arms(&experiment(factors.clone(), Design::Fraction(Fraction::Half))).expect("a plan");
    assert_eq!((plan.arms.len(), ids(&plan)[17]), (18, "A+B+C+D+E"));
    assert!(
        plan.notices[0].ends_with("the arm with every factor on runs beside it, to check the sum"),
        "{:?}",
        plan.notices
    );
    assert!(
        plan.notices[1].contains("A clear; B clear") && plan.notices[1].contains("A·B = C·D·E"),
        "{:?}",
        plan.notices
    );
    let experiment = experiment(factors, Design::Fraction(Fraction::Half));
    assert_eq!(cells::Cells::of(&experiment, plan.arms.iter()).arms.len(), 16, "it is no cell");
}

#[test]
fn a_fraction_of_too_few_factors_says_how_many_it_takes() {
    let message =
        arms(&experiment(vec![feature("A"), feature("B")], Design::Fraction(Fraction::Half))).expect_err("two");
    let text = "x.toml: design.kind = \"fraction\": a half needs at least 3 factors, and there are 2; write \"full\"";
    assert_eq!(message.to_string(), text);
    let many: Vec<Factor> = (0..12).map(|number| feature(&format!("F{number}"))).collect();
    let message = arms(&experiment(many, Design::Fraction(Fraction::Half))).expect_err("twelve").to_string();
    assert!(message.contains("2048 arms of 12 factors, more than 256"), "{message}");
}

#[test]
fn constraints_take_arms_out_and_say_what_that_costs() {
    let mut experiment = experiment(vec![feature("A"), feature("B"), feature("C")], Design::Full);
    experiment.constraints = vec![requires("B", "A")];
    let plan = arms(&experiment).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A", "A+B", "C", "A+C", "A+B+C"]);
    let expected = [
        "2 of 7 combinations are left out, since B requires A (the first of the reasons)",
        "the constraints leave 6 arms that are not orthogonal; precision beside an orthogonal design of as many: A 67%, B 67%, \
         C 67%",
        "the effect of A contains A×B; the effect of B contains A×B",
    ];
    assert_eq!(plan.notices[..3], expected);
    experiment.constraints = vec![conflicts("A", "B")];
    assert_eq!(ids(&arms(&experiment).expect("a plan")), ["base", "base-again", "A", "B", "C", "A+C", "B+C"]);
}

#[test]
fn an_arm_that_cannot_stand_alone_brings_what_it_requires() {
    let mut experiment = experiment(vec![feature("A"), feature("B"), feature("C")], Design::AddOne);
    experiment.constraints = vec![requires("C", "B"), requires("B", "A")];
    let plan = arms(&experiment).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A", "A+B", "A+B+C"]);
    assert_eq!(plan.notices[1], "arm C cannot stand alone; A+B+C runs in its stead and is compared with base");
    experiment.constraints.push(conflicts("C", "A"));
    let plan = arms(&experiment).expect("a plan");
    assert_eq!((ids(&plan).len(), plan.notices[1].as_str()), (4, "arm C is left out: C conflicts with A"));
}

#[test]
fn a_level_that_no_arm_has_is_told() {
    let mut experiment = experiment(vec![feature("A"), feature("B"), argument("W", &["1", "2", "3"])], Design::Full);
    experiment.constraints = vec![requires("B", "A"), conflicts("A", "B")];
    let told = |experiment: &Experiment| {
        let plan = arms(experiment).expect("a design");
        plan.notices.into_iter().filter(|notice| notice.starts_with("no arm has")).collect::<Vec<_>>()
    };
    assert_eq!(told(&experiment), ["no arm has B, by the constraints or the design: nothing will be known of it"]);
    experiment.constraints.clear();
    assert!(told(&experiment).is_empty());
    experiment.design = Design::List(vec![choice(&[("A", 1)]), choice(&[("W", 2)])]);
    assert_eq!(told(&experiment), ["no arm has B, W=2: nothing will be known of it"]);
}

#[test]
fn what_is_left_out_takes_along_what_requires_it() {
    let mut experiment = experiment(vec![feature("A"), feature("B"), feature("C")], Design::LeaveOneOut);
    experiment.constraints = vec![requires("B", "A")];
    let plan = arms(&experiment).expect("a plan");
    assert_eq!(ids(&plan), ["base", "base-again", "A+B+C", "C", "A+C", "A+B"]);
    assert_eq!(plan.notices, ["the arm without A is also without B, which requires it"]);
    experiment.constraints = vec![conflicts("B", "A")];
    let message = arms(&experiment).expect_err("all is forbidden").to_string();
    assert!(
        message.starts_with(
            "x.toml: design.kind: it starts from every factor at its last level, which is forbidden: B conflicts with A"
        ),
        "{message}"
    );
}

#[test]
fn a_listed_arm_that_is_forbidden_is_refused() {
    let list = Design::List(vec![choice(&[("A", 1)]), choice(&[("B", 1)])]);
    let mut experiment = experiment(vec![feature("A"), feature("B")], list);
    experiment.constraints = vec![requires("B", "A")];
    let message = arms(&experiment).expect_err("B alone").to_string();
    assert_eq!(message, "x.toml: design.arms: arm B, number 2 of the list, is forbidden: B requires A");
}
