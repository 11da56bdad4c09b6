//! Designs, against brute force and by hand.

use std::collections::BTreeSet;

use super::*;
use crate::experiment::{CommandArm, Measure, Metric, Parse, Target};

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
