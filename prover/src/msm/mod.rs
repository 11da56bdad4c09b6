//! Multi-scalar multiplication: Σ scalarᵢ·baseᵢ, over G1 and G2.
//!
//! Scalars of zero and one are taken apart first ([`Split`]): a witness is mostly bits. The ones are summed
//! ([`sum_of_ones`]); the rest goes through Pippenger's method ([`multiply`]). The additions are batched affine ones over blst's
//! field arithmetic, which is less work than the projective ones of blst's own tiles.

mod buckets;
mod digits;
mod split;

use group::Group;
use rayon::prelude::*;

pub(crate) use self::digits::{SignedScalar, windows};
pub use self::split::Split;

use self::buckets::{Reducer, Terms, window_sum};
use crate::curve::Affine;

/// So many points are summed at a time by [`sum_of_ones`].
const CHUNK: usize = 8192;

/// Below so many terms a part is not worth its own buckets.
const PART_MIN: usize = 1 << 13;

/// Where a multiplication runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// On all threads of the current pool.
    Pool,
    /// On the calling thread alone.
    One,
}

/// The sum over the non-trivial scalars, with windows of `bits`.
///
/// # Panics
/// When there is not one base for each scalar, or `bits` is outside [`crate::windows::RANGE`].
pub fn multiply<A: Affine>(bases: &[A], split: &Split, bits: u32, threads: Threads) -> A::Projective {
    assert_eq!(bases.len(), split.len(), "one base for each scalar");
    assert!(crate::windows::RANGE.contains(&bits), "a window of {bits} bits");
    let windows = windows(bits);
    let parts = match threads {
        Threads::One => 1,
        // Four tasks a thread even out their lengths.
        Threads::Pool => {
            let wanted = (4 * rayon::current_num_threads()).div_ceil(windows as usize);
            wanted.clamp(1, (split.nontrivial() / PART_MIN).max(1))
        }
    };
    let tasks: Vec<(u32, Terms<'_>)> =
        (0..windows).flat_map(|window| split.parts(parts).map(move |terms| (window, terms))).collect();
    let run = |(window, terms): &(u32, Terms<'_>)| (*window, window_sum(bases, *terms, bits, *window));
    let sums: Vec<(u32, A::Projective)> = match threads {
        Threads::One => tasks.iter().map(run).collect(),
        Threads::Pool => tasks.par_iter().with_max_len(1).map(run).collect(),
    };
    combine(&sums, bits, windows)
}

/// Σ 2^(bits·window)·sum by Horner's rule.
fn combine<P: Group>(sums: &[(u32, P)], bits: u32, windows: u32) -> P {
    let mut total = P::identity();
    let mut rest = sums;
    for window in (0..windows).rev() {
        (0..bits).for_each(|_| total = total.double());
        while let Some(((_, sum), before)) = rest.split_last().filter(|((at, _), _)| *at == window) {
            total += sum;
            rest = before;
        }
    }
    total
}

/// The sum of the bases whose scalar is one.
///
/// # Panics
/// When there is not one base for each scalar.
pub fn sum_of_ones<A: Affine>(bases: &[A], split: &Split) -> A::Projective {
    assert_eq!(bases.len(), split.len(), "one base for each scalar");
    split
        .ones
        .par_chunks(CHUNK)
        .map_init(Reducer::new, |reducer, chunk| {
            reducer.sum(chunk.iter().map(|&index| bases[index as usize])).to_curve()
        })
        .reduce(A::Projective::identity, |sum, part| sum + part)
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine, Scalar};
    use ff::Field;
    use group::Curve;

    use super::*;
    use crate::windows::RANGE;

    /// Σ scalar·base by the curve library's double-and-add.
    fn naive<A: Affine>(bases: &[A], scalars: &[Scalar]) -> A::Projective {
        bases.iter().zip(scalars).map(|(base, scalar)| *base * *scalar).sum()
    }

    fn ours<A: Affine>(bases: &[A], scalars: &[Scalar], bits: u32, threads: Threads) -> A::Projective {
        let split = Split::new(scalars);
        multiply(bases, &split, bits, threads) + sum_of_ones(bases, &split)
    }

    fn random_bases<A: Affine>(count: usize) -> Vec<A> {
        let mut stream = crate::seeds::stream(b"test of msm.....", 1, 0);
        (0..count).map(|_| (A::generator() * Scalar::random(&mut stream)).to_affine()).collect()
    }

    fn random_scalars(count: usize) -> Vec<Scalar> {
        let mut stream = crate::seeds::stream(b"test of msm.....", 2, 0);
        (0..count).map(|_| Scalar::random(&mut stream)).collect()
    }

    /// Zero, one, minus one, equal and opposite points, infinity.
    fn special_cases<A: Affine>() {
        let mut bases: Vec<A> = random_bases(24);
        let mut scalars = random_scalars(24);
        scalars[..6].copy_from_slice(&[0, 1, 1, 2, 1, 0].map(Scalar::from));
        scalars[6..9].fill(-Scalar::ONE);
        bases[10] = bases[9];
        scalars[10] = scalars[9];
        bases[11] = -bases[9];
        scalars[11] = scalars[9];
        bases[12] = bases[9];
        scalars[12] = -scalars[9];
        bases[13] = A::identity();
        bases[2] = A::identity();
        bases[4] = bases[1];
        let expected = naive(&bases, &scalars);
        for bits in RANGE {
            for threads in [Threads::Pool, Threads::One] {
                assert_eq!(ours(&bases, &scalars, bits, threads), expected, "window {bits}");
            }
        }
    }

    #[test]
    fn special_cases_in_g1() {
        special_cases::<G1Affine>();
    }

    #[test]
    fn special_cases_in_g2() {
        special_cases::<G2Affine>();
    }

    #[test]
    fn nothing_sums_to_infinity() {
        assert_eq!(ours::<G1Affine>(&[], &[], 4, Threads::Pool), naive::<G1Affine>(&[], &[]));
        let zeros = [Scalar::ZERO; 3];
        assert_eq!(ours(&random_bases::<G2Affine>(3), &zeros, 4, Threads::One), naive::<G2Affine>(&[], &[]));
    }

    /// Buckets that reach over several blocks, and terms in several parts.
    #[test]
    fn many_terms_in_few_buckets() {
        let few: Vec<G1Affine> = random_bases(50);
        let count = 3 * PART_MIN + 17;
        let bases: Vec<G1Affine> = few.iter().copied().cycle().take(count).collect();
        let scalars: Vec<Scalar> = (0..count as u64).map(|i| Scalar::from(i % 7)).collect();
        let mut totals = vec![Scalar::ZERO; few.len()];
        scalars.iter().enumerate().for_each(|(i, scalar)| totals[i % few.len()] += scalar);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        for bits in [2, 3, 16] {
            let sum = pool.install(|| ours(&bases, &scalars, bits, Threads::Pool));
            assert_eq!(sum, naive(&few, &totals), "window {bits}");
        }
    }

    #[test]
    fn counts_are_told() {
        let scalars = [0, 1, 0, 5, 1, 1].map(Scalar::from);
        let split = Split::new(&scalars);
        assert_eq!((split.len(), split.zeros(), split.ones(), split.nontrivial()), (6, 2, 3, 1));
    }
}
