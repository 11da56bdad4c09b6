//! The numbers that blind a proof, from a seed.

use blstrs::Scalar;

use crate::seeds;

/// What makes a proof zero-knowledge: two numbers, fresh for every proof.
#[derive(Clone, Debug)]
pub struct Randomness {
    /// Blinds A.
    pub r: Scalar,
    /// Blinds B.
    pub s: Scalar,
}

impl Randomness {
    /// r and s, in this order, of the circuit at `index` of a batch, from one `ChaCha20` stream.
    ///
    /// **For benches and tests only**: whoever knows the seed can take the blinding away. With r and s fixed a proof's bytes
    /// are fixed, so that every build can be compared with every other.
    pub fn from_seed(seed: u64, index: u64) -> Self {
        let mut stream = seeds::stream(b"groth16 blind v1", seed, index);
        Self { r: seeds::nonzero(&mut stream), s: seeds::nonzero(&mut stream) }
    }
}
