//! `ablate list`: the experiments and runs of a project.

use std::path::Path;
use std::process::ExitCode;

use crate::cli::ListArgs;

/// Prints both tables.
pub fn run(_args: &ListArgs, _root: Option<&Path>) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
