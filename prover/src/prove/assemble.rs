//! From the sums over the queries to the proof.

use blstrs::{G1Projective, G2Projective};
use group::Curve;

use super::Randomness;
use crate::params::VerifyingKey;
use crate::proof::Proof;

/// Σ scalar·base over each query.
pub(super) struct Sums {
    pub(super) h: G1Projective,
    pub(super) l: G1Projective,
    pub(super) a: G1Projective,
    pub(super) b_g1: G1Projective,
    pub(super) b_g2: G2Projective,
}

impl Sums {
    /// A = α + Σa + r·δ, B = β + Σb + s·δ, C = Σl + Σh + s·A + r·B − r·s·δ.
    pub(super) fn proof(&self, key: &VerifyingKey, Randomness { r, s }: &Randomness) -> Proof {
        let a = key.delta_g1 * r + self.a + key.alpha_g1;
        let b_g1 = key.delta_g1 * s + self.b_g1 + key.beta_g1;
        let b_g2 = key.delta_g2 * s + self.b_g2 + key.beta_g2;
        let c = self.l + self.h + a * s + b_g1 * r - key.delta_g1 * (*r * s);
        Proof { a: a.to_affine(), b: b_g2.to_affine(), c: c.to_affine() }
    }
}
