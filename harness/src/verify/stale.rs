//! Archives that are not what their inputs make, and executables that hold another archive than theirs.

use std::path::Path;

use super::{Case, clean, short};
use crate::build::archives::Native;
use crate::record::{Finding, FindingKind};
use crate::stamp::ChangedInput;

/// More changed inputs than this are counted, not listed.
const LISTED: usize = 4;

/// Findings for every arm by itself.
pub(super) fn findings(cases: &[Case]) -> Vec<Finding> {
    cases.iter().flat_map(|case| case.contents.natives.iter().filter_map(|native| stale(case, native))).collect()
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
    Some(Finding {
        kind: FindingKind::Stale,
        arm: case.arm.id.clone(),
        evidence,
        remedy: format!(
            "cargo goes by times of modification and by the files that a build script names: run `{}`, build again, and \
             have the build script of `{}` name what it reads",
            clean(case.build, Some(&native.package)),
            native.package
        ),
    })
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
    let mut listed: Vec<String> = changed.iter().take(LISTED).map(one).collect();
    if changed.len() > LISTED {
        listed.push(format!("and {} more", changed.len() - LISTED));
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
