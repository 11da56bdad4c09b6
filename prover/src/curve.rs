//! What the batched algorithms need of a curve, so that each is written once for G1 and G2.

use blst::{blst_fp, blst_fp2};
use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::prime::{PrimeCurve, PrimeCurveAffine};

use crate::base_field::BaseField;

/// An affine point of a short Weierstrass curve with a = 0, of prime order. Infinity is (0, 0), which is on neither curve.
pub trait Affine: PrimeCurveAffine<Scalar = Scalar, Curve = <Self as Affine>::Projective> + PartialEq {
    /// The field of the coordinates.
    type Base: BaseField;
    /// The same group in projective coordinates.
    type Projective: PrimeCurve<Affine = Self, AffineRepr = Self, Scalar = Scalar>;

    /// The first coordinate; zero for infinity.
    fn x(&self) -> &Self::Base;

    /// The second coordinate; zero for infinity.
    fn y(&self) -> &Self::Base;

    /// The point with these coordinates, which must be on the curve and in the group, or both zero.
    fn from_coordinates(x: Self::Base, y: Self::Base) -> Self;
}

impl Affine for G1Affine {
    type Base = blst_fp;
    type Projective = G1Projective;

    #[inline]
    fn x(&self) -> &blst_fp {
        &self.as_ref().x
    }

    #[inline]
    fn y(&self) -> &blst_fp {
        &self.as_ref().y
    }

    #[inline]
    fn from_coordinates(x: blst_fp, y: blst_fp) -> Self {
        Self::from_raw_unchecked(x.into(), y.into(), false)
    }
}

impl Affine for G2Affine {
    type Base = blst_fp2;
    type Projective = G2Projective;

    #[inline]
    fn x(&self) -> &blst_fp2 {
        &self.as_ref().x
    }

    #[inline]
    fn y(&self) -> &blst_fp2 {
        &self.as_ref().y
    }

    #[inline]
    fn from_coordinates(x: blst_fp2, y: blst_fp2) -> Self {
        Self::from_raw_unchecked(x.into(), y.into(), false)
    }
}
