//! Archives and executables that are not what their inputs make, and executables that hold another archive than theirs.

use std::path::Path;

use super::{Case, clean, short};
use crate::build::Again;
use crate::build::archives::Native;
use crate::record::{Finding, FindingKind};
use crate::stamp::ChangedInput;

/// More changed inputs than this are counted, not listed.
const LISTED: usize = 4;

/// Findings for every arm by itself.
pub(super) fn findings(cases: &[Case]) -> Vec<Finding> {
    cases.iter().flat_map(of_case).collect()
}

/// What is wrong with each archive; where that is nothing, with the executable.
fn of_case(case: &Case) -> Vec<Finding> {
    let natives = case.contents.natives.iter();
    let archives: Vec<Finding> =
        natives.filter_map(|native| stale(case, native).or_else(|| built_again(case, native))).collect();
    if archives.is_empty() { outdated(case).into_iter().collect() } else { archives }
}

/// An archive that came out different when its arm was built from nothing.
fn built_again(case: &Case, native: &Native) -> Option<Finding> {
    let Again { path, changed, differing } = case.contents.again.iter().find(|again| again.path == native.path)?;
    let differing = differing.as_ref().filter(|differing| !differing.is_empty())?;
    Some(Finding {
        kind: FindingKind::Stale,
        arm: case.arm.id.clone(),
        evidence: format!(
            "cargo found {} up to date; {}, and built from nothing it is another: {}",
            path.display(),
            since(changed),
            differing.join("; ")
        ),
        remedy: remedy(case, native),
    })
}

fn since(changed: &[String]) -> String {
    if changed.is_empty() {
        return "nothing tells what it was made from".to_owned();
    }
    format!("since it was made, {} changed", listed(changed.iter().cloned()))
}

/// What the reader should know of an archive that was built again and is the same, or could not be judged so.
pub(super) fn notice(again: &Again) -> Option<String> {
    let Again { path, changed, differing } = again;
    let outcome = match differing {
        None => "and since base comes out different every time, building it again would not tell whether it is stale",
        Some(differing) if differing.is_empty() => "so it was built again from nothing: it is the same",
        Some(_) => return None,
    };
    Some(format!("cargo found {} up to date; {}, {outcome}", path.display(), since(changed)))
}

/// An executable some of whose sources changed since it was linked.
fn outdated(case: &Case) -> Option<Finding> {
    let changed = &case.contents.outdated;
    (!changed.is_empty()).then(|| Finding {
        kind: FindingKind::Stale,
        arm: case.arm.id.clone(),
        evidence: format!(
            "cargo found the executable up to date, and since it was linked {} changed, which it is made from",
            listed(changed.iter().cloned())
        ),
        remedy: format!(
            "cargo goes by times of modification, so an edit that keeps an old time, or a clock that was wrong, misleads it: \
             run `{}` and build again",
            clean(case.build, None)
        ),
    })
}

/// The first thing that is wrong with an archive.
fn stale(case: &Case, native: &Native) -> Option<Finding> {
    let path = native.path.display();
    let evidence = match &native.digest {
        Err(problem) => format!("{path}: {problem}"),
        Ok(_) if native.elsewhere.is_some() => {
            return native.elsewhere.as_deref().map(|folder| elsewhere(case, native, folder));
        }
        Ok(_) if !native.changed.is_empty() => {
            format!("{path} was made from other inputs than there are now: {}", inputs(&native.changed))
        }
        Ok(digest) => wrong_stamp(case, native, digest.stamp.as_deref())?,
    };
    Some(Finding { kind: FindingKind::Stale, arm: case.arm.id.clone(), evidence, remedy: remedy(case, native) })
}

fn remedy(case: &Case, native: &Native) -> String {
    format!(
        "cargo goes by times of modification and by the files that a build script names: run `{}`, build again, and have the \
         build script of `{}` name what it reads",
        clean(case.build, Some(&native.package)),
        native.package
    )
}

/// Cargo knows a package of a workspace by its place in it, and takes another checkout's for this one's.
fn elsewhere(case: &Case, native: &Native, folder: &Path) -> Finding {
    Finding {
        kind: FindingKind::Stale,
        arm: case.arm.id.clone(),
        evidence: format!(
            "{} was made from the sources in {}, and from none of this checkout",
            native.path.display(),
            folder.display()
        ),
        remedy: format!(
            "another checkout builds in the same target folder, and cargo takes its files for this one's: give each a \
             folder of its own (`build.target-dir`, CARGO_TARGET_DIR), or run `{}` and build again",
            clean(case.build, None)
        ),
    }
}

fn inputs(changed: &[ChangedInput]) -> String {
    let one = |input: &ChangedInput| {
        let path = input.path.display();
        let what = if input.exists { "has another content" } else { "is gone" };
        format!("{} ({path}) {what}", input.name)
    };
    listed(changed.iter().map(one))
}

/// The first few, and how many more there are.
fn listed(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = all.take(LISTED).collect();
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    listed.join(", ")
}

/// Manifest, archive and executable must bear one stamp, where there is any.
fn wrong_stamp(case: &Case, native: &Native, archive: Option<&str>) -> Option<String> {
    let path = native.path.display();
    let shown = |stamp: Option<&str>| stamp.map_or("none".to_owned(), |stamp| short(stamp).to_owned());
    if let Some(manifest) = native.manifest.as_deref().filter(|manifest| Some(*manifest) != archive) {
        return Some(format!(
            "{path} is not the archive of the manifest beside it: its stamp is {}, the manifest's {}",
            shown(archive),
            short(manifest)
        ));
    }
    let executable = case.contents.stamp.as_deref();
    archive.filter(|archive| executable != Some(*archive)).map(|archive| {
        format!(
            "the executable was not linked with {path}: its stamp is {}, the archive's {}",
            shown(executable),
            short(archive)
        )
    })
}
