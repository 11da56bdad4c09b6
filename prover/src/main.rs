//! The `prover` program.
//!
//! Exit codes: 0 when all went well, 1 when a proof does not verify, 2 for anything that kept the program from finding out.
#![forbid(unsafe_code)]

mod cmd;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A Groth16 prover over BLS12-381 whose optimisations are build-time toggles
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(cmd::setup::Args),
    Generate(cmd::generate::Args),
    Synth(cmd::synth::Args),
    Prove(cmd::prove::Args),
    Verify(cmd::verify::Args),
    Info(cmd::info::Args),
}

fn main() -> ExitCode {
    let right = match Cli::parse().command {
        Command::Setup(args) => cmd::setup::run(&args),
        Command::Generate(args) => cmd::generate::run(&args),
        Command::Synth(args) => cmd::synth::run(&args),
        Command::Prove(args) => cmd::prove::run(&args),
        Command::Verify(args) => cmd::verify::run(&args),
        Command::Info(args) => cmd::info::run(&args),
    };
    match right {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Where even standard error is closed there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}
