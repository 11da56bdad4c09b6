//! The command line. What each command does is in [`crate::cmd`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const EXIT_CODES: &str = "\
Exit codes, the first that applies:
  2  usage, configuration or tool error
  4  a build is not what it claims: stale, inert, leaking, wrong binary
  5  nothing was measured, or the machine was unfit
  1  a regression
  3  a primary comparison is inconclusive
  0  done, and nothing regressed";

/// Which build-time toggle made a program slower, by how much, how sure are we, and was the binary that ran really the
/// build its label says.
///
/// An experiment is one TOML file that names the toggles, what to run and the smallest change that matters. Results and
/// reports lie in results/ and reports/ of the project's root: the folder of the nearest Cargo.toml at or above the
/// experiment file.
#[derive(Debug, Parser)]
#[command(name = "ablate", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Cli {
    /// Take DIR as the project's root instead of the nearest folder with a Cargo.toml
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub root: Option<PathBuf>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build, verify, measure and report: the whole path from an experiment to a verdict
    ///
    /// Every arm is built and checked before the first sample. Samples are taken in randomised blocks, each by a fresh
    /// process, and appended as they come, so a run that was killed loses at most the sample in flight.
    Run(RunArgs),
    /// Build and verify only: is every binary the build its label says
    ///
    /// Prints the table of digests and what was found wrong with the builds. Nothing is measured.
    Verify(VerifyArgs),
    /// Write pages and tables again from recorded samples
    ///
    /// Reads results/RUN and writes reports/RUN: index.html, the CSV tables and summary.md. Nothing is built or measured.
    Report(ReportArgs),
    /// Show the project's experiments and runs
    ///
    /// What cannot be read is shown as a row with its error.
    List(ListArgs),
}

/// Arguments of `ablate run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate run experiments/quick.toml
  ablate run experiments/quick.toml --resume 20260102-030405-quick")]
pub struct RunArgs {
    /// The experiment file
    pub experiment: PathBuf,

    /// Go on with this run instead of starting a new one: its name, as `ablate list` shows it, or its folder
    #[arg(long, value_name = "RUN")]
    pub resume: Option<String>,
}

/// Arguments of `ablate verify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate verify experiments/quick.toml")]
pub struct VerifyArgs {
    /// The experiment file
    pub experiment: PathBuf,
}

/// Arguments of `ablate report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate report 20260102-030405-quick
  ablate report results/20260102-030405-quick results/20260103-030405-quick")]
pub struct ReportArgs {
    /// Runs: their names, as `ablate list` shows them, or their folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
}

/// Arguments of `ablate list`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate list
  ablate -C ../prover list")]
pub struct ListArgs {}
