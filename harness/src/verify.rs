//! Whether the builds are what their labels say: pure functions over arms and builds.
//!
//! What a program says of itself is asked in [`crate::preflight`]; archives are not looked at yet.

use std::collections::BTreeSet;

use crate::experiment::{Change, Experiment, Factor, Lever};
use crate::record::{Finding, FindingKind, Role, RunArm};

/// Compares the digests of every two arms that differ by one feature alone. The one with the feature on gets the
/// finding where they are equal although the factor says that the binary changes.
pub fn inert(experiment: &Experiment, arms: &[RunArm]) -> Vec<Finding> {
    let built: Vec<&RunArm> = arms.iter().filter(|arm| arm.binary.is_some() && arm.role != Role::BaseAgain).collect();
    let mut findings = Vec::new();
    for factor in &experiment.factors {
        let Lever::Feature(feature) = &factor.lever else { continue };
        if !factor.changes.contains(&Change::Binary) {
            continue;
        }
        for on in built.iter().filter(|arm| arm.features.contains(feature)) {
            let off = built.iter().find(|arm| differ_by(&arm.features, &on.features, feature));
            if let Some(off) = off.filter(|off| off.binary == on.binary) {
                findings.push(finding(factor, feature, on, off));
            }
        }
    }
    findings
}

/// Whether `more` is `less` and one feature besides.
fn differ_by(less: &[String], more: &[String], feature: &str) -> bool {
    let less: BTreeSet<&str> = less.iter().map(String::as_str).collect();
    let mut more: BTreeSet<&str> = more.iter().map(String::as_str).collect();
    more.remove(feature) && less == more
}

fn finding(factor: &Factor, feature: &str, on: &RunArm, off: &RunArm) -> Finding {
    let digest = on.binary.as_deref().unwrap_or_default();
    Finding {
        kind: FindingKind::Inert,
        arm: on.id.clone(),
        evidence: format!(
            "factor {} switches feature `{feature}` on, and the binary of {} is, byte for byte, that of {}: {}",
            factor.id,
            on.id,
            off.id,
            &digest[..digest.len().min(16)]
        ),
        remedy: format!(
            "no code that is compiled asks for `{feature}`: look for a misspelt `cfg`, a feature that is not forwarded \
             to the package it is meant for, or a build script that does not read it"
        ),
    }
}

/// Merges arms whose executable, arguments and environment are all equal: every later one is measured through the
/// first. The A/A pair never is, nor is an arm without an executable. Gives back a notice for each merged arm.
pub fn merge(arms: &mut [RunArm]) -> Vec<String> {
    let mut notices = Vec::new();
    for index in 0..arms.len() {
        let (before, rest) = arms.split_at_mut(index);
        let arm = &mut rest[0];
        if arm.role == Role::BaseAgain || !runs(arm) {
            continue;
        }
        let twin = before.iter().find(|other| {
            other.role != Role::BaseAgain && other.same_as.is_none() && runs(other) && same_process(other, arm)
        });
        if let Some(twin) = twin {
            notices.push(format!(
                "{} is {}: executable, arguments and environment are equal; measured once",
                arm.id, twin.id
            ));
            arm.same_as = Some(twin.id.clone());
        }
    }
    notices
}

fn runs(arm: &RunArm) -> bool {
    arm.binary.is_some() || !arm.command.is_empty()
}

fn same_process(one: &RunArm, other: &RunArm) -> bool {
    one.binary == other.binary && one.command == other.command && one.args == other.args && one.env == other.env
}

/// The experiment's archives are not compared by this version, which must not pass in silence.
pub fn archives_unverified(experiment: &Experiment) -> Option<String> {
    let files: Vec<&str> = experiment.archives.iter().map(|archive| archive.file.as_str()).collect();
    (!files.is_empty()).then(|| format!("archives are not verified by this version: {}", files.join(", ")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const TWO_FACTORS: &str = r#"
        schema = 1
        name = "x"
        question = "?"
        target = { package = "p" }
        design = { kind = "full" }
        factor = [
            { id = "A", feature = "a", changes = ["binary"] },
            { id = "B", feature = "b", changes = ["binary"] },
        ]
        bench = [{ name = "b", metric = "span" }]
        measure = { looks = [20], min_effect = "1%" }
    "#;

    fn experiment() -> Experiment {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x.toml");
        std::fs::write(&file, TWO_FACTORS).expect("written");
        std::fs::write(folder.path().join("Cargo.toml"), "").expect("written");
        crate::experiment::load(&file, Some(folder.path())).expect("an experiment")
    }

    fn arm(id: &str, role: Role, features: &[&str], binary: &str) -> RunArm {
        RunArm {
            id: id.into(),
            role,
            levels: BTreeMap::new(),
            features: features.iter().map(|&feature| feature.to_owned()).collect(),
            args: Vec::new(),
            env: BTreeMap::new(),
            command: Vec::new(),
            binary: (!binary.is_empty()).then(|| binary.to_owned()),
            same_as: None,
        }
    }

    /// Base, its twin, A, B and both, with these digests.
    fn arms([base, a, b, both]: [&str; 4]) -> Vec<RunArm> {
        vec![
            arm("base", Role::Base, &[], base),
            arm("base-again", Role::BaseAgain, &[], base),
            arm("A", Role::Combination, &["a"], a),
            arm("B", Role::Combination, &["b"], b),
            arm("A+B", Role::Combination, &["a", "b"], both),
        ]
    }

    fn found(digests: [&str; 4]) -> Vec<String> {
        inert(&experiment(), &arms(digests)).into_iter().map(|finding| finding.arm).collect()
    }

    #[test]
    fn a_feature_is_inert_where_nothing_but_it_differs_and_the_digest_does_not() {
        assert_eq!(found(["0", "1", "2", "3"]), Vec::<String>::new());
        assert_eq!(found(["0", "0", "2", "3"]), ["A"]);
        assert_eq!(found(["0", "0", "2", "2"]), ["A", "A+B"], "inert beside base, and beside B");
        assert_eq!(found(["0", "1", "1", "2"]), Vec::<String>::new(), "A and B differ by two features");
        assert_eq!(found(["0", "", "", "0"]), Vec::<String>::new(), "what was not built is not compared");
    }

    #[test]
    fn a_feature_that_may_leave_the_binary_alone_is_not_inert() {
        let mut experiment = experiment();
        experiment.factors[0].changes = vec![Change::ArchiveDevice];
        assert_eq!(inert(&experiment, &arms(["0", "0", "2", "3"])), []);
    }

    #[test]
    fn equal_processes_are_measured_once_and_the_twin_always() {
        let mut arms = arms(["0", "0", "2", "2"]);
        let mut slower = arm("W", Role::Combination, &[], "0");
        slower.args = vec!["--w".into(), "2".into()];
        arms.push(slower);
        arms.push(RunArm { command: vec!["x".into()], ..arm("x", Role::Command, &[], "") });
        arms.push(arm("unbuilt", Role::Combination, &["c"], ""));
        arms.push(arm("unbuilt too", Role::Combination, &["d"], ""));
        let notices = merge(&mut arms);
        let merged: Vec<_> = arms.iter().filter_map(|arm| Some((arm.id.as_str(), arm.same_as.as_deref()?))).collect();
        assert_eq!(merged, [("A", "base"), ("A+B", "B")]);
        assert_eq!(notices.len(), 2);
    }
}
