//! `ablate run`: from an experiment to a verdict. To be replaced: reads and expands the experiment, then stops.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::cli::RunArgs;
use crate::{design, experiment};

/// Runs the experiment.
pub fn run(args: &RunArgs, root: Option<&Path>) -> anyhow::Result<ExitCode> {
    let experiment = experiment::load(&args.experiment, root)?;
    let plan = design::arms(&experiment)?;
    bail!("`ablate run` is not available yet; {} has {} arms", args.experiment.display(), plan.arms.len())
}
