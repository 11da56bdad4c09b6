//! The structured reference string: what the prover multiplies with, and what the verifier checks against.

pub mod cache;
pub mod file;

use blstrs::{G1Affine, G2Affine};

/// What a verifier needs of the reference string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// α in G1.
    pub alpha_g1: G1Affine,
    /// β in G1; only the prover uses it.
    pub beta_g1: G1Affine,
    /// β in G2.
    pub beta_g2: G2Affine,
    /// γ in G2.
    pub gamma_g2: G2Affine,
    /// δ in G1; only the prover uses it.
    pub delta_g1: G1Affine,
    /// δ in G2.
    pub delta_g2: G2Affine,
    /// (β·uᵢ(τ) + α·vᵢ(τ) + wᵢ(τ)) / γ for each public input, the constant one first.
    pub ic: Vec<G1Affine>,
}

/// The whole reference string. Queries leave out the points that are zero, as bellperson's do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The verifier's part.
    pub vk: VerifyingKey,
    /// τⁱ·t(τ) / δ for i below the domain's size minus one.
    pub h: Vec<G1Affine>,
    /// (β·uᵢ(τ) + α·vᵢ(τ) + wᵢ(τ)) / δ for each auxiliary variable, in order, none left out.
    pub l: Vec<G1Affine>,
    /// uᵢ(τ) in G1 for each variable whose uᵢ(τ) is not zero: public inputs first, then auxiliary variables.
    pub a: Vec<G1Affine>,
    /// vᵢ(τ) in G1, like `a`.
    pub b_g1: Vec<G1Affine>,
    /// vᵢ(τ) in G2, like `a`.
    pub b_g2: Vec<G2Affine>,
}
