//! bellperson's prover as its feature `cuda-supraseal` makes it: synthesis on the processor, the rest by supraseal-c2 on all
//! visible GPUs and, for B in G2, on all of the processor's threads, whatever `--threads` says.
//!
//! Neither crate returns times. The end of synthesis is seen from inside of the circuits; beyond that there is only what
//! bellperson logs, which becomes a fact. Our prover's GPU part ends where this one does: compare `total` less `synthesis`.

mod lines;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use bellpepper_core::Circuit;
use bellperson::groth16::{SuprasealParameters, create_proof_batch};
use blstrs::{Bls12, Scalar};
use nvml_wrapper::Nvml;
use serde_json::Value;
use shared::params::cache::load_file;
use shared::timeline::Timeline;
use shared::worker::args::{CircuitArgs, ParamsArgs};

use super::parameters::{Hashed, cached};
use super::{Backend, Device, Proof, VerifyingKey};

/// The name that drivers install; without the version it takes a developer's package.
const NVML: &str = "libnvidia-ml.so.1";

/// The GPU; an error where there is none, before supraseal-c2 is asked, which would end the process.
pub fn device(backend: Backend) -> Result<Device> {
    if backend == Backend::Cpu {
        bail!(
            "--backend cpu: this peer has the feature `supraseal`, which replaces bellperson's own prover; build it without"
        );
    }
    let nvml = Nvml::builder().lib_path(OsStr::new(NVML)).init().context("--backend cuda: no NVIDIA driver")?;
    if nvml.device_count().context("--backend cuda: the driver does not answer")? == 0 {
        bail!("--backend cuda: no NVIDIA GPU on this machine");
    }
    let name = nvml.device_by_index(0).and_then(|gpu| gpu.name()).context("--backend cuda: the first GPU")?;
    lines::listen()?;
    Ok(Device { backend: "cuda", name, features: vec!["supraseal"] })
}

/// What proves.
pub struct Engine(SuprasealParameters<Bls12>);

impl Engine {
    /// Holds the parameter file to its checksum and has supraseal-c2 load it.
    pub fn load(circuit: &CircuitArgs, params: &ParamsArgs) -> Result<(VerifyingKey, Self)> {
        let (cache, key) = cached(circuit);
        let (path, verifying_key) = match &params.params {
            Some(path) => (path.clone(), load_file(path, read)?),
            None => (cache.path(&key), cache.load(&key, read)?),
        };
        Ok((verifying_key, Self(resident(path)?)))
    }

    /// Proves a batch.
    pub fn prove<C: Circuit<Scalar> + Send>(
        &self,
        circuits: Vec<C>,
        r: Vec<Scalar>,
        s: Vec<Scalar>,
    ) -> Result<Vec<Proof>> {
        Ok(create_proof_batch(circuits, &self.0, r, s)?)
    }

    /// What bellperson logged since the start of the timeline.
    pub fn facts(&self, timeline: &Timeline) -> Vec<(&'static str, Value)> {
        vec![("log", lines::take(timeline))]
    }
}

/// Reads the verifying key and hashes what follows.
fn read(file: File, _length: u64) -> io::Result<(VerifyingKey, [u8; 32])> {
    let mut reader = Hashed::new(BufReader::with_capacity(1 << 20, file));
    let key = VerifyingKey::read(&mut reader)?;
    io::copy(&mut reader, &mut io::sink())?;
    Ok((key, reader.sha256()))
}

fn resident(path: PathBuf) -> Result<SuprasealParameters<Bls12>> {
    let name = path.display().to_string();
    SuprasealParameters::new(path).with_context(|| format!("parameter file {name}: supraseal-c2 could not load it"))
}
