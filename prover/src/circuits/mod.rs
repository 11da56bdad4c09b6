//! The circuits that can be proved, named on the command line as `KIND:SIZES`.
//!
//! To add one: a file here with a type that implements [`Circuit`] and knows its public inputs, a variant of
//! [`CircuitSpec`] (its text is in `spec.rs`) and a variant of [`Instance`]. Nothing else knows which circuits exist.
//!
//! An instance carries its whole witness and its public inputs, computed natively when it is made (by `sha2` and by
//! neptune's native Poseidon): synthesis does no work of that kind, and the verifier's inputs do not come from the circuit
//! that is under test. The shape of a circuit depends on its [`CircuitSpec`] alone, never on the witness.
//!
//! Of the rest of the package the module knows `seeds` alone: the peers compile both as they are, over the published
//! bellpepper-core.

mod mixed;
#[cfg(feature = "porep")]
mod porep;
mod poseidon;
mod sha256;
mod spec;

#[cfg(feature = "porep")]
use anyhow::Context;
use anyhow::Result;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;

pub use self::mixed::Mixed;
#[cfg(feature = "porep")]
pub use self::porep::Porep;
pub use self::poseidon::PoseidonChain;
pub use self::sha256::Sha256Preimage;
#[cfg(feature = "porep")]
pub use self::spec::Layers;
pub use self::spec::{CircuitSpec, SpecError};

/// One circuit with its witness.
#[derive(Clone, Debug)]
pub enum Instance {
    /// `sha256:BLOCKS`.
    Sha256(Sha256Preimage),
    /// `mixed:BLOCKS,HASHES`.
    Mixed(Mixed),
    /// `porep:CHALLENGES[:LAYERS]`.
    #[cfg(feature = "porep")]
    Porep(Porep),
}

impl CircuitSpec {
    /// The circuit number `index` of a batch. Its witness is a function of the specification, `seed` and `index` alone.
    ///
    /// An error only where the circuit needs files and these cannot be written.
    pub fn instance(self, seed: u64, index: u64) -> Result<Instance> {
        Ok(match self {
            Self::Sha256 { blocks } => Instance::Sha256(Sha256Preimage::new(blocks, seed, index)),
            Self::Mixed { blocks, hashes } => Instance::Mixed(Mixed::new(blocks, hashes, seed, index)),
            #[cfg(feature = "porep")]
            Self::Porep { challenges, layers } => Instance::Porep(
                Porep::new(porep::SECTOR_NODES, layers.count(), challenges, seed, index)
                    .with_context(|| format!("circuit {self}: making its replica failed"))?,
            ),
        })
    }

    /// The first `circuits` instances, each with its own witness.
    pub fn batch(self, seed: u64, circuits: usize) -> Result<Vec<Instance>> {
        (0..circuits as u64).map(|index| self.instance(seed, index)).collect()
    }
}

impl Instance {
    /// The public inputs in the order of their allocation, without the constant one.
    pub fn public_inputs(&self) -> Vec<Scalar> {
        match self {
            Self::Sha256(circuit) => circuit.public_inputs(),
            Self::Mixed(circuit) => circuit.public_inputs(),
            #[cfg(feature = "porep")]
            Self::Porep(circuit) => circuit.public_inputs(),
        }
    }
}

impl Circuit<Scalar> for Instance {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Self::Sha256(circuit) => circuit.synthesize(cs),
            Self::Mixed(circuit) => circuit.synthesize(cs),
            #[cfg(feature = "porep")]
            Self::Porep(circuit) => circuit.synthesize(cs),
        }
    }
}

#[cfg(test)]
mod tests;
