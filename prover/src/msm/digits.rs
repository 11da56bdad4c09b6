//! Scalars cut into signed digits.
//!
//! A scalar above r / 2 stands for its negative, so that every magnitude is below 2²⁵⁴ and digits of w bits need exactly
//! ⌈255 / w⌉ windows. Digits are Booth's: a window's value depends on its own bits and the one below, never on a carry, so
//! each window can be read alone.

use blstrs::Scalar;

/// The bits that the windows must cover: those of a magnitude and one for the sign of the last digit.
const BITS: u32 = 255;

/// r, the order of the groups, as little-endian limbs.
const ORDER: [u64; 4] = [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// (r − 1) / 2.
const HALF: [u64; 4] = [0x7fff_ffff_8000_0000, 0xa9de_d201_7fff_2dff, 0x199c_ec04_04d0_ec02, 0x39f6_d3a9_94ce_bea4];

/// In the top limb: whether the scalar is the negative of the magnitude.
const SIGN: u64 = 1 << 63;

/// A scalar as a magnitude of at most (r − 1) / 2 and a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignedScalar([u64; 4]);

/// How many windows of this many bits cover a scalar.
pub(crate) fn windows(bits: u32) -> u32 {
    BITS.div_ceil(bits)
}

impl From<&Scalar> for SignedScalar {
    fn from(scalar: &Scalar) -> Self {
        let bytes = scalar.to_bytes_le();
        let mut limbs = [0; 4];
        for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *limb = u64::from_le_bytes(*bytes);
        }
        if limbs.iter().rev().le(HALF.iter().rev()) {
            return Self(limbs);
        }
        let mut borrow = false;
        for (limb, order) in limbs.iter_mut().zip(ORDER) {
            let (difference, first) = order.overflowing_sub(*limb);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (difference, first || second);
        }
        limbs[3] |= SIGN;
        Self(limbs)
    }
}

impl SignedScalar {
    /// The digit of window `index` for windows of `bits` (at most 16): between −2^(bits − 1) and 2^(bits − 1).
    pub(crate) fn digit(&self, bits: u32, index: u32) -> i32 {
        // The window's bits and, below them, the top bit of the window before.
        let raw = if index == 0 { self.0[0] << 1 } else { self.shifted(index * bits - 1) } & ((2 << bits) - 1);
        let borrow = (raw >> bits) << bits;
        let digit = i32::try_from(raw.div_ceil(2)).expect("17 bits") - i32::try_from(borrow).expect("17 bits");
        if self.0[3] & SIGN == 0 { digit } else { -digit }
    }

    /// The low bits of magnitude >> bits.
    fn shifted(&self, bits: u32) -> u64 {
        let (limb, bit) = ((bits / 64) as usize, bits % 64);
        let limb_at = |at: usize| match at {
            0..3 => self.0[at],
            3 => self.0[3] & !SIGN,
            _ => 0,
        };
        let low = limb_at(limb) >> bit;
        if bit == 0 { low } else { low | limb_at(limb + 1) << (64 - bit) }
    }
}

#[cfg(test)]
mod tests {
    use ff::{Field, PrimeField};

    use super::*;
    use crate::windows::RANGE;

    #[test]
    fn constants_are_those_of_the_field() {
        assert_eq!(Scalar::from_u64s_le(&HALF).unwrap().double(), -Scalar::ONE);
        assert!(bool::from(Scalar::from_u64s_le(&ORDER).is_none()));
        assert_eq!(Scalar::NUM_BITS, BITS);
    }

    #[test]
    fn digits_are_small_and_add_up_to_the_scalar() {
        let mut stream = crate::seeds::stream(b"test of digits..", 1, 0);
        let half = Scalar::from_u64s_le(&HALF).unwrap();
        let mut scalars =
            vec![Scalar::ZERO, Scalar::ONE, -Scalar::ONE, half, half + Scalar::ONE, -Scalar::from(1 << 40)];
        scalars.extend((0..20).map(|_| Scalar::random(&mut stream)));
        scalars.extend((0..255).map(|bit| Scalar::from(2).pow([bit])));
        scalars.extend((0..255).map(|bit| Scalar::from(2).pow([bit]) - Scalar::ONE));
        for bits in RANGE {
            for scalar in &scalars {
                let signed = SignedScalar::from(scalar);
                let mut sum = Scalar::ZERO;
                for index in (0..windows(bits)).rev() {
                    let digit = signed.digit(bits, index);
                    assert!(digit.unsigned_abs() <= 1 << (bits - 1), "{digit} in a window of {bits}");
                    let magnitude = Scalar::from(u64::from(digit.unsigned_abs()));
                    sum = sum * Scalar::from(1 << bits) + if digit < 0 { -magnitude } else { magnitude };
                }
                assert_eq!(sum, *scalar);
            }
        }
    }
}
