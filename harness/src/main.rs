//! The `ablate` program: reads the command line, runs one command, prints what went wrong.

use std::io;
use std::process::ExitCode;

use ablate::cli::Cli;
use ablate::cmd;
use clap::Parser;

fn main() -> ExitCode {
    match cmd::run(&Cli::parse()) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whoever read our output has seen enough, as in `ablate list | head -1`.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
