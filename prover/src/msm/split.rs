//! Scalars by what they cost: nothing, an addition, or a multiplication.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use super::buckets::Terms;
use super::digits::SignedScalar;

/// So many scalars are split at a time by one thread.
const CHUNK: usize = 1 << 14;

/// A query's scalars: how many are zero, which are one, and the others ready for multiplication.
///
/// It depends on the scalars alone: the B queries in G1 and G2 share one.
#[derive(Debug, Default)]
pub struct Split {
    len: usize,
    /// Indices of the scalars that are one.
    pub(super) ones: Vec<u32>,
    /// Indices of the non-trivial scalars.
    bases: Vec<u32>,
    scalars: Vec<SignedScalar>,
}

impl Split {
    /// Splits a query's scalars, on the current thread pool.
    ///
    /// # Panics
    /// With 2³¹ scalars or more: an index and a sign share 32 bits.
    pub fn new(scalars: &[Scalar]) -> Self {
        assert!(scalars.len() < 1 << 31, "{} scalars in one multiplication", scalars.len());
        let parts: Vec<Self> =
            scalars.par_chunks(CHUNK).enumerate().map(|(at, chunk)| Self::of_chunk(at * CHUNK, chunk)).collect();
        let mut all = Self {
            len: scalars.len(),
            ones: Vec::with_capacity(parts.iter().map(Self::ones).sum()),
            bases: Vec::with_capacity(parts.iter().map(Self::nontrivial).sum()),
            scalars: Vec::with_capacity(parts.iter().map(Self::nontrivial).sum()),
        };
        for mut part in parts {
            all.ones.append(&mut part.ones);
            all.bases.append(&mut part.bases);
            all.scalars.append(&mut part.scalars);
        }
        all
    }

    fn of_chunk(start: usize, scalars: &[Scalar]) -> Self {
        let mut part = Self { len: scalars.len(), ..Self::default() };
        for (index, scalar) in (start..).zip(scalars) {
            let index = u32::try_from(index).expect("fewer than 2^31 scalars");
            if *scalar == Scalar::ONE {
                part.ones.push(index);
            } else if *scalar != Scalar::ZERO {
                part.bases.push(index);
                part.scalars.push(scalar.into());
            }
        }
        part
    }

    /// All scalars, and so the bases that belong to them.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no scalars.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many scalars are zero.
    pub fn zeros(&self) -> usize {
        self.len - self.ones() - self.nontrivial()
    }

    /// How many scalars are one.
    pub fn ones(&self) -> usize {
        self.ones.len()
    }

    /// How many scalars are neither.
    pub fn nontrivial(&self) -> usize {
        self.bases.len()
    }

    /// The non-trivial terms in so many parts of about equal length.
    pub(super) fn parts(&self, parts: usize) -> impl ExactSizeIterator<Item = Terms<'_>> {
        let len = self.nontrivial().div_ceil(parts).max(1);
        self.bases.chunks(len).zip(self.scalars.chunks(len)).map(|(bases, scalars)| Terms { bases, scalars })
    }
}
