//! Transforms between a polynomial's coefficients and its values on the 2^k-th roots of unity.
//!
//! Neither transform permutes: [`Domain::interpolate`] leaves the coefficients in bit-reversed order, and
//! [`Domain::evaluate`] takes them so. What is done in between is done in that order. Neither scales: `interpolate` gives n
//! times the coefficients, and whoever uses them divides once, at the end.
//!
//! Blocks are split in halves until one fits a core's cache; the halves go to different threads.

use std::sync::{Arc, Mutex};

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rayon::prelude::*;

/// Blocks of up to so many elements (128 KiB) are transformed level by level on one thread.
const BLOCK: usize = 1 << 12;

/// So many elements are handled at a time where all are handled alike.
pub(crate) const CHUNK: usize = 1 << 12;

/// A domain's tables. They depend on the size alone.
#[derive(Debug)]
pub struct Domain {
    log_size: u32,
    /// For each power of two m up to n, at m/2..m: the first m/2 powers of the m-th root of unity.
    twiddles: Vec<Scalar>,
    /// The powers of the coset's generator, in bit-reversed order.
    coset: Vec<Scalar>,
}

/// The circuit has more constraints than the field has roots of unity of order a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} constraints need a domain larger than 2^32, the largest of this field")]
pub struct TooLarge(pub usize);

impl Domain {
    /// The domain for so many values: the next power of two, at least one.
    ///
    /// The tables of the size asked for last are kept for the next call.
    pub fn of(values: usize) -> Result<Arc<Self>, TooLarge> {
        static LAST: Mutex<Option<Arc<Domain>>> = Mutex::new(None);
        let log_size = log_size(values)?;
        let mut last = LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*last {
            Some(domain) if domain.log_size == log_size => Ok(Arc::clone(domain)),
            _ => {
                *last = None;
                let domain = Arc::new(Self::new(log_size));
                *last = Some(Arc::clone(&domain));
                Ok(domain)
            }
        }
    }

    fn new(log_size: u32) -> Self {
        let size = 1 << log_size;
        let mut twiddles = vec![Scalar::ONE; size];
        let root = root_of_unity(log_size);
        let top = size / 2;
        twiddles[top..].par_chunks_mut(CHUNK).enumerate().for_each(|(at, chunk)| {
            powers(root.pow([(at * CHUNK) as u64]), root, chunk);
        });
        let mut half = top;
        while half > 1 {
            let (lower, upper) = twiddles.split_at_mut(half);
            half /= 2;
            lower[half..].iter_mut().zip(upper.iter().step_by(2)).for_each(|(low, high)| *low = *high);
        }
        Self { log_size, twiddles, coset: bit_reversed_powers(Scalar::MULTIPLICATIVE_GENERATOR, log_size) }
    }

    /// n.
    pub fn size(&self) -> usize {
        1 << self.log_size
    }

    /// From values on the domain to n times the coefficients, in bit-reversed order.
    ///
    /// # Panics
    /// When there are not n values.
    pub fn interpolate(&self, values: &mut [Scalar]) {
        assert_eq!(values.len(), self.size(), "one value for each element of the domain");
        self.decimate_in_frequency(values);
    }

    /// From coefficients in bit-reversed order to values on the domain.
    ///
    /// # Panics
    /// When there are not n coefficients.
    pub fn evaluate(&self, coefficients: &mut [Scalar]) {
        assert_eq!(coefficients.len(), self.size(), "one coefficient for each element of the domain");
        self.decimate_in_time(coefficients);
    }

    /// From f(X) to f(g·X), coefficients in bit-reversed order; g generates the field's multiplicative group.
    pub fn shift(&self, coefficients: &mut [Scalar]) {
        coefficients.par_chunks_mut(CHUNK).zip(self.coset.par_chunks(CHUNK)).for_each(|(chunk, powers)| {
            chunk.iter_mut().zip(powers).for_each(|(value, power)| *value *= power);
        });
    }

