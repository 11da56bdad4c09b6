//! The secrets behind a reference string.

use blstrs::Scalar;

use crate::seeds;

/// The five secrets of a set-up. Whoever knows them can prove anything.
///
/// The generators are the standard ones of BLS12-381.
#[derive(Clone, Debug)]
pub struct ToxicWaste {
    /// α.
    pub alpha: Scalar,
    /// β.
    pub beta: Scalar,
    /// γ, not zero.
    pub gamma: Scalar,
    /// δ, not zero.
    pub delta: Scalar,
    /// τ, the point at which the polynomials are evaluated; not in the evaluation domain.
    pub tau: Scalar,
}

impl ToxicWaste {
    /// The secrets that belong to a seed: α, β, γ, δ, τ in this order from one `ChaCha20` stream.
    ///
    /// **Insecure, for benches and tests only**: the seed is the trapdoor. A parameter file made this way is
    /// reproducible on any machine, and must never guard anything.
    pub fn from_seed(seed: u64) -> Self {
        let mut stream = seeds::stream(b"groth16 toxic v1", seed, 0);
        let mut next = || seeds::nonzero(&mut stream);
        Self { alpha: next(), beta: next(), gamma: next(), delta: next(), tau: next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_depend_on_the_seed_and_differ_from_each_other() {
        let (one, again, two) = (ToxicWaste::from_seed(1), ToxicWaste::from_seed(1), ToxicWaste::from_seed(2));
        assert_eq!(one.tau, again.tau);
        assert_ne!(one.tau, two.tau);
        let mut secrets = [one.alpha, one.beta, one.gamma, one.delta, one.tau].map(|s| s.to_bytes_le());
        secrets.sort_unstable();
        assert!(secrets.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
