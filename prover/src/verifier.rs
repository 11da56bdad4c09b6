//! Checking proofs: the pairing equation of the paper's section 3.2.
//!
//! Points are taken to be in their groups; [`Proof::from_bytes`] has checked that of a proof that came as bytes.

use blstrs::{Bls12, G1Affine, G1Projective, G2Prepared, Gt, Scalar};
use group::{Curve, Group};
use pairing::{MillerLoopResult, MultiMillerLoop};

use crate::params::VerifyingKey;
use crate::proof::Proof;
use crate::seeds;

/// Why a check could not be made. (A proof that is wrong is `false`, not an error.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The statement has another shape than the key.
    #[error("{given} public inputs given, but the verifying key has {expected}: pass the inputs of the key's circuit")]
    InputCount {
        /// What the key has, without the constant one.
        expected: usize,
        /// What was given.
        given: usize,
    },
    /// The key has no point for the constant one.
    #[error("the verifying key has an empty ic section: it was not made by a set-up")]
    EmptyKey,
}

/// A verifying key with all that does not depend on the proof computed.
#[derive(Debug)]
pub struct PreparedVerifyingKey {
    alpha_beta: Gt,
    minus_gamma: G2Prepared,
    minus_delta: G2Prepared,
    ic: Vec<G1Affine>,
}

impl From<&VerifyingKey> for PreparedVerifyingKey {
    fn from(key: &VerifyingKey) -> Self {
        Self {
            alpha_beta: pair(&[(&key.alpha_g1, &key.beta_g2.into())]),
            minus_gamma: (-key.gamma_g2).into(),
            minus_delta: (-key.delta_g2).into(),
            ic: key.ic.clone(),
        }
    }
}

impl PreparedVerifyingKey {
    /// The commitment to a statement: ic₀ + Σ inputᵢ·icᵢ.
    fn statement(&self, inputs: &[Scalar]) -> Result<G1Projective, VerifyError> {
        let (one, rest) = self.ic.split_first().ok_or(VerifyError::EmptyKey)?;
        if rest.len() != inputs.len() {
            return Err(VerifyError::InputCount { expected: rest.len(), given: inputs.len() });
        }
        Ok(rest.iter().zip(inputs).map(|(base, input)| base * input).sum::<G1Projective>() + one)
    }
}

/// Whether e(A, B) = e(α, β) · e(statement, γ) · e(C, δ).
pub fn verify(key: &PreparedVerifyingKey, proof: &Proof, inputs: &[Scalar]) -> Result<bool, VerifyError> {
    let statement = key.statement(inputs)?.to_affine();
    let product = pair(&[(&proof.a, &proof.b.into()), (&statement, &key.minus_gamma), (&proof.c, &key.minus_delta)]);
    Ok(product == key.alpha_beta)
}

/// Whether every proof is right for its public inputs, by one random combination of their equations.
///
/// A wrong proof is accepted with probability 2⁻²⁵⁴ over the stream of `seed`, which the provers must not know beforehand.
pub fn verify_batch(
    key: &PreparedVerifyingKey,
    proofs: &[(&Proof, &[Scalar])],
    seed: u64,
) -> Result<bool, VerifyError> {
    let mut stream = seeds::stream(b"groth16 batch v1", seed, 0);
    let mut statement = G1Projective::identity();
    let mut c = G1Projective::identity();
    let mut weights = Scalar::from(0);
    let mut pairs: Vec<(G1Affine, G2Prepared)> = Vec::with_capacity(proofs.len() + 2);
    for (proof, inputs) in proofs {
        let weight = seeds::nonzero(&mut stream);
        statement += key.statement(inputs)? * weight;
        c += proof.c * weight;
        weights += weight;
        pairs.push(((proof.a * weight).to_affine(), proof.b.into()));
    }
    let (statement, c) = (statement.to_affine(), c.to_affine());
    let mut terms: Vec<(&G1Affine, &G2Prepared)> = pairs.iter().map(|(a, b)| (a, b)).collect();
    terms.extend([(&statement, &key.minus_gamma), (&c, &key.minus_delta)]);
    Ok(pair(&terms) == key.alpha_beta * weights)
}

/// The product of pairings. A pair with infinity contributes one.
fn pair(terms: &[(&G1Affine, &G2Prepared)]) -> Gt {
    Bls12::multi_miller_loop(terms).final_exponentiation()
}
