//! What the batched algorithms need of a curve, so that each is written once for G1 and G2.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::prime::{PrimeCurve, PrimeCurveAffine};

use crate::base_field::{BaseField, Fp, Fp2};

/// An affine point of a short Weierstrass curve with a = 0, of prime order. Infinity is (0, 0), which is on neither curve.
pub trait Affine: PrimeCurveAffine<Scalar = Scalar, Curve = <Self as Affine>::Projective> + PartialEq {
    /// The field of the coordinates.
    type Base: BaseField;
    /// The same group in projective coordinates.
    type Projective: PrimeCurve<Affine = Self, AffineRepr = Self, Scalar = Scalar>;

    /// The coordinates; zeros for infinity.
    fn coordinates(&self) -> (Self::Base, Self::Base);

    /// The point with these coordinates, which must be on the curve and in the group, or both zero.
    fn from_coordinates(x: Self::Base, y: Self::Base) -> Self;
}

impl Affine for G1Affine {
    type Base = Fp;
    type Projective = G1Projective;

    fn coordinates(&self) -> (Fp, Fp) {
        (Fp(self.x().into()), Fp(self.y().into()))
    }

    fn from_coordinates(x: Fp, y: Fp) -> Self {
        Self::from_raw_unchecked(x.0.into(), y.0.into(), false)
    }
}

impl Affine for G2Affine {
    type Base = Fp2;
    type Projective = G2Projective;

    fn coordinates(&self) -> (Fp2, Fp2) {
        (Fp2(self.x().into()), Fp2(self.y().into()))
    }

    fn from_coordinates(x: Fp2, y: Fp2) -> Self {
        Self::from_raw_unchecked(x.0.into(), y.0.into(), false)
    }
}
