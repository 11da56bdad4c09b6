//! One phrase an arm: what its archives are beside base's, and whether its factors say so.

use std::collections::BTreeSet;

use crate::experiment::{Change, Experiment};
use crate::record::{Build, Role, RunArm};

/// `host changed, as declared`, `unchanged, though host is declared`; `-` where there is nothing to compare.
pub fn archive_phrase(experiment: &Experiment, arm: &RunArm, arms: &[RunArm], builds: &[Build]) -> String {
    let build_of = |id: &str| builds.iter().find(|build| build.arms.iter().any(|arm| arm == id));
    let base = arms.iter().find(|arm| arm.role == Role::Base).and_then(|base| build_of(&base.id));
    let (Some(base), Some(build)) = (base, build_of(&arm.id)) else { return "-".to_owned() };
    if base.archives.is_empty() || build.archives.len() != base.archives.len() {
        return "-".to_owned();
    }
    if arm.features == base.features {
        return "base's".to_owned();
    }
    phrase(&changed(base, build), &declared(experiment, arm))
}

fn changed(base: &Build, build: &Build) -> BTreeSet<Change> {
    let mut changed = BTreeSet::new();
    for (before, after) in base.archives.iter().zip(&build.archives) {
        if before.host != after.host {
            changed.insert(Change::ArchiveHost);
        }
        if before.device_all != after.device_all {
            changed.insert(Change::ArchiveDevice);
        }
    }
    changed
}

/// What the arm's factors together say of archives.
fn declared(experiment: &Experiment, arm: &RunArm) -> BTreeSet<Change> {
    let on = experiment.factors.iter().filter(|factor| arm.levels.contains_key(&factor.id));
    on.flat_map(|factor| factor.changes.iter().copied()).filter(|change| *change != Change::Binary).collect()
}

fn phrase(changed: &BTreeSet<Change>, declared: &BTreeSet<Change>) -> String {
    let (missing, extra) = (words(declared.difference(changed)), words(changed.difference(declared)));
    let what = if changed.is_empty() { "unchanged".to_owned() } else { format!("{} changed", words(changed)) };
    match (missing.is_empty(), extra.is_empty()) {
        (true, true) => format!("{what}, as declared"),
        (false, true) => format!("{what}, though {missing} is declared"),
        (true, false) => format!("{what}, {extra} is not declared"),
        (false, false) => format!("{what}, though {missing} is declared and {extra} is not"),
    }
}

fn words<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let word = |change: &Change| match change {
        Change::ArchiveHost => "host",
        Change::ArchiveDevice => "device",
        Change::Binary => "binary",
    };
    changes.into_iter().map(word).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_beside_what_is_declared() {
        let (host, device) = (Change::ArchiveHost, Change::ArchiveDevice);
        let table: [(&[Change], &[Change], &str); 6] = [
            (&[], &[], "unchanged, as declared"),
            (&[host], &[host], "host changed, as declared"),
            (&[host, device], &[host, device], "host and device changed, as declared"),
            (&[], &[host], "unchanged, though host is declared"),
            (&[host, device], &[host], "host and device changed, device is not declared"),
            (&[device], &[host], "device changed, though host is declared and device is not"),
        ];
        for (changed, declared, expected) in table {
            let set = |changes: &[Change]| changes.iter().copied().collect();
            assert_eq!(phrase(&set(changed), &set(declared)), expected);
        }
    }
}
