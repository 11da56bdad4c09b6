//! The command line. What each command does is in [`crate::cmd`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes, the first that applies:
  2  usage, configuration or tool error
  4  a build is not what it claims: stale, inert, leaking, wrong
     binary, not reproducible, inputs moved
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
    /// Say where one binary came from: inputs, flags, digests; and what differs from another's
    ///
    /// Reads results/RUN and the store. Nothing is built or measured.
    Explain(ExplainArgs),
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

    /// How to build.
    #[command(flatten)]
    pub build: BuildArgs,
}

/// How to build, wherever something is built.
#[derive(Args, Clone, Debug, Default)]
pub struct BuildArgs {
    /// Build base a second time now, even if that was done for the same inputs before
    #[arg(long)]
    pub control: bool,

    /// Go on in spite of this finding; the record and the report say so
    #[arg(long, value_name = "FINDING")]
    pub allow: Vec<Allowed>,
}

/// Findings that a user may take the responsibility for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Allowed {
    /// Base, built a second time from the same inputs, came out different
    NotReproducible,
}

/// Arguments of `ablate verify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate verify experiments/quick.toml
  ablate verify experiments/quick.toml --json | jq '.findings'")]
pub struct VerifyArgs {
    /// The experiment file
    pub experiment: PathBuf,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,

    /// How to build.
    #[command(flatten)]
    pub build: BuildArgs,
}

/// Arguments of `ablate explain`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate explain 20260102-030405-quick A1
  ablate explain 20260102-030405-quick A1 --against base")]
pub struct ExplainArgs {
    /// The run: its name, as `ablate list` shows it, or its folder
    pub run: String,

    /// The arm whose binary is explained
    pub arm: String,

    /// Show what differs from the binary of this arm
    #[arg(long, value_name = "ARM")]
    pub against: Option<String>,
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
