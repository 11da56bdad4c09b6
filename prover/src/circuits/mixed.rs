//! SHA-256 and Poseidon in one circuit: a witness of bits and of full-sized field elements.

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;

use super::{PoseidonChain, Sha256Preimage};

/// Both circuits side by side; nothing connects them.
///
/// Public inputs: the digest's two; the chain is private. So `mixed:30,500` has 997,166 points in its L query, 932,668 in A and
/// 397,589 in B, the size that the published reference times were taken at.
#[derive(Clone, Debug)]
pub struct Mixed {
    sha256: Sha256Preimage,
    chain: PoseidonChain,
}

impl Mixed {
    /// A message of `blocks` compressions and a chain of `hashes` hashes, from a seed and the circuit's place in its batch.
    pub fn new(blocks: usize, hashes: usize, seed: u64, index: u64) -> Self {
        Self { sha256: Sha256Preimage::new(blocks, seed, index), chain: PoseidonChain::new(hashes, seed, index) }
    }

    /// The digest, packed.
    pub fn public_inputs(&self) -> Vec<Scalar> {
        self.sha256.public_inputs()
    }
}

impl Circuit<Scalar> for Mixed {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.sha256.synthesize(&mut cs.namespace(|| "sha256"))?;
        self.chain.synthesize(&mut cs.namespace(|| "chain"))
    }
}