    /// Xⁿ − 1 at every point of the coset g·⟨ω⟩: gⁿ − 1, not zero.
    pub fn vanishing_on_coset(&self) -> Scalar {
        Scalar::MULTIPLICATIVE_GENERATOR.pow([self.size() as u64]) - Scalar::ONE
    }

    /// Where bit-reversed order has element `index`.
    pub fn reversed(&self, index: usize) -> usize {
        if self.log_size == 0 { index } else { index.reverse_bits() >> (usize::BITS - self.log_size) }
    }

    fn decimate_in_frequency(&self, block: &mut [Scalar]) {
        if block.len() <= BLOCK {
            let mut size = block.len();
            while size > 1 {
                let twiddles = &self.twiddles[size / 2..size];
                for part in block.chunks_exact_mut(size) {
                    let (low, high) = part.split_at_mut(size / 2);
                    inverse_butterflies(low, high, 0, twiddles);
                }
                size /= 2;
            }
            return;
        }
        let half = block.len() / 2;
        let twiddles = &self.twiddles[half..2 * half];
        let (low, high) = block.split_at_mut(half);
        low.par_chunks_mut(CHUNK)
            .zip(high.par_chunks_mut(CHUNK))
            .enumerate()
            .for_each(|(at, (low, high))| inverse_butterflies(low, high, at * CHUNK, twiddles));
        rayon::join(|| self.decimate_in_frequency(low), || self.decimate_in_frequency(high));
    }

    fn decimate_in_time(&self, block: &mut [Scalar]) {
        if block.len() <= BLOCK {
            let mut size = 2;
            while size <= block.len() {
                let twiddles = &self.twiddles[size / 2..size];
                for part in block.chunks_exact_mut(size) {
                    let (low, high) = part.split_at_mut(size / 2);
                    butterflies(low, high, twiddles);
                }
                size *= 2;
            }
            return;
        }
        let half = block.len() / 2;
        let twiddles = &self.twiddles[half..2 * half];
        let (low, high) = block.split_at_mut(half);
        rayon::join(|| self.decimate_in_time(low), || self.decimate_in_time(high));
        low.par_chunks_mut(CHUNK)
            .zip(high.par_chunks_mut(CHUNK))
            .zip(twiddles.par_chunks(CHUNK))
            .for_each(|((low, high), twiddles)| butterflies(low, high, twiddles));
    }
}

/// log₂ of the size of the domain for so many values.
pub fn log_size(values: usize) -> Result<u32, TooLarge> {
    let size = values.checked_next_power_of_two().ok_or(TooLarge(values))?;
    let log_size = size.trailing_zeros();
    if log_size > Scalar::S { Err(TooLarge(values)) } else { Ok(log_size) }
}

/// A primitive root of unity of order 2^`log_order`.
pub(crate) fn root_of_unity(log_order: u32) -> Scalar {
    (log_order..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square())
}

/// first, first·ratio, first·ratio², …
pub(crate) fn powers(first: Scalar, ratio: Scalar, out: &mut [Scalar]) {
    let mut power = first;
    for value in out {
        *value = power;
        power *= ratio;
    }
}

fn bit_reversed_powers(base: Scalar, log_size: u32) -> Vec<Scalar> {
    let mut all = vec![Scalar::ONE; 1 << log_size];
    for bit in 0..log_size {
        // Bit `bit` of a position is bit log_size - 1 - bit of the exponent.
        let factor = base.pow([1 << (log_size - 1 - bit)]);
        let (known, next) = all.split_at_mut(1 << bit);
        known.par_iter().zip(next).for_each(|(known, next)| *next = *known * factor);
    }
    all
}

/// (u, v) to (u + wⁱ·v, u − wⁱ·v), with wⁱ from the table.
fn butterflies(low: &mut [Scalar], high: &mut [Scalar], twiddles: &[Scalar]) {
    if let ([low], [high]) = (&mut *low, &mut *high) {
        (*low, *high) = (*low + *high, *low - *high);
        return;
    }
    for ((low, high), twiddle) in low.iter_mut().zip(high).zip(twiddles) {
        let product = *high * twiddle;
        *high = *low - product;
        *low += product;
    }
}

