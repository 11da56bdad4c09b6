//! The fields that the curves' coordinates lie in, over blst's arithmetic. The only file of this package with unsafe code.
//!
//! blstrs keeps its own types for them private, so these are blst's. Products, squares and inverses are calls of blst;
//! sums, which are shorter than a call, are written out.
#![expect(unsafe_code, reason = "blst's field arithmetic is a C interface")]

use std::mem::MaybeUninit;

use blst::{blst_fp, blst_fp2};

/// A field of coordinates. Elements are in Montgomery form and reduced.
pub trait BaseField: Copy + Send + Sync {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// Whether it is zero.
    fn is_zero(&self) -> bool;

    /// self + other.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;

    /// self − other.
    #[must_use]
    fn minus(&self, other: &Self) -> Self;

    /// self · other.
    #[must_use]
    fn times(&self, other: &Self) -> Self;

    /// self².
    #[must_use]
    fn square(&self) -> Self;

    /// The inverse; zero for zero.
    #[must_use]
    fn invert(&self) -> Self;
}

/// p, as little-endian limbs.
const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// 2³⁸⁴ mod p: one in Montgomery form.
const ONE: [u64; 6] = [
    0x7609_0000_0002_fffd,
    0xebf4_000b_c40c_0002,
    0x5f48_9857_53c7_58ba,
    0x77ce_5853_7052_5745,
    0x5c07_1a97_a256_ec6d,
    0x15f6_5ec3_fa80_e493,
];

/// left + right, and the carry out. Inputs here are below 2³⁸³.
#[inline]
fn add_limbs(left: &[u64; 6], right: &[u64; 6]) -> [u64; 6] {
    let mut carry = false;
    std::array::from_fn(|i| {
        let (sum, out) = left[i].carrying_add(right[i], carry);
        carry = out;
        sum
    })
}

/// left − right modulo 2³⁸⁴, and whether it is negative.
#[inline]
fn subtract_limbs(left: &[u64; 6], right: &[u64; 6]) -> ([u64; 6], bool) {
    let mut borrow = false;
    let limbs = std::array::from_fn(|i| {
        let (difference, out) = left[i].borrowing_sub(right[i], borrow);
        borrow = out;
        difference
    });
    (limbs, borrow)
}

/// Calls a blst function that writes its first argument and reads the others.
macro_rules! call {
    ($function:ident, $($argument:expr),+) => {{
        let mut result = MaybeUninit::<Self>::uninit();
        // SAFETY: the arguments are live values behind shared references, of the type that the function reads; the result is
        // memory of our own of the type that it writes, whole, before it returns. blst keeps no pointer.
        unsafe {
            blst::$function(result.as_mut_ptr(), $(&raw const *$argument),+);
            result.assume_init()
        }
    }};
}

impl BaseField for blst_fp {
    const ZERO: Self = Self { l: [0; 6] };
    const ONE: Self = Self { l: ONE };

    #[inline]
    fn is_zero(&self) -> bool {
        // The first limb decides nearly always.
        self.l[0] == 0 && self.l.iter().all(|limb| *limb == 0)
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let sum = add_limbs(&self.l, &other.l);
        let (reduced, below) = subtract_limbs(&sum, &MODULUS);
        Self { l: std::array::from_fn(|i| if below { sum[i] } else { reduced[i] }) }
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        let (difference, negative) = subtract_limbs(&self.l, &other.l);
        let mask = u64::from(negative).wrapping_neg();
        Self { l: add_limbs(&difference, &MODULUS.map(|limb| limb & mask)) }
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        call!(blst_fp_mul, self, other)
    }

    #[inline]
    fn square(&self) -> Self {
        call!(blst_fp_sqr, self)
    }

    fn invert(&self) -> Self {
        call!(blst_fp_eucl_inverse, self)
    }
}

impl BaseField for blst_fp2 {
    const ZERO: Self = Self { fp: [blst_fp::ZERO; 2] };
    const ONE: Self = Self { fp: [blst_fp::ONE, blst_fp::ZERO] };

    #[inline]
    fn is_zero(&self) -> bool {
        self.fp.iter().all(BaseField::is_zero)
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        Self { fp: [self.fp[0].plus(&other.fp[0]), self.fp[1].plus(&other.fp[1])] }
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        Self { fp: [self.fp[0].minus(&other.fp[0]), self.fp[1].minus(&other.fp[1])] }
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        call!(blst_fp2_mul, self, other)
    }

    #[inline]
    fn square(&self) -> Self {
        call!(blst_fp2_sqr, self)
    }

    fn invert(&self) -> Self {
        call!(blst_fp2_eucl_inverse, self)
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine, Scalar};
    use ff::Field;
    use group::Curve;

    use super::*;
    use crate::curve::Affine;

    fn equal<F: BaseField>(left: F, right: F) -> bool {
        left.minus(&right).is_zero()
    }

    /// The identities that tie every operation to the others, and the curve's equation to the constants.
    fn is_a_field<A: Affine>(b: A::Base) {
        let mut stream = crate::seeds::stream(b"test of fields..", 1, 0);
        let (zero, one) = (A::Base::ZERO, A::Base::ONE);
        assert!(zero.is_zero() && !one.is_zero() && equal(zero.invert(), zero));
        assert!(equal(zero.minus(&one).plus(&one), zero));
        for _ in 0..100 {
            let point = (A::generator() * Scalar::random(&mut stream)).to_affine();
            let (x, y) = (*point.x(), *point.y());
            assert!(equal(y.square(), x.square().times(&x).plus(&b)));
            assert!(equal(x.times(&one), x) && equal(x.plus(&zero), x) && x.times(&zero).is_zero());
            assert!(equal(x.minus(&y).plus(&y), x) && x.plus(&zero.minus(&x)).is_zero());
            assert!(equal(x.invert().times(&x), one));
            assert!(equal(x.plus(&y).times(&x.minus(&y)), x.square().minus(&y.square())));
        }
    }

    #[test]
    fn operations_are_those_of_the_curves_fields() {
        let two = blst_fp::ONE.plus(&blst_fp::ONE);
        let four = two.plus(&two);
        is_a_field::<G1Affine>(four);
        // The twist's b is 4·(1 + i).
        is_a_field::<G2Affine>(blst_fp2 { fp: [four, four] });
    }
}
