//! Inputs that changed while the matrix was building.

use std::path::PathBuf;

use super::Case;
use crate::record::{Finding, FindingKind};

/// More files than this are counted, not listed.
const LISTED: usize = 4;

/// A finding for base, with which everything is compared: its build and the others' may be of different sources.
pub(super) fn finding(base: &Case, moved: &[PathBuf]) -> Option<Finding> {
    let mut listed: Vec<String> = moved.iter().take(LISTED).map(|file| file.display().to_string()).collect();
    if moved.len() > LISTED {
        listed.push(format!("and {} more", moved.len() - LISTED));
    }
    (!moved.is_empty()).then(|| Finding {
        kind: FindingKind::InputsMoved,
        arm: base.arm.id.clone(),
        evidence: format!(
            "{} changed while the arms were being built, so they may be of different sources",
            listed.join(", ")
        ),
        remedy: "build again and leave the sources alone meanwhile, or build in a checkout of its own (`git worktree add`); \
                 a build script that writes such a file should write it into OUT_DIR"
            .to_owned(),
    })
}
