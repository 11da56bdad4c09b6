//! What the control build says of base.

use super::{Case, clean};
use crate::record::{Control, Finding, FindingKind};

/// More directives than this are counted, not listed.
const LISTED: usize = 4;

/// Findings of base by which its control build had to come out different.
const KNOWN: [FindingKind; 3] = [FindingKind::Stale, FindingKind::WrongBinary, FindingKind::InputsMoved];

/// A finding for base where it was not the same when it was built again, unless the reason is known or the user said to go on.
///
/// A base that cargo took for up to date, beside one that was built from nothing, is stale as far as can be seen: a build
/// that differs every time shows when both are made by the same command.
pub(super) fn finding(base: &Case, control: &Control, findings: &[Finding]) -> Option<Finding> {
    let says_more = |finding: &Finding| finding.arm == base.arm.id && KNOWN.contains(&finding.kind);
    if control.differing.is_empty() || control.allowed || findings.iter().any(says_more) {
        return None;
    }
    let fresh = base.build.is_fresh() && !control.kept;
    let differing = control.differing.join("; ");
    let arm = base.arm.id.clone();
    if fresh {
        return Some(Finding {
            kind: FindingKind::Stale,
            arm,
            evidence: format!("cargo found base up to date, and base built from nothing is another: {differing}"),
            remedy: format!(
                "something that the build reads changed and no build script names it{}: run `{}` and build again; if the \
                 control build still differs, the build is not reproducible",
                would_tell(&control.untold),
                clean(base.build, None)
            ),
        });
    }
    Some(Finding {
        kind: FindingKind::NotReproducible,
        arm,
        evidence: format!("base built a second time from the same inputs{} differs: {differing}", place(control)),
        remedy: "digests cannot tell a toggle from chance here: look for a time, a process id, a random number or a path \
                 that a compiler or build script puts into the code; `--allow not-reproducible` goes on in spite of it, and \
                 the report says so"
            .to_owned(),
    })
}

/// What build scripts could print.
fn would_tell(directives: &[String]) -> String {
    let listed: Vec<String> = directives.iter().take(LISTED).map(|directive| format!("`{directive}`")).collect();
    match directives.len() {
        0 => String::new(),
        all if all > LISTED => format!(" (such as {} and {} more)", listed.join(", "), all - LISTED),
        _ => format!(" (such as {})", listed.join(", ")),
    }
}

/// What the reader must know where a difference was let pass.
pub(super) fn notice(control: &Control) -> Option<String> {
    (control.allowed && !control.differing.is_empty()).then(|| {
        format!(
            "base is not reproducible ({}), and --allow not-reproducible was given: that two arms' builds differ proves \
             nothing of their toggles",
            control.differing.join("; ")
        )
    })
}

fn place(control: &Control) -> &'static str {
    if control.moved_sources { " under another path" } else { " in another target folder" }
}
