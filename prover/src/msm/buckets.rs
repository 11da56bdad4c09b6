//! One window of Pippenger's method, with buckets summed by batched affine additions.
//!
//! The terms are first sorted by bucket, so that a bucket's points stand together and can be added in pairs, round after
//! round, with one inversion for the pairs of many buckets. That is cheaper than adding point after point to projective
//! buckets, and every memory access but the first is sequential.

use group::{Curve, Group};

use super::digits::SignedScalar;
use crate::batch_add::{Additions, BatchAdder, signed};
use crate::curve::Affine;

/// So many points are reduced at a time: enough to share an inversion, few enough to stay in a core's cache.
const BLOCK: usize = 4096;

/// Terms of a multiplication: indices of bases, and their scalars.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) bases: &'a [u32],
    pub(super) scalars: &'a [SignedScalar],
}

/// Σ digit·base over the terms, for the digits of one window.
pub(super) fn window_sum<A: Affine>(bases: &[A], terms: Terms<'_>, bits: u32, window: u32) -> A::Projective {
    let sorted = Sorted::new(terms, bits, window);
    let mut sums = vec![A::identity(); sorted.ends.len()];
    let mut reducer = Reducer::new();
    for (at, block) in sorted.order.chunks(BLOCK).enumerate() {
        reducer.points.clear();
        reducer.points.extend(block.iter().map(|entry| signed(&bases[(entry >> 1) as usize], entry & 1 == 1)));
        sorted.segments(at * BLOCK, block.len(), &mut reducer.segments);
        reducer.reduce();
        for (segment, sum) in reducer.segments.iter().zip(&reducer.points) {
            // A bucket that began in an earlier block already holds a part of its sum.
            let bucket = &mut sums[segment.bucket];
            *bucket = if bool::from(bucket.is_identity()) { *sum } else { (bucket.to_curve() + sum).to_affine() };
        }
    }
    weighted_sum(&sums, &mut reducer)
}

/// Σ (i + 1)·sums[i].
///
/// The sums are laid out as a table, i = row·width + column, and rows and columns summed by batched additions; what is left to
/// weigh is only a row and a column of sums.
fn weighted_sum<A: Affine>(sums: &[A], reducer: &mut Reducer<A>) -> A::Projective {
    let width = 1 << (sums.len().ilog2() / 2);
    let by_row = reducer.sum_parts(sums.iter().copied(), width);
    let rows = weigh(&by_row[1..]);
    let transposed = (0..width).flat_map(|column| sums[column..].iter().step_by(width).copied());
    let columns = weigh(&reducer.sum_parts(transposed, sums.len() / width));
    (0..width.ilog2()).fold(rows, |rows, _| rows.double()) + columns
}

/// Σ (i + 1)·sums[i], one after the other.
fn weigh<A: Affine>(sums: &[A]) -> A::Projective {
    let mut running = A::Projective::identity();
    let mut total = A::Projective::identity();
    for sum in sums.iter().rev() {
        running += sum;
        total += running;
    }
    total
}

/// The terms whose digit is not zero, by bucket. Bucket i holds the digits i + 1 and −(i + 1).
struct Sorted {
    /// Twice the index of a base, plus one where it is to be subtracted.
    order: Vec<u32>,
    /// Where each bucket ends in `order`.
    ends: Vec<u32>,
}

