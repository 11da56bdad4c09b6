//! Many multiples of one point, from a table of its multiples.
//!
//! The table has, for each window of a scalar, the affine multiples of the point shifted to that window, so a multiplication is
//! one addition a window and no doubling. Chunks of scalars go through the windows together, which lets their affine additions
//! share inversions and keeps one window's table in cache.

use blstrs::Scalar;
use group::{Curve, Group};
use rayon::prelude::*;

use crate::batch_add::{Additions, BatchAdder, signed};
use crate::curve::Affine;
use crate::msm::{SignedScalar, windows};

/// So many scalars go through the windows together.
const CHUNK: usize = 1 << 11;

/// The windows that a table may have: a wider one would not stay in a core's cache.
const BITS: std::ops::RangeInclusive<u32> = 2..=14;

/// Multiples of one point.
#[derive(Debug)]
pub struct Table<A: Affine> {
    bits: u32,
    /// `windows[j][k - 1]` is k·2^(bits·j)·base, for k up to 2^(bits - 1).
    windows: Vec<Vec<A>>,
}

impl<A: Affine> Table<A> {
    /// A table of the size that is best for so many multiplications.
    pub fn new(base: A, multiplications: usize) -> Self {
        let cost = |bits: &u32| windows(*bits) as usize * (multiplications + (1 << (bits - 1)));
        Self::with_window(base, BITS.min_by_key(cost).expect("there are windows"))
    }

    /// A table for windows of so many bits, from 2 to 16.
    pub fn with_window(base: A, bits: u32) -> Self {
        let mut shifted = base.to_curve();
        let mut bases = vec![A::identity(); windows(bits) as usize];
        for slot in &mut bases {
            *slot = shifted.to_affine();
            (0..bits).for_each(|_| shifted = shifted.double());
        }
        let windows = bases.into_par_iter().map(|base| multiples(base, 1 << (bits - 1))).collect();
        Self { bits, windows }
    }

    /// scalar·base for each scalar, on the current thread pool.
    pub fn multiply(&self, scalars: &[Scalar]) -> Vec<A> {
        let mut products = vec![A::identity(); scalars.len()];
        products.par_chunks_mut(CHUNK).zip(scalars.par_chunks(CHUNK)).for_each(|(products, scalars)| {
            let scalars: Vec<SignedScalar> = scalars.iter().map(SignedScalar::from).collect();
            let mut addends = Vec::with_capacity(scalars.len());
            let mut adder = BatchAdder::new();
            let (first, others) = self.windows.split_first().expect("there are windows");
            for (product, scalar) in products.iter_mut().zip(&scalars) {
                *product = multiple(first, scalar.digit(self.bits, 0));
            }
            for (window, table) in (1..).zip(others) {
                addends.clear();
                addends.extend(scalars.iter().map(|scalar| multiple(table, scalar.digit(self.bits, window))));
                adder.run(&mut Step { sums: &mut *products, addends: &addends });
            }
        });
        products
    }
}

/// base, 2·base, …, count·base; `count` is a power of two.
fn multiples<A: Affine>(base: A, count: usize) -> Vec<A> {
    let mut all = Vec::with_capacity(count);
    all.push(base);
    let mut adder = BatchAdder::new();
    while all.len() < count {
        let known = all.len();
        all.resize(2 * known, A::identity());
        adder.run(&mut Doubling { all: &mut all, known });
    }
    all
}

/// `all[known + i] = all[i] + all[known - 1]`.
struct Doubling<'a, A> {
    all: &'a mut [A],
    known: usize,
}

impl<A: Affine> Additions<A> for Doubling<'_, A> {
    fn len(&self) -> usize {
        self.known
    }

    fn operands(&self, index: usize) -> (&A, &A) {
        (&self.all[index], &self.all[self.known - 1])
    }

    fn set(&mut self, index: usize, sum: A) {
        self.all[self.known + index] = sum;
    }
}

/// digit·base, from the table of one window.
fn multiple<A: Affine>(table: &[A], digit: i32) -> A {
    match digit.unsigned_abs() {
        0 => A::identity(),
        magnitude => signed(&table[magnitude as usize - 1], digit < 0),
    }
}

/// `sums[i] += addends[i]`.
struct Step<'a, A> {
    sums: &'a mut [A],
    addends: &'a [A],
}

impl<A: Affine> Additions<A> for Step<'_, A> {
    fn len(&self) -> usize {
        self.sums.len()
    }

    fn operands(&self, index: usize) -> (&A, &A) {
        (&self.sums[index], &self.addends[index])
    }

    fn set(&mut self, index: usize, sum: A) {
        self.sums[index] = sum;
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine};
    use ff::Field;
    use group::prime::PrimeCurveAffine;

    use super::*;

    fn agrees<A: Affine>(multiplications: usize) {
        let mut stream = crate::seeds::stream(b"test fixed base.", 1, 0);
        let base = (A::generator() * Scalar::random(&mut stream)).to_affine();
        let table = Table::new(base, multiplications);
        let mut scalars = vec![Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(1 << 13), -Scalar::from(1 << 13)];
        scalars.extend((0..40).map(|_| Scalar::random(&mut stream)));
        let expected: Vec<A> = scalars.iter().map(|scalar| (base * *scalar).to_affine()).collect();
        assert_eq!(table.multiply(&scalars), expected, "windows of {}", table.bits);
    }

    #[test]
    fn agrees_with_scalar_multiplication() {
        for multiplications in [1, 50, 1000] {
            agrees::<G1Affine>(multiplications);
            agrees::<G2Affine>(multiplications);
        }
    }

    #[test]
    fn nothing_times_a_base_is_nothing() {
        assert!(Table::new(G1Affine::generator(), 0).multiply(&[]).is_empty());
    }
}
