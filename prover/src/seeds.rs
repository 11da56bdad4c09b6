//! Field elements from a small seed, for reproducible benches. **Insecure**: whoever knows the seed knows them all.

use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// A `ChaCha20` stream whose key is the 16-byte `domain`, the seed in little-endian order and zeros.
///
/// The domain keeps uses apart: one seed never gives the same numbers to two of them.
pub(crate) fn stream(domain: &[u8; 16], seed: u64, index: u64) -> ChaCha20Rng {
    let mut key = [0; 32];
    key[..16].copy_from_slice(domain);
    key[16..24].copy_from_slice(&seed.to_le_bytes());
    let mut stream = ChaCha20Rng::from_seed(key);
    stream.set_stream(index);
    stream
}

/// The next field element that is not zero.
pub(crate) fn nonzero(stream: &mut ChaCha20Rng) -> Scalar {
    loop {
        let value = Scalar::random(&mut *stream);
        if !bool::from(value.is_zero()) {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_seed_and_index_each_change_the_stream() {
        let first = |domain, seed, index| nonzero(&mut stream(domain, seed, index));
        let base = first(b"one domain......", 1, 0);
        assert_eq!(base, first(b"one domain......", 1, 0));
        assert_ne!(base, first(b"another domain..", 1, 0));
        assert_ne!(base, first(b"one domain......", 2, 0));
        assert_ne!(base, first(b"one domain......", 1, 1));
    }
}
