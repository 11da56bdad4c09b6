//! `ablate report`: pages and tables again from recorded samples. To be replaced.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::cli::ReportArgs;

/// Writes the runs' reports.
pub fn run(args: &ReportArgs, _root: Option<&Path>) -> anyhow::Result<ExitCode> {
    bail!("`ablate report` is not available yet; {} runs were named", args.runs.len())
}
