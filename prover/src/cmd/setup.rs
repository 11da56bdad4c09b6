//! `prover setup`: makes the parameters that the other commands use.

use std::io::Write;

use anyhow::{Context, Result};
use groth16_prover::generator::generate;
use groth16_prover::params::cache::CacheError;
use groth16_prover::params::file;
use groth16_prover::toxic::ToxicWaste;
use groth16_prover::worker::args::CircuitArgs;

use super::limits::Work;
use super::params::{cached, load_cached, sizes};
use super::start::settle;

/// Make the parameters of a circuit and cache them, unless they are there (insecure, for benches only)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
}

/// Parameters that are there already are read and checked.
pub(crate) fn run(args: &Args) -> Result<bool> {
    let circuit = &args.circuit;
    settle(circuit)?;
    Work { parameters: true, ..Work::one(circuit.circuit) }.check()?;
    let (cache, key) = cached(circuit);
    let path = cache.path(&key);
    let made = cache.make(&key, |file| -> Result<_> {
        let toxic = ToxicWaste::from_seed(circuit.setup_seed);
        let parameters = generate(circuit.circuit.instance(0, 0)?, &toxic)?;
        let sha256 = file::write(&parameters, file).map_err(|source| CacheError::Io {
            path: path.clone(),
            action: "writing",
            source,
        })?;
        Ok((sizes(&parameters), sha256))
    })?;
    if !made {
        load_cached(circuit)?;
    }
    let what = if made { "made" } else { "already there, and its checksum holds" };
    writeln!(std::io::stdout(), "{}: {what}", path.display()).context("standard output was closed")?;
    Ok(true)
}
