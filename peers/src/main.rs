//! The `peer` program: other provers, each a subcommand with the commands of `prover`.
//!
//! Exit codes are the prover's: 0, 1 when a proof does not verify, 2 for anything that kept the program from finding out.

mod bellperson;
mod threads;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Other Groth16 provers behind the worker protocol
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    peer: Peer,
}

#[derive(Debug, Subcommand)]
enum Peer {
    /// bellperson 0.27 as published, on the processor
    #[command(subcommand)]
    Bellperson(bellperson::Command),
}

fn main() -> ExitCode {
    let Peer::Bellperson(command) = Cli::parse().peer;
    match bellperson::run(&command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Where even standard error is closed there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}
