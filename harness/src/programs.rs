//! Which programs command arms run: nothing builds them here, so a digest is all that tells one from another.
//!
//! Only the program itself is digested, not what it loads, and only where the arm names a path: what `PATH` says of a bare
//! name is the shell's.

use std::path::Path;

use anyhow::{Result, bail};

use crate::build::store::digest_of;
use crate::record::{Run, RunArm};
use crate::worker::located;

/// Enters the digest of every program that is there now.
pub fn enter(arms: &mut [RunArm], root: &Path) {
    for arm in arms {
        arm.program = digest(arm, root);
    }
}

/// Refuses to go on with a run whose programs are no longer those that its samples are of.
pub fn check(run: &Run, root: &Path) -> Result<()> {
    for arm in &run.arms {
        let Some(then) = &arm.program else { continue };
        if digest(arm, root).as_ref() != Some(then) {
            bail!(
                "run {}: the program of {}, {}, is gone or another than it was when the run began; put it back, or start \
                 a new run",
                run.id,
                arm.id,
                arm.command[0]
            );
        }
    }
    Ok(())
}

fn digest(arm: &RunArm, root: &Path) -> Option<String> {
    let program = arm.command.first().filter(|program| program.contains('/'))?;
    digest_of(&located(program, root)).ok()
}
