//! The command line. What each command does is in [`crate::cmd`].

use std::path::PathBuf;
use std::time::Duration;

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
    /// Build and verify an experiment and pack it into one file, to be measured on another machine
    ///
    /// The bundle holds the experiment, its arms with what verification found, every executable, and this program. The machine
    /// that measures it needs no cargo, git or nvcc: there, `sh FILE` starts it. Builds are verified here; programs of benches
    /// on a GPU that this machine lacks are asked who they are over there. Exit code 4 where anything was found; the bundle
    /// is made all the same, and what was found goes with it.
    Build(BuildArgs),
    /// Measure a bundle that was built on another machine
    ///
    /// Checks the bundle whole, unpacks it, makes the inputs, asks every program who it is, and measures in blocks as `run`
    /// does. Results, the report, and one file to take home are written; that file is written again after every block, so a
    /// machine that is taken away costs at most the block in flight. A bundle that is damaged, or was taken to a machine that
    /// lacks what it needs, is refused before anything is unpacked.
    Bench(BenchArgs),
    /// Say where one binary came from: inputs, flags, digests; and what differs from another's
    ///
    /// Reads results/RUN and the store. Nothing is built or measured.
    Explain(ExplainArgs),
    /// Write pages and tables again from recorded samples
    ///
    /// Reads results/RUN and writes reports/RUN: index.html, the CSV tables and summary.md. Nothing is built or measured.
    /// A results file that `bench` wrote is first put under results/.
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
    pub building: BuildingArgs,
}

/// How to build, wherever something is built.
#[derive(Args, Clone, Debug, Default)]
pub struct BuildingArgs {
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
    pub building: BuildingArgs,
}

/// Arguments of `ablate build`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ablate build experiments/quick.toml --bundle quick.bundle
  ablate build experiments/quick.toml --bundle quick.bundle --with corpus/")]
pub struct BuildArgs {
    /// The experiment file
    pub experiment: PathBuf,

    /// The file to write; one of that name is replaced
    #[arg(long, value_name = "FILE")]
    pub bundle: PathBuf,

    /// Pack this file or folder too; one of the project keeps its place there, another goes into extra/
    #[arg(long, value_name = "PATH")]
    pub with: Vec<PathBuf>,

    /// Pack this build of ablate instead of the one that is running, such as a static one
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,

    /// How to build.
    #[command(flatten)]
    pub building: BuildingArgs,
}

/// Arguments of `ablate bench`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples, on the machine that measures; `sh quick.bundle` stands for `ablate bench quick.bundle`:
  sh quick.bundle --max-time 25m
  sh quick.bundle --max-time 25m --resume 20260102-030405-quick.results
and at home:
  ablate report 20260102-030405-quick.results")]
pub struct BenchArgs {
    /// The file that `ablate build --bundle` made
    pub bundle: PathBuf,

    /// Unpack into this folder and measure there [default: beside the bundle, its name without the ending]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Write the results here [default: beside the bundle, the run's name with the ending .results]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Go on with an earlier stay's run: its results file, or its folder
    #[arg(long, value_name = "RESULTS")]
    pub resume: Option<PathBuf>,

    /// Measure at most so many blocks this time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,

    /// Begin no block that would not be done within this time from now, such as 25m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = length)]
    pub max_time: Option<Duration>,

    /// Go on although this machine has another CPU, GPU or driver than the earlier stays had; the report says so
    #[arg(long, requires = "resume")]
    pub other_machine: bool,

    /// Check and unpack only
    #[arg(long, conflicts_with_all = ["out", "resume", "blocks", "max_time"])]
    pub unpack: bool,
}

fn length(text: &str) -> Result<Duration, String> {
    crate::experiment::length(text).ok_or_else(|| "write a time such as 90s, 25m or 1h30m".to_owned())
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
  ablate report results/20260102-030405-quick results/20260103-030405-quick
  ablate report 20260102-030405-quick.results")]
pub struct ReportArgs {
    /// Runs: their names, as `ablate list` shows them, their folders, or results files of `ablate bench`
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
