//! Whether the builds are what their labels say: pure functions over arms and builds.
//!
//! Every two arms that differ by one feature must differ in what the feature's factor says it changes, and in nothing
//! else (`expectations`); every archive must be what its inputs make, and every executable hold its archive (`stale`, `held`);
//! no feature of a native package may be on that nobody asked for (`leaks`). What a program says of itself is asked in
//! [`crate::preflight`].
//!
//! It builds nothing and reads no files: what it compares was gathered right after each build.

mod compiled;
mod control;
mod declared;
mod expectations;
mod held;
mod leaks;
mod merge;
mod moved;
mod stale;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::build::{Built, Contents};
use crate::experiment::Experiment;
use crate::record::{Build, Finding, Role, RunArm};
use crate::shell;

pub use compiled::compiled;
pub use declared::archive_phrase;
pub use merge::merge;

/// An arm with its build.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    arm: &'a RunArm,
    build: &'a Build,
    contents: &'a Contents,
}

/// Everything that is wrong with the builds, in the order of the arms.
pub fn findings(experiment: &Experiment, arms: &[RunArm], built: &Built) -> Vec<Finding> {
    let cases: Vec<Case> = arms.iter().filter_map(|arm| case(arm, built)).collect();
    let mut findings = stale::findings(&cases);
    findings.extend(held::findings(&cases));
    findings.extend(expectations::findings(&experiment.factors, &cases));
    findings.extend(leaks::findings(&experiment.factors, &cases, &built.features));
    if let Some(base) = cases.iter().find(|case| case.arm.role == Role::Base) {
        findings.extend(moved::finding(base, &built.moved));
        if let Some(control) = built.provenance.as_ref().and_then(|provenance| provenance.control.as_ref()) {
            findings.extend(control::finding(base, control, &findings));
        }
    }
    let place = |finding: &Finding| arms.iter().position(|arm| arm.id == finding.arm);
    findings.sort_by_key(place);
    findings
}

/// What could not be looked into and what was let pass, each once.
pub fn notes(built: &Built) -> BTreeSet<String> {
    let control = built.provenance.iter().filter_map(|provenance| control::notice(provenance.control.as_ref()?));
    let natives = built.contents.iter().flat_map(|contents| &contents.natives);
    let digests = natives.filter_map(|native| Some((&native.file, native.digest.as_ref().ok()?)));
    let archives = digests.flat_map(|(file, digest)| digest.notes.iter().map(move |note| format!("{file}: {note}")));
    let executables = built.contents.iter().filter_map(|contents| contents.executable.as_ref());
    let again = built.contents.iter().flat_map(|contents| &contents.again).filter_map(stale::notice);
    archives.chain(executables.flat_map(held::notes)).chain(control).chain(again).collect()
}

/// The arm's build. Base's twin is base, whose findings are enough.
fn case<'a>(arm: &'a RunArm, built: &'a Built) -> Option<Case<'a>> {
    if arm.role == Role::BaseAgain {
        return None;
    }
    let at = built.builds.iter().position(|build| build.arms.contains(&arm.id))?;
    Some(Case { arm, build: &built.builds[at], contents: built.contents.get(at)? })
}

/// The command that makes cargo compile a package of a build again, or all of it: of the build's profile, in the folder it is
/// built in.
fn clean(build: &Build, package: Option<&str>) -> String {
    let words = &build.command;
    let value = |flag: &str| words.iter().skip_while(|word| *word != flag).nth(1);
    let profile = value("--profile").map_or("--release".to_owned(), |profile| format!("--profile {profile}"));
    let folder =
        value("--target-dir").map(|folder| format!(" --target-dir {}", shell::quoted(folder))).unwrap_or_default();
    let package = package.map(|package| format!(" -p {package}")).unwrap_or_default();
    format!("cargo clean {profile}{package}{folder}")
}

/// The first digits of a digest, enough to compare by eye.
fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}
