//! The quotient polynomial h = (a·b − c) / t, where t = Xⁿ − 1 vanishes on the domain.
//!
//! a and b are taken to the coset g·⟨ω⟩, where t is a constant that is not zero, multiplied there and taken back; c, which
//! nothing is multiplied with, is subtracted as coefficients. That is six transforms.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::domain::{CHUNK, Domain, TooLarge};

/// Why there is no quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuotientError {
    /// a·b is not c there, so t does not divide.
    #[error("constraint {constraint} is not satisfied: the witness does not belong to the circuit")]
    Unsatisfied {
        /// Which, counted from 0 in the order of synthesis.
        constraint: usize,
    },
    /// The circuit is too large for the field.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// The n − 1 coefficients of h, from the values of a, b and c on the first elements of the domain (the rest are zeros).
///
/// The result is in the memory of `b`; `a` and `c` are left as scratch, for the caller to give back.
pub fn quotient(a: &mut Vec<Scalar>, mut b: Vec<Scalar>, c: &mut Vec<Scalar>) -> Result<Vec<Scalar>, QuotientError> {
    check(a, &b, c)?;
    let domain = &*Domain::of(a.len())?;
    for values in [&mut *a, &mut b, &mut *c] {
        values.resize(domain.size(), Scalar::ZERO);
        domain.interpolate(values);
    }
    for values in [&mut *a, &mut b] {
        domain.shift(values);
        domain.evaluate(values);
    }
    a.par_chunks_mut(CHUNK).zip(b.par_chunks(CHUNK)).for_each(|(a, b)| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a *= b);
    });
    domain.interpolate(a);
    divide(domain, a, c, &mut b);
    b.truncate(domain.size() - 1);
    Ok(b)
}

/// Finds the first constraint that is not satisfied.
pub(crate) fn check(a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Result<(), QuotientError> {
    let wrong = a.par_iter().zip(b).zip(c).position_first(|((a, b), c)| a * b != *c);
    wrong.map_or(Ok(()), |constraint| Err(QuotientError::Unsatisfied { constraint }))
}

/// quotient[i] = (product[i]·g⁻ⁱ − c[i]) / t(g), from bit-reversed to natural order.
///
/// `product` has passed three transforms that do not scale, `c` one.
fn divide(domain: &Domain, product: &[Scalar], c: &[Scalar], quotient: &mut [Scalar]) {
    let invert = |value: Scalar| value.invert().expect("neither n nor t(g) nor g is zero");
    let n = invert(Scalar::from(domain.size() as u64));
    let c_factor = n * invert(domain.vanishing_on_coset());
    let product_factor = c_factor * n.square();
    let ratio = invert(<Scalar as ff::PrimeField>::MULTIPLICATIVE_GENERATOR);
    quotient.par_chunks_mut(CHUNK).enumerate().for_each(|(at, chunk)| {
        let start = at * CHUNK;
        let mut power = product_factor * ratio.pow([start as u64]);
        for (index, value) in (start..).zip(chunk) {
            let from = domain.reversed(index);
            *value = product[from] * power - c[from] * c_factor;
            power *= ratio;
        }
    });
}
