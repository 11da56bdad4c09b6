//! Knowledge of a message with a given SHA-256 digest, by bellpepper's gadget.

use bellpepper::gadgets::multipack::{bytes_to_bits, compute_multipacking, pack_into_inputs};
use bellpepper::gadgets::sha256::sha256;
use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use rand_core::RngCore;
use sha2::Digest;

use crate::seeds;

const BLOCK_BYTES: usize = 64;
/// The shortest padding: one byte that starts with the bit 1, and the message's length in 8 bytes.
const PADDING_BYTES: usize = 9;

/// A private message of such a length that, with its padding, it takes exactly the wanted number of compressions.
///
/// Public inputs: the digest's 256 bits, packed into two field elements.
#[derive(Clone, Debug)]
pub struct Sha256Preimage {
    message: Vec<u8>,
    digest: [u8; 32],
}

impl Sha256Preimage {
    /// A message of `blocks`·64 − 9 bytes, with `blocks` at least 1, from a seed and the circuit's place in its batch.
    pub fn new(blocks: usize, seed: u64, index: u64) -> Self {
        let mut message = vec![0; blocks * BLOCK_BYTES - PADDING_BYTES];
        seeds::stream(b"sha256 message 1", seed, index).fill_bytes(&mut message);
        let digest = sha2::Sha256::digest(&message).into();
        Self { message, digest }
    }

    /// The digest, packed.
    pub fn public_inputs(&self) -> Vec<Scalar> {
        compute_multipacking(&bytes_to_bits(&self.digest))
    }
}

impl Circuit<Scalar> for Sha256Preimage {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let message = bytes_to_bits(&self.message)
            .into_iter()
            .enumerate()
            .map(|(i, bit)| {
                let cs = cs.namespace(|| format!("message bit {i}"));
                AllocatedBit::alloc(cs, Some(bit)).map(Boolean::from)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let digest = sha256(cs.namespace(|| "sha256"), &message)?;
        pack_into_inputs(cs.namespace(|| "digest"), &digest)
    }
}
