//! Executables that hold another code than that of their archives.

use super::{Case, clean};
use crate::build::archives::Native;
use crate::build::executables::Looked;
use crate::digest::executable::Held;
use crate::record::{Finding, FindingKind};

/// More parts than this are counted, not listed.
const LISTED: usize = 4;

/// At most one finding an archive and arm. An archive whose stamp is not the executable's is found elsewhere.
pub(super) fn findings(cases: &[Case]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for case in cases {
        let Some(looked) = &case.contents.executable else { continue };
        for (native, held) in case.contents.natives.iter().zip(&looked.held) {
            let stamp = native.digest.as_ref().ok().and_then(|digest| digest.stamp.as_ref());
            let other_stamp = stamp.is_some() && stamp != case.contents.stamp.as_ref();
            findings.extend(held.as_ref().filter(|_| !other_stamp).and_then(|held| finding(case, native, held)));
        }
    }
    findings
}

/// What could not be looked into.
pub(super) fn notes(looked: &Looked) -> Vec<String> {
    match &looked.digest {
        Ok(digest) => digest.notes.iter().map(|note| format!("executable: {note}")).collect(),
        Err(problem) => vec![format!("executables are compared byte for byte: {problem}")],
    }
}

fn finding(case: &Case, native: &Native, held: &Held) -> Option<Finding> {
    let path = native.path.display();
    let (evidence, remedy) = if !held.foreign.is_empty() {
        let mut listed: Vec<String> = held.foreign.iter().take(LISTED).map(ToString::to_string).collect();
        if held.foreign.len() > LISTED {
            listed.push(format!("and {} more", held.foreign.len() - LISTED));
        }
        let remedy = format!(
            "it was linked with other code of the same names: look for a second {} on the link path and for an archive \
             that changed after the build, run `{}`, and build again",
            native.file,
            clean(case.build, Some(&native.package))
        );
        (format!("the executable does not hold the code of {path}: {}", listed.join(", ")), remedy)
    } else if held.all > 0 && held.found == 0 {
        let remedy = format!(
            "the linker drops what nothing calls: look for a second {} on the link path, for a `cfg` that leaves the \
             calls out, or take [[archive]] out",
            native.file
        );
        (format!("none of the {} functions and data of {path} is in the executable", held.all), remedy)
    } else {
        return None;
    };
    Some(Finding { kind: FindingKind::WrongBinary, arm: case.arm.id.clone(), evidence, remedy })
}