impl Sorted {
    /// A counting sort.
    fn new(terms: Terms<'_>, bits: u32, window: u32) -> Self {
        let digits: Vec<i32> = terms.scalars.iter().map(|scalar| scalar.digit(bits, window)).collect();
        // ends[magnitude - 1] first counts, then is where the bucket starts, then where it ends.
        let mut ends = vec![0; 1 << (bits - 1)];
        for digit in digits.iter().filter(|digit| **digit != 0) {
            ends[digit.unsigned_abs() as usize - 1] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut order = vec![0; total as usize];
        for (digit, base) in digits.iter().zip(terms.bases).filter(|(digit, _)| **digit != 0) {
            let end = &mut ends[digit.unsigned_abs() as usize - 1];
            order[*end as usize] = base << 1 | u32::from(*digit < 0);
            *end += 1;
        }
        Self { order, ends }
    }

    /// The buckets that have entries among `len` entries from `start` on.
    fn segments(&self, start: usize, len: usize, segments: &mut Vec<Segment>) {
        segments.clear();
        let end = start + len;
        let mut from = start;
        let mut bucket = self.ends.partition_point(|&end| end as usize <= start);
        while from < end {
            let to = (self.ends[bucket] as usize).min(end);
            if to > from {
                segments.push(Segment { bucket, len: to - from });
            }
            (from, bucket) = (to, bucket + 1);
        }
    }
}

/// Neighbouring points that belong to one bucket.
struct Segment {
    bucket: usize,
    len: usize,
}

/// Adds up the points of each segment; keeps its memory between blocks.
pub(super) struct Reducer<A: Affine> {
    /// Segment after segment; after [`Reducer::reduce`] one point for each.
    points: Vec<A>,
    segments: Vec<Segment>,
    next: Vec<A>,
    pairs: Vec<Pair>,
    adder: BatchAdder<A>,
}

/// points[left] + points[left + 1] goes to next[sum].
struct Pair {
    left: u32,
    sum: u32,
}

impl<A: Affine> Reducer<A> {
    pub(super) fn new() -> Self {
        let (points, next, pairs) = (Vec::new(), Vec::new(), Vec::new());
        Self { points, segments: Vec::new(), next, pairs, adder: BatchAdder::new() }
    }

    /// The sum of all points.
    pub(super) fn sum(&mut self, points: impl ExactSizeIterator<Item = A>) -> A {
        let len = points.len();
        self.sum_parts(points, len).first().copied().unwrap_or_else(A::identity)
    }

    /// The sum of every `len` points; the last part may be shorter.
    fn sum_parts(&mut self, points: impl Iterator<Item = A>, len: usize) -> Vec<A> {
        self.points.clear();
        self.points.extend(points);
        self.segments.clear();
        let lengths = self.points.chunks(len.max(1)).map(<[A]>::len);
        self.segments.extend(lengths.map(|len| Segment { bucket: 0, len }));
        self.reduce();
        self.points.clone()
    }

    /// Halves the segments until each has one point.
    fn reduce(&mut self) {
        while self.segments.iter().any(|segment| segment.len > 1) {
            self.pair_up();
            let mut round = Round { points: &self.points, next: &mut self.next, pairs: &self.pairs };
            self.adder.run(&mut round);
            std::mem::swap(&mut self.points, &mut self.next);
        }
    }

    /// Lists a round's additions, copies the points that are left over, and halves the segments' lengths.
    fn pair_up(&mut self) {
        self.pairs.clear();
        self.next.clear();
        let mut from = 0;
        for segment in &mut self.segments {
            for left in (from..from + segment.len - segment.len % 2).step_by(2) {
                self.pairs.push(Pair { left: narrow(left), sum: narrow(self.next.len()) });
                self.next.push(A::identity());
            }
            if segment.len % 2 == 1 {
                self.next.push(self.points[from + segment.len - 1]);
            }
            from += segment.len;
            segment.len = segment.len.div_ceil(2);
        }
    }
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("a block is small")
}

struct Round<'a, A> {
    points: &'a [A],
    next: &'a mut [A],
    pairs: &'a [Pair],
}

impl<A: Affine> Additions<A> for Round<'_, A> {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn operands(&self, index: usize) -> (&A, &A) {
        let left = self.pairs[index].left as usize;
        (&self.points[left], &self.points[left + 1])
    }

    fn set(&mut self, index: usize, sum: A) {
        self.next[self.pairs[index].sum as usize] = sum;
    }
}
