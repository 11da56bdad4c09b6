//! Where a circuit's private values come from: a seed, so that every run and every prover has the same ones.

use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

/// Which circuit of which run: circuits of one batch differ, and the same circuit of two runs with one seed does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The run's seed.
    pub seed: u64,
    /// The circuit's place in the batch.
    pub index: usize,
}

impl Origin {
    /// `length` bytes for the purpose `label`.
    pub fn bytes(self, label: &str, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.generator(label).fill_bytes(&mut bytes);
        bytes
    }

    /// `count` field elements for the purpose `label`.
    pub fn scalars(self, label: &str, count: usize) -> Vec<Scalar> {
        let mut generator = self.generator(label);
        (0..count).map(|_| Scalar::random(&mut generator)).collect()
    }

    fn generator(self, label: &str) -> ChaCha20Rng {
        let key = Sha256::new()
            .chain_update(b"groth16-prover witness\0")
            .chain_update(self.seed.to_le_bytes())
            .chain_update((self.index as u64).to_le_bytes())
            .chain_update(label.as_bytes())
            .finalize();
        ChaCha20Rng::from_seed(key.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_index_and_label_each_matter() {
        let origin = Origin { seed: 1, index: 0 };
        let bytes = origin.bytes("message", 16);
        assert_eq!(bytes, origin.bytes("message", 16));
        assert_ne!(bytes, Origin { seed: 2, ..origin }.bytes("message", 16));
        assert_ne!(bytes, Origin { index: 1, ..origin }.bytes("message", 16));
        assert_ne!(bytes, origin.bytes("chain", 16));
    }
}
