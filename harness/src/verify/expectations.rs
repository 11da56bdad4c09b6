//! What a toggle says it changes, against what changed when it was switched.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Case, clean, short};
use crate::build::archives::Native;
use crate::digest::{ArchiveDigest, Difference, differences};
use crate::experiment::{Change, Factor};
use crate::record::{Finding, FindingKind};

/// More differing parts than this are counted, not listed.
const LISTED: usize = 6;

/// Two arms that differ by one feature, and what differs in their builds.
struct Pair<'a> {
    factor: &'a Factor,
    feature: &'a str,
    off: &'a Case<'a>,
    on: &'a Case<'a>,
    changed: BTreeSet<Change>,
}

/// Findings for every two arms that differ by one feature alone; the arm with it on gets them.
pub(super) fn findings(factors: &[Factor], cases: &[Case]) -> Vec<Finding> {
    let pairs = factors.iter().flat_map(|factor| pairs(factor, cases));
    pairs.flat_map(|pair| [pair.stale(), pair.inert(), pair.leaking()]).flatten().collect()
}

fn pairs<'a>(factor: &'a Factor, cases: &'a [Case<'a>]) -> Vec<Pair<'a>> {
    let Some(feature) = factor.feature() else { return Vec::new() };
    let on = cases.iter().filter(|case| case.arm.features.iter().any(|name| name == feature));
    on.filter_map(|on| {
        let off = cases.iter().find(|off| differ_by(&off.arm.features, &on.arm.features, feature))?;
        Some(Pair { factor, feature, off, on, changed: changed(off, on) })
    })
    .collect()
}

/// Whether `more` is `less` and one feature besides.
fn differ_by(less: &[String], more: &[String], feature: &str) -> bool {
    let less: BTreeSet<&str> = less.iter().map(String::as_str).collect();
    let mut more: BTreeSet<&str> = more.iter().map(String::as_str).collect();
    more.remove(feature) && less == more
}

fn changed(off: &Case, on: &Case) -> BTreeSet<Change> {
    let mut changed = BTreeSet::new();
    if !same_executable(off, on) {
        changed.insert(Change::Binary);
    }
    for (_, off, on) in archives(off, on) {
        if off.host != on.host {
            changed.insert(Change::ArchiveHost);
        }
        if off.device_all != on.device_all {
            changed.insert(Change::ArchiveDevice);
        }
    }
    changed
}

/// Whether two executables have the same code and data; where either could not be looked into, the same bytes.
fn same_executable(off: &Case, on: &Case) -> bool {
    match (&off.build.binary, &on.build.binary) {
        (Some(off), Some(on)) => off == on,
        _ => off.build.raw == on.build.raw,
    }
}

/// The archives that both builds have, with their digests.
fn archives<'a>(
    off: &'a Case,
    on: &'a Case,
) -> impl Iterator<Item = ((&'a Native, &'a Native), &'a Arc<ArchiveDigest>, &'a Arc<ArchiveDigest>)> {
    let both = off.contents.natives.iter().zip(&on.contents.natives);
    both.filter_map(|(off, on)| Some(((off, on), off.digest.as_ref().ok()?, on.digest.as_ref().ok()?)))
}

