//! The parameters that a command works with.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use groth16_prover::assignment::CapacityHint;
use groth16_prover::circuits::CircuitSpec;
use groth16_prover::params::cache::{Cache, Key, Sizes, load_file};
use groth16_prover::params::{Parameters, file};
use groth16_prover::worker::args::{CircuitArgs, ParamsArgs};

use super::shape::shape;

/// Parameters, and how long they took to read.
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
    let Some(path) = &params.params else { return load_cached(circuit) };
    let start = Instant::now();
    let parameters = load_file(path, file::read)?;
    let took = start.elapsed();
    if let Some(fault) = mismatch(&parameters, circuit.circuit)? {
        let (path, circuit) = (path.display(), circuit.circuit);
        bail!(
            "parameter file {path}: {fault}: it is of another circuit; pass the file of {circuit}, or leave --params out"
        );
    }
    Ok(Loaded { parameters, took })
}

/// Loads and checks the cached parameters.
pub(crate) fn load_cached(args: &CircuitArgs) -> Result<Loaded> {
    let (cache, key) = cached(args);
    let start = Instant::now();
    let parameters = cache.load(&key, file::read)?;
    let took = start.elapsed();
    if let Some(fault) = mismatch(&parameters, args.circuit)? {
        return Err(cache.stale(&key, format!("{fault}: the circuit has changed since it was made")).into());
    }
    Ok(Loaded { parameters, took })
}

/// Where the sizes of the parameters are not those of the circuit.
///
/// The circuit is only counted. Not noticed is a change that keeps the domain and the numbers of variables: it ends in
/// [`ProveError::QuerySize`](groth16_prover::prove::ProveError) or in a proof that does not verify.
fn mismatch(parameters: &Parameters, circuit: CircuitSpec) -> Result<Option<String>> {
    let CapacityHint { constraints, inputs, aux } = shape(circuit.instance(0, 0)?)?;
    let Sizes { ic, h, l, .. } = sizes(parameters);
    let sections = [("ic", ic, inputs), ("h", h, constraints.next_power_of_two() - 1), ("l", l, aux)];
    let wrong = sections.into_iter().find(|(_, found, needed)| found != needed);
    Ok(wrong
        .map(|(section, found, needed)| format!("section {section} has {found} points, but {circuit} needs {needed}")))
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
