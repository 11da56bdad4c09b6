//! `peer bellperson setup`: parameters in the cache, byte for byte what `prover setup` makes.

use std::io::Write;

use anyhow::{Context, Result};
use shared::toxic::ToxicWaste;
use shared::worker::args::{CircuitArgs, ParamsArgs};

use super::parameters::{cached, generate, load, sizes, write};
use crate::threads::settle;

/// Arguments of `setup`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
}

/// Parameters that are there already are read and checked.
pub fn run(args: &Args) -> Result<bool> {
    let circuit = &args.circuit;
    settle(circuit)?;
    let (cache, key) = cached(circuit);
    let path = cache.path(&key);
    let made = cache.make(&key, |file| -> Result<_> {
        let parameters = generate(circuit.circuit.instance(0, 0)?, ToxicWaste::from_seed(circuit.setup_seed))?;
        let sha256 =
            write(&parameters, file).with_context(|| format!("parameter file {}: writing failed", path.display()))?;
        Ok((sizes(&parameters), sha256))
    })?;
    if !made {
        load(circuit, &ParamsArgs { params: None })?;
    }
    let what = if made { "made" } else { "already there, and its checksum holds" };
    writeln!(std::io::stdout(), "{}: {what}", path.display()).context("standard output was closed")?;
    Ok(true)
}
