//! The fields that the curves' coordinates lie in, over blst's arithmetic. The only file of this package with unsafe code.
//!
//! blstrs keeps its own types for them private, and its affine points offer no arithmetic of their own coordinates; the batched
//! additions need both. Each operation is one call of blst.
#![expect(unsafe_code, reason = "blst's field arithmetic is a C interface")]

use std::ops::{Add, Mul, Neg, Sub};

use blst::{blst_fp, blst_fp2};

/// A field of coordinates.
pub trait BaseField:
    Copy + PartialEq + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The square.
    fn square(self) -> Self;

    /// The inverse; zero for zero.
    fn invert(self) -> Self;
}

/// An element of the prime field, in Montgomery form and reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp(pub(crate) blst_fp);

/// An element of the quadratic extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp2(pub(crate) blst_fp2);

/// Calls a blst function that writes its first argument and reads the others.
macro_rules! call {
    ($raw:ty, $function:ident $(, $argument:expr)*) => {{
        let mut result = <$raw>::default();
        // SAFETY: all pointers are to live values of the type that the function takes: the result to one of our own, the
        // arguments behind shared references. blst reads and writes no more than these, and keeps no pointer.
        unsafe { blst::$function(&raw mut result, $($argument),*) };
        Self(result)
    }};
}

macro_rules! field {
    ($field:ident, $raw:ty, $zero:expr, $one:expr, $add:ident, $sub:ident, $mul:ident, $sqr:ident, $neg:ident, $inverse:ident) => {
        impl Add for $field {
            type Output = Self;

            #[inline]
            fn add(self, other: Self) -> Self {
                call!($raw, $add, &raw const self.0, &raw const other.0)
            }
        }

        impl Sub for $field {
            type Output = Self;

            #[inline]
            fn sub(self, other: Self) -> Self {
                call!($raw, $sub, &raw const self.0, &raw const other.0)
            }
        }

        impl Mul for $field {
            type Output = Self;

            #[inline]
            fn mul(self, other: Self) -> Self {
                call!($raw, $mul, &raw const self.0, &raw const other.0)
            }
        }

        impl Neg for $field {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                call!($raw, $neg, &raw const self.0, true)
            }
        }

        impl BaseField for $field {
            const ZERO: Self = Self($zero);
            const ONE: Self = Self($one);

            #[inline]
            fn square(self) -> Self {
                call!($raw, $sqr, &raw const self.0)
            }

            fn invert(self) -> Self {
                call!($raw, $inverse, &raw const self.0)
            }
        }
    };
}

/// Zero, as blst has it.
const FP_ZERO: blst_fp = blst_fp { l: [0; 6] };

/// One in Montgomery form: 2³⁸⁴ mod p.
const FP_ONE: blst_fp = blst_fp {
    l: [
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ],
};

field!(
    Fp,
    blst_fp,
    FP_ZERO,
    FP_ONE,
    blst_fp_add,
    blst_fp_sub,
    blst_fp_mul,
    blst_fp_sqr,
    blst_fp_cneg,
    blst_fp_eucl_inverse
);
field!(
    Fp2,
    blst_fp2,
    blst_fp2 { fp: [FP_ZERO, FP_ZERO] },
    blst_fp2 { fp: [FP_ONE, FP_ZERO] },
    blst_fp2_add,
    blst_fp2_sub,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_fp2_cneg,
    blst_fp2_eucl_inverse
);

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine};

    use super::*;
    use crate::curve::Affine;

    /// The identities that tie every operation to the others, and the curve's equation to the constants.
    fn is_a_field<A: Affine>(b: A::Base) {
        let (x, y) = A::generator().coordinates();
        let (zero, one) = (A::Base::ZERO, A::Base::ONE);
        assert!(y.square() == x.square() * x + b);
        assert!(x * one == x && x + zero == x && x * zero == zero);
        assert!(x - x == zero && x + -x == zero && -(-y) == y);
        assert!(x.invert() * x == one && zero.invert() == zero);
        assert!((x + y) * (x - y) == x.square() - y.square());
    }

    #[test]
    fn operations_are_those_of_the_curves_fields() {
        let two = Fp::ONE + Fp::ONE;
        let four = two + two;
        is_a_field::<G1Affine>(four);
        // The twist's b is 4·(1 + i).
        is_a_field::<G2Affine>(Fp2(blst_fp2 { fp: [four.0, four.0] }));
    }
}