impl Pair<'_> {
    /// The archive changed and the executable did not: it was linked with another.
    fn stale(&self) -> Option<Finding> {
        let archive_changed =
            self.changed.contains(&Change::ArchiveHost) || self.changed.contains(&Change::ArchiveDevice);
        if !archive_changed || self.changed.contains(&Change::Binary) {
            return None;
        }
        let native = self.on.contents.natives.first()?;
        Some(self.finding(
            FindingKind::Stale,
            format!(
                "the executable of {} is, {}, although {} differs: {}",
                self.on.arm.id,
                self.same_as_off(),
                native.path.display(),
                self.parts()
            ),
            format!(
                "cargo linked it with another archive of that name, or not again: look for a second {} on the link \
                 path, run `{}`, and build again",
                native.file,
                clean(self.on.build, Some(&native.package))
            ),
        ))
    }

    /// Something that the factor says it changes did not change.
    fn inert(&self) -> Option<Finding> {
        let missing: Vec<Change> = self
            .factor
            .changes
            .iter()
            .copied()
            .filter(|change| self.applies(*change) && !self.changed.contains(change))
            .collect();
        // An executable that was not linked again is stale, which says more.
        let stale = missing == [Change::Binary] && !self.changed.is_empty();
        if missing.is_empty() || stale {
            return None;
        }
        let same: Vec<String> = missing.iter().map(|change| self.same(*change)).collect();
        let evidence =
            format!("factor {} switches feature `{}` on, and {}", self.factor.id, self.feature, same.join("; "));
        Some(self.finding(FindingKind::Inert, evidence, self.why_inert(&missing)))
    }

    /// Whether the build has that part at all.
    fn applies(&self, change: Change) -> bool {
        change == Change::Binary || archives(self.off, self.on).next().is_some()
    }

    fn same(&self, change: Change) -> String {
        let digests = |of: fn(&ArchiveDigest) -> &str| {
            let all: Vec<&str> = archives(self.off, self.on).map(|(_, _, on)| short(of(on))).collect();
            all.join(", ")
        };
        let (on, off) = (&self.on.arm.id, &self.off.arm.id);
        match change {
            Change::Binary => {
                format!("the binary of {on} is, {}", self.same_as_off())
            }
            Change::ArchiveHost => {
                format!("the CPU code of the archive of {on} is that of {off}: {}", digests(|digest| &digest.host))
            }
            Change::ArchiveDevice => {
                format!(
                    "the GPU code of the archive of {on} is that of {off}: {}",
                    digests(|digest| &digest.device_all)
                )
            }
        }
    }

    /// How equal the two executables are.
    fn same_as_off(&self) -> String {
        let (off, on) = (self.off.build, self.on.build);
        let same_bytes = off.raw == on.raw || self.off.contents.loaded() == self.on.contents.loaded();
        match &on.binary {
            Some(binary) if !same_bytes => {
                format!("function by function, that of {} ({})", self.off.arm.id, short(binary))
            }
            _ => format!("byte for byte, that of {} ({})", self.off.arm.id, short(&on.raw)),
        }
    }

    /// How far the feature came, as far as can be seen.
    fn why_inert(&self, missing: &[Change]) -> String {
        let feature = self.feature;
        let native =
            archives(self.off, self.on).next().filter(|_| missing.iter().any(|change| *change != Change::Binary));
        let Some(((off, on), off_digest, on_digest)) = native else {
            return format!(
                "no code that is compiled asks for `{feature}`: look for a misspelt `cfg`, a feature that is not forwarded \
                 to the package it is meant for, or a build script that does not read it"
            );
        };
        let package = &on.package;
        if off.path == on.path || off.features == on.features {
            return format!(
                "both builds have package `{package}` with the same features, so `{feature}` does not reach it: forward it \
                 in [features] as `{feature} = [\"{package}/…\"]`"
            );
        }
        match (&off_digest.stamp, &on_digest.stamp) {
            (Some(off), Some(on)) if off == on => format!(
                "the archive's inputs are the same too (stamp {}): the build script of `{package}` does not read the \
                 feature, or makes nothing of it",
                short(on)
            ),
            (Some(_), Some(_)) => format!(
                "the feature reaches the compiler (the stamps differ), and no code asks for what it defines: look for a \
                 misspelt macro, or code that was taken out, in the sources of `{package}`"
            ),
            _ => format!(
                "the feature reaches package `{package}`: look for a build script that does not read it, a misspelt macro, \
                 or an archive that the build script did not make again (`{}`)",
                clean(self.on.build, Some(package))
            ),
        }
    }

    /// Something changed that the factor does not name.
    fn leaking(&self) -> Option<Finding> {
        let extra: Vec<Change> =
            self.changed.iter().copied().filter(|change| !self.factor.changes.contains(change)).collect();
        if extra.is_empty() {
            return None;
        }
        let names: Vec<&str> = extra.iter().map(|change| name(*change)).collect();
        let mut evidence = format!(
            "factor {} switches feature `{}` on, and {} changed from {} to {}, which its `changes` does not name",
            self.factor.id,
            self.feature,
            names.join(" and "),
            self.off.arm.id,
            self.on.arm.id
        );
        if extra.iter().any(|change| *change != Change::Binary) {
            evidence.push_str(": ");
            evidence.push_str(&self.parts());
        }
        let remedy = format!(
            "the toggle does more than it says: if that is meant, add {} to `changes` of factor {}; if not, look for code \
             that both use",
            names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
            self.factor.id
        );
        Some(self.finding(FindingKind::Leaking, evidence, remedy))
    }

    /// Which parts of the archives differ.
    fn parts(&self) -> String {
        let all: Vec<Difference> = archives(self.off, self.on).flat_map(|(_, off, on)| differences(off, on)).collect();
        let mut listed: Vec<String> = all.iter().take(LISTED).map(ToString::to_string).collect();
        if all.len() > LISTED {
            listed.push(format!("and {} more", all.len() - LISTED));
        }
        listed.join(", ")
    }

    fn finding(&self, kind: FindingKind, evidence: String, remedy: String) -> Finding {
        Finding { kind, arm: self.on.arm.id.clone(), evidence, remedy }
    }
}

/// The word of the experiment file.
fn name(change: Change) -> &'static str {
    match change {
        Change::Binary => "binary",
        Change::ArchiveHost => "archive-host",
        Change::ArchiveDevice => "archive-device",
    }
}
