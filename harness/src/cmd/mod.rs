//! The commands, one file each: a short `run` that reads top-down and answers with the exit code.
//!
//! An error is exit code 2; every other code is a command's answer.

pub mod bench;
pub mod build;
pub mod list;
pub mod report;
pub mod run;
pub mod verify;

use std::env;
use std::process::ExitCode;

use crate::cli::{Cli, Command};
use crate::toolchain::nvcc::Lookup;

/// Runs the command that the command line names.
pub fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let root = cli.root.as_deref();
    match &cli.command {
        Command::Run(args) => run::run(args, root),
        Command::Verify(args) => verify::run(args, root),
        Command::Build(args) => build::run(args, root),
        Command::Bench(args) => bench::run(args, root),
        Command::Report(args) => report::run(args, root),
        Command::List(args) => list::run(args, root),
    }
}

/// The variables that say where nvcc and other compilers are.
fn nvcc_lookup() -> Lookup {
    Lookup { nvcc: env::var_os("NVCC"), cuda_home: env::var_os("CUDA_HOME"), path: env::var_os("PATH") }
}
