//! The parameters that a command works with.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use groth16_prover::assignment::CapacityHint;
use groth16_prover::circuits::CircuitSpec;
use groth16_prover::params::cache::{Cache, CacheError, Key, Sizes, load_file};
use groth16_prover::params::{Parameters, file};
use groth16_prover::worker::args::{CircuitArgs, ParamsArgs};

use super::shape::shape;

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

/// Nothing but its sizes tells which circuit a foreign file is of.
fn load_foreign(path: &Path, circuit: CircuitSpec) -> Result<Parameters> {
    let parameters = load_file(path, file::read)?;
    let CapacityHint { constraints, inputs, aux } = shape(circuit.instance(0, 0))?;
    let Sizes { ic, h, l, .. } = sizes(&parameters);
    for (section, found, needed) in [("ic", ic, inputs), ("h", h, constraints.next_power_of_two() - 1), ("l", l, aux)] {
        if found != needed {
            let path = path.display();
            bail!(
                "parameter file {path}: section {section} has {found} points, but {circuit} needs {needed}: it is of another \
                 circuit; pass the file of {circuit}, or leave --params out"
            );
        }
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
