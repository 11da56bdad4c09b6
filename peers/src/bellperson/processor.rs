//! bellperson's own prover, on the processor.

use anyhow::{Result, bail};
use bellpepper_core::Circuit;
use bellperson::groth16::create_proof_batch;
use blstrs::Scalar;
use serde_json::Value;
use shared::timeline::Timeline;
use shared::worker::args::{CircuitArgs, ParamsArgs};

use super::parameters::load;
use super::{Backend, Device, Parameters, Proof, VerifyingKey};

/// The processor; an error where another backend was asked for.
pub fn device(backend: Backend) -> Result<Device> {
    match backend {
        Backend::Cpu => Ok(Device::processor()),
        Backend::Cuda => {
            bail!("--backend cuda: this peer has no feature `supraseal`; build it with that, or pass --backend cpu")
        }
    }
}

/// What proves.
pub struct Engine(Parameters);

impl Engine {
    /// Loads the parameters.
    pub fn load(circuit: &CircuitArgs, params: &ParamsArgs) -> Result<(VerifyingKey, Self)> {
        let parameters = load(circuit, params)?;
        Ok((parameters.vk.clone(), Self(parameters)))
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

    /// What there is to tell of the last batch: nothing.
    pub fn facts(&self, _: &Timeline) -> Vec<(&'static str, Value)> {
        Vec::new()
    }
}
