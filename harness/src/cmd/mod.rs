//! The commands, one file each: a short `run` that reads top-down and answers with the exit code.
//!
//! An error is exit code 2; every other code is a command's answer.

pub mod bench;
pub mod build;
pub mod explain;
pub mod list;
pub mod report;
pub mod run;
pub mod verify;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::build::{Request, settings};
use crate::cli::{Allowed, BuildingArgs, Cli, Command};
use crate::toolchain::nvcc::Lookup;

/// Runs the command that the command line names.
pub fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let root = cli.root.as_deref();
    match &cli.command {
        Command::Run(args) => run::run(args, root),
        Command::Verify(args) => verify::run(args, root),
        Command::Build(args) => build::run(args, root),
        Command::Bench(args) => bench::run(args, root),
        Command::Explain(args) => explain::run(args, root),
        Command::Report(args) => report::run(args, root),
        Command::List(args) => list::run(args, root),
    }
}

/// What the command line and the environment say of building.
fn request(args: &BuildingArgs) -> Request {
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned()));
    let variables: BTreeMap<String, String> = env::vars_os().filter_map(text).collect();
    Request {
        environment: settings::variables(variables.clone()),
        variables,
        lookup: Lookup { nvcc: env::var_os("NVCC"), cuda_home: env::var_os("CUDA_HOME"), path: env::var_os("PATH") },
        control_again: args.control,
        allow_not_reproducible: args.allow.contains(&Allowed::NotReproducible),
    }
}