/// (u, v) to (u + v, (u − v)·w⁻ⁱ) for i from `first` on. Since w^(m/2) = −1, w⁻ⁱ is −w^(m/2 − i): the same table, read
/// backwards.
fn inverse_butterflies(low: &mut [Scalar], high: &mut [Scalar], first: usize, twiddles: &[Scalar]) {
    let skip = usize::from(first == 0);
    if skip == 1 {
        (low[0], high[0]) = (low[0] + high[0], low[0] - high[0]);
    }
    let backwards = twiddles[..=twiddles.len() - first - skip].iter().rev();
    for ((low, high), twiddle) in low[skip..].iter_mut().zip(&mut high[skip..]).zip(backwards) {
        let difference = *high - *low;
        *low += *high;
        *high = difference * twiddle;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize) -> Vec<Scalar> {
        let mut stream = crate::seeds::stream(b"test of domain..", 1, 0);
        (0..count).map(|_| Scalar::random(&mut stream)).collect()
    }

    fn horner(coefficients: &[Scalar], at: Scalar) -> Scalar {
        coefficients.iter().rev().fold(Scalar::ZERO, |sum, coefficient| sum * at + coefficient)
    }

    fn permuted(domain: &Domain, values: &[Scalar]) -> Vec<Scalar> {
        (0..values.len()).map(|index| values[domain.reversed(index)]).collect()
    }

    /// Sizes on both sides of the block that is transformed on one thread.
    const LOG_SIZES: [u32; 8] = [0, 1, 2, 3, 6, 11, 13, 14];

    #[test]
    fn evaluation_is_evaluation() {
        for log_size in LOG_SIZES {
            let domain = Domain::new(log_size);
            let coefficients = random(domain.size());
            let mut values = permuted(&domain, &coefficients);
            domain.evaluate(&mut values);
            let root = root_of_unity(log_size);
            for index in (0..domain.size()).step_by(1 + domain.size() / 64) {
                assert_eq!(values[index], horner(&coefficients, root.pow([index as u64])), "2^{log_size}, {index}");
            }
        }
    }

    #[test]
    fn interpolation_undoes_evaluation_up_to_n() {
        for log_size in LOG_SIZES {
            let domain = Domain::new(log_size);
            let values = random(domain.size());
            let mut transformed = values.clone();
            domain.interpolate(&mut transformed);
            domain.evaluate(&mut transformed);
            let n = Scalar::from(domain.size() as u64);
            assert!(values.iter().zip(&transformed).all(|(value, n_times)| *value * n == *n_times), "2^{log_size}");
        }
    }

    #[test]
    fn shifting_moves_to_the_coset() {
        let domain = Domain::new(4);
        let coefficients = random(16);
        let mut values = permuted(&domain, &coefficients);
        domain.shift(&mut values);
        domain.evaluate(&mut values);
        let (root, generator) = (root_of_unity(4), Scalar::MULTIPLICATIVE_GENERATOR);
        for (index, value) in values.iter().enumerate() {
            let point = generator * root.pow([index as u64]);
            assert_eq!(*value, horner(&coefficients, point));
            assert_eq!(point.pow([16]) - Scalar::ONE, domain.vanishing_on_coset());
        }
    }

    #[test]
    fn roots_have_their_order() {
        for log_order in 1..=Scalar::S {
            assert_eq!(root_of_unity(log_order).pow([1 << (log_order - 1)]), -Scalar::ONE);
        }
    }

    #[test]
    fn sizes() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(|values| log_size(values).unwrap()), [0, 0, 1, 2, 2, 3]);
        assert_eq!(log_size(1 << 32), Ok(32));
        assert_eq!(log_size((1 << 32) + 1), Err(TooLarge((1 << 32) + 1)));
        assert_eq!(log_size(usize::MAX), Err(TooLarge(usize::MAX)));
    }

    #[test]
    fn the_last_size_is_kept() {
        let first = Domain::of(33).unwrap();
        assert_eq!((first.size(), Domain::of(200).unwrap().size(), Domain::of(64).unwrap().size()), (64, 256, 64));
    }
}
