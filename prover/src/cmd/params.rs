//! The parameters that a command works with.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use groth16_prover::circuits::CircuitSpec;
use groth16_prover::params::cache::{Cache, CacheError, Key, Sizes, load_file};
use groth16_prover::params::{Parameters, file};
use groth16_prover::worker::args::CircuitArgs;

/// Where the parameters come from, when not from the cache.
#[derive(Clone, Debug, Args)]
pub(crate) struct ParamsArgs {
    /// Parameter file to use instead of the cached one
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
}

/// Parameters, and how long they took to read and check.
pub(crate) struct Loaded {
    pub(crate) parameters: Parameters,
    pub(crate) took: Duration,
}

/// The cache and the key that the arguments name.
pub(crate) fn cached(args: &CircuitArgs) -> (Cache, Key) {
    let key = Key { circuit: args.circuit.to_string(), setup_seed: args.setup_seed };
    (Cache::new(&args.params_dir), key)
}

/// Loads and checks the parameters.
pub(crate) fn load(circuit: &CircuitArgs, params: &ParamsArgs) -> Result<Loaded> {
    let start = Instant::now();
    let parameters = match &params.params {
        Some(path) => load_foreign(path, circuit.circuit)?,
        None => load_cached(circuit)?,
    };
    Ok(Loaded { parameters, took: start.elapsed() })
}

/// Loads and checks the cached parameters.
pub(crate) fn load_cached(circuit: &CircuitArgs) -> Result<Parameters, CacheError> {
    let (cache, key) = cached(circuit);
    cache.load(&key, file::read)
}

fn load_foreign(path: &Path, circuit: CircuitSpec) -> Result<Parameters> {
    let parameters = load_file(path, file::read)?;
    let (found, needed) = (parameters.vk.ic.len(), 1 + circuit.instance(0, 0).public_inputs().len());
    if found != needed {
        bail!(
            "parameter file {}: section ic has {found} points, but {circuit} needs {needed}: it is of another circuit",
            path.display()
        );
    }
    Ok(parameters)
}

/// How many points each section has.
pub(crate) fn sizes(parameters: &Parameters) -> Sizes {
    Sizes {
        ic: parameters.vk.ic.len(),
        h: parameters.h.len(),
        l: parameters.l.len(),
        a: parameters.a.len(),
        b_g1: parameters.b_g1.len(),
        b_g2: parameters.b_g2.len(),
    }
}
