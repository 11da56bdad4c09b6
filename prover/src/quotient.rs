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
fn check(a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Result<(), QuotientError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::root_of_unity;

    /// Coefficients of the polynomial with these values, by the sums that define the inverse transform.
    fn interpolate(values: &[Scalar]) -> Vec<Scalar> {
        let n = values.len() as u64;
        let inverse_root = root_of_unity(n.trailing_zeros()).invert().unwrap();
        let n_inverse = Scalar::from(n).invert().unwrap();
        let coefficient = |i: u64| -> Scalar {
            (0..n).zip(values).map(|(j, value)| inverse_root.pow([i * j % n]) * value).sum::<Scalar>() * n_inverse
        };
        (0..n).map(coefficient).collect()
    }

    /// (a·b − c) / (Xⁿ − 1) by schoolbook multiplication and long division.
    fn naive(a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Vec<Scalar> {
        let n = a.len();
        let [a, b, c] = [a, b, c].map(interpolate);
        let mut rest = vec![Scalar::ZERO; 2 * n];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                rest[i + j] += *a * b;
            }
        }
        rest.iter_mut().zip(&c).for_each(|(rest, c)| *rest -= c);
        let mut quotient = vec![Scalar::ZERO; n];
        for degree in (n..2 * n).rev() {
            quotient[degree - n] = std::mem::take(&mut rest[degree]);
            rest[degree - n] += quotient[degree - n];
        }
        assert!(rest.iter().all(|value| *value == Scalar::ZERO), "the division leaves no rest");
        assert_eq!(quotient.pop(), Some(Scalar::ZERO), "the degree is below n - 1");
        quotient
    }

    #[test]
    fn agrees_with_long_division() {
        let mut stream = crate::seeds::stream(b"test of quotient", 1, 0);
        for constraints in [1_usize, 2, 3, 4, 7, 8, 33, 100] {
            let mut random = || -> Vec<Scalar> { (0..constraints).map(|_| Scalar::random(&mut stream)).collect() };
            let (mut a, mut b) = (random(), random());
            let mut c: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
            let ours = quotient(&mut a.clone(), b.clone(), &mut c.clone()).unwrap();
            for values in [&mut a, &mut b, &mut c] {
                values.resize(constraints.next_power_of_two(), Scalar::ZERO);
            }
            assert_eq!(ours, naive(&a, &b, &c), "{constraints} constraints");
        }
    }

    #[test]
    fn the_first_unsatisfied_constraint_is_named() {
        let mut a: Vec<Scalar> = (0..100).map(Scalar::from).collect();
        let mut c: Vec<Scalar> = a.iter().map(Scalar::square).collect();
        c[97] += Scalar::ONE;
        c[41] -= Scalar::ONE;
        let b = a.clone();
        assert_eq!(quotient(&mut a, b, &mut c), Err(QuotientError::Unsatisfied { constraint: 41 }));
    }
}
