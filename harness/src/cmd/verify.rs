//! `ablate verify`: build and verify only. To be replaced: reads and expands the experiment, then stops.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::cli::VerifyArgs;
use crate::{design, experiment};

/// Verifies the experiment's builds.
pub fn run(args: &VerifyArgs, root: Option<&Path>) -> anyhow::Result<ExitCode> {
    let experiment = experiment::load(&args.experiment, root)?;
    let plan = design::arms(&experiment)?;
    bail!("`ablate verify` is not available yet; {} has {} arms", args.experiment.display(), plan.arms.len())
}
