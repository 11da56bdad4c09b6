//! A chain of Poseidon hashes of arity 8, by neptune's gadget.

use std::sync::LazyLock;

use bellpepper_core::num::AllocatedNum;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use generic_array::typenum::U8;
use neptune::circuit2::poseidon_hash_allocated;
use neptune::poseidon::PoseidonConstants;

use crate::seeds;

const ARITY: usize = 8;
/// The elements of a hash that are not the previous hash.
const FRESH: usize = ARITY - 1;

static CONSTANTS: LazyLock<PoseidonConstants<Scalar, U8>> = LazyLock::new(PoseidonConstants::new);

/// xᵢ₊₁ = Poseidon(xᵢ, y₇ᵢ, …, y₇ᵢ₊₆) from a private x₀ with private y. Nothing of it is public.
#[derive(Clone, Debug)]
pub struct PoseidonChain {
    start: Scalar,
    fresh: Vec<Scalar>,
}

impl PoseidonChain {
    /// A chain of `hashes` hashes, from a seed and the circuit's place in its batch.
    pub fn new(hashes: usize, seed: u64, index: u64) -> Self {
        // The constants take time to compute: here, not while a synthesis is timed.
        LazyLock::force(&CONSTANTS);
        let mut stream = seeds::stream(b"poseidon chain 1", seed, index);
        let start = seeds::nonzero(&mut stream);
        Self { start, fresh: (0..FRESH * hashes).map(|_| seeds::nonzero(&mut stream)).collect() }
    }
}

impl Circuit<Scalar> for PoseidonChain {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut chain = AllocatedNum::alloc(cs.namespace(|| "start"), || Ok(self.start))?;
        for (i, fresh) in self.fresh.chunks(FRESH).enumerate() {
            let mut cs = cs.namespace(|| format!("hash {i}"));
            let mut preimage = vec![chain];
            for (k, &value) in fresh.iter().enumerate() {
                preimage.push(AllocatedNum::alloc(cs.namespace(|| format!("element {k}")), || Ok(value))?);
            }
            chain = poseidon_hash_allocated(cs.namespace(|| "poseidon"), preimage, &CONSTANTS)?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl PoseidonChain {
    /// The chain's end by neptune's native hash.
    pub(super) fn end(&self) -> Scalar {
        self.fresh.chunks(FRESH).fold(self.start, |chain, fresh| {
            let preimage = [&[chain], fresh].concat();
            neptune::poseidon::Poseidon::new_with_preimage(&preimage, &CONSTANTS).hash()
        })
    }
}
