//! The `ablate` program: reads the command line, runs one command, prints what went wrong.

use std::process::ExitCode;

use ablate::cli::Cli;
use ablate::{cmd, output};
use clap::Parser;

fn main() -> ExitCode {
    match cmd::run(&Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            output::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
