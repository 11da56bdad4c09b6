//! The CPU's part of the archive, against the curve library; and what it says without a GPU.
#![cfg(feature = "native")]

use blstrs::{G2Affine, G2Projective, Scalar};
use ff::{Field, PrimeField};
use groth16_cuda::{Bases, Error, Phase, Srs, b_g2, device, page_ranges, split, stamp, vanishing_inverse, windows};
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

fn stream(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

fn random_points(count: usize, seed: u64) -> Vec<G2Affine> {
    let mut stream = stream(seed);
    (0..count).map(|_| (G2Projective::generator() * Scalar::random(&mut stream)).to_affine()).collect()
}

/// A witness as circuits have it: a third zeros, a third ones, the rest anything.
fn witness(count: usize, seed: u64) -> Vec<Scalar> {
    let mut stream = stream(seed);
    (0..count)
        .map(|_| match stream.next_u32() % 3 {
            0 => Scalar::ZERO,
            1 => Scalar::ONE,
            _ => Scalar::random(&mut stream),
        })
        .collect()
}

/// Σ scalar·base by double-and-add.
fn naive(bases: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
    bases.iter().zip(scalars).map(|(base, scalar)| base * scalar).sum()
}

/// The archive's sums of a batch, with 1, 2 and 8 threads, are those of double-and-add.
fn sums_are_right(bases: &[G2Affine], batch: &[Vec<Scalar>]) {
    let expected: Vec<G2Projective> = batch.iter().map(|scalars| naive(bases, scalars)).collect();
    let lists: Vec<&[Scalar]> = batch.iter().map(Vec::as_slice).collect();
    for threads in [1, 2, 8] {
        let (sums, spans) = b_g2(bases, &lists, threads).unwrap();
        assert_eq!(sums, expected, "{} points, {} circuits, {threads} threads", bases.len(), batch.len());
        for phase in [Phase::MsmBG2, Phase::BatchAdd] {
            let mut circuits: Vec<_> =
                spans.iter().filter(|span| span.phase == phase).map(|span| span.circuit).collect();
            circuits.sort_unstable();
            assert_eq!(circuits, (0..u32::try_from(batch.len()).unwrap()).map(Some).collect::<Vec<_>>());
        }
    }
}

#[test]
fn b_g2_of_random_batches() {
    for (count, circuits) in [(2, 1), (31, 2), (32, 3), (200, 1), (1500, 3)] {
        let bases = random_points(count, 1);
        let batch: Vec<_> = (0..circuits).map(|circuit| witness(count, 10 + circuit)).collect();
        sums_are_right(&bases, &batch);
    }
}

#[test]
fn b_g2_where_no_scalar_is_trivial() {
    let bases = random_points(700, 2);
    let mut stream = stream(3);
    sums_are_right(&bases, &[(0..700).map(|_| Scalar::random(&mut stream)).collect()]);
}

#[test]
fn b_g2_over_several_chunks_of_ones() {
    let few = random_points(3, 4);
    let count = 3 * 4096 + 5;
    let bases: Vec<G2Affine> = few.iter().copied().cycle().take(count).collect();
    let totals: Vec<Scalar> = (0..3).map(|at| Scalar::from(bases[at..].iter().step_by(3).count() as u64)).collect();
    for threads in [1, 2, 8] {
        let (sums, _) = b_g2(&bases, &[&vec![Scalar::ONE; count]], threads).unwrap();
        assert_eq!(sums, [naive(&few, &totals)]);
    }
}

#[test]
fn b_g2_of_nothing() {
    let infinity = G2Projective::identity();
    for threads in [1, 2, 8] {
        assert_eq!(b_g2(&[], &[], threads).unwrap().0, []);
        assert_eq!(b_g2(&[], &[&[], &[]], threads).unwrap().0, [infinity; 2]);
        assert_eq!(b_g2(&random_points(40, 5), &[&[Scalar::ZERO; 40]], threads).unwrap().0, [infinity]);
    }
}

#[test]
fn b_g2_of_one_point() {
    let bases = random_points(1, 6);
    for scalar in [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(2), Scalar::random(stream(7))] {
        sums_are_right(&bases, &[vec![scalar]]);
    }
}

/// Infinity, equal and opposite points, equal scalars and minus one, few and many.
#[test]
fn b_g2_of_special_points() {
    for count in [12, 64] {
        let mut bases = random_points(count, 8);
        let mut stream = stream(9);
        let mut scalars: Vec<Scalar> = (0..count).map(|_| Scalar::random(&mut stream)).collect();
        bases[0] = G2Affine::identity();
        (bases[1], scalars[1]) = (G2Affine::identity(), Scalar::ONE);
        (bases[3], scalars[3]) = (bases[2], scalars[2]);
        (bases[4], scalars[4]) = (-bases[2], scalars[2]);
        (bases[5], scalars[5]) = (bases[2], -scalars[2]);
        (bases[6], scalars[6]) = (bases[2], -Scalar::ONE);
        (bases[7], scalars[7]) = (bases[2], Scalar::ONE);
        (bases[8], scalars[8]) = (bases[2], Scalar::ONE);
        (bases[9], scalars[9]) = (-bases[2], Scalar::ONE);
        sums_are_right(&bases, &[scalars, vec![Scalar::ONE; count], vec![-Scalar::ONE; count]]);
        sums_are_right(&vec![bases[2]; count], &[vec![Scalar::from(5); count]]);
        sums_are_right(&vec![G2Affine::identity(); count], &[vec![Scalar::from(5); count]]);
    }
}

#[test]
fn b_g2_refuses_lists_of_another_length_and_thread_counts_out_of_range() {
    let bases = random_points(2, 1);
    let error = b_g2(&bases, &[&[Scalar::ONE; 2], &[Scalar::ONE]], 1).unwrap_err();
    assert_eq!(error, Error::BadArgument("circuit 1 has 1 scalars for a query of 2 points".to_owned()));
    for threads in [0, 1025, usize::MAX] {
        let error = b_g2(&bases, &[&[Scalar::ONE; 2]], threads).unwrap_err();
        assert!(matches!(&error, Error::BadArgument(text) if text.contains("CPU threads")), "{error}");
    }
}

#[test]
fn splitting_agrees_with_a_plain_loop() {
    for count in [0, 1, 31, 32, 1023, 1024, 1025, 40_000] {
        let scalars = witness(count, 11);
        for threads in [1, 2, 8] {
            let found = split(&scalars, threads).unwrap();
            let words = count.div_ceil(1024) * 32;
            let mut ones = vec![0; words];
            let mut rest = Vec::new();
            for (index, scalar) in scalars.iter().enumerate() {
                if *scalar == Scalar::ONE {
                    ones[index / 32] |= 1_u32 << (index % 32);
                } else if *scalar != Scalar::ZERO {
                    rest.push(u32::try_from(index).unwrap());
                }
            }
            assert_eq!((found.ones, found.rest), (ones, rest), "{count} scalars, {threads} threads");
        }
    }
}

/// sppark's rule, log2 of one and a half times the count, less eight: the largest window from 10 to 18 that it reaches.
fn library(count: u64) -> u32 {
    (10..=18).rev().find(|window| count + count / 2 >= 1 << (window + 8)).unwrap_or(10)
}

#[test]
fn windows_follow_the_toggle() {
    let batch = [[(1 << 20) - 1, 400_000, 200_000, 10], [(1 << 20) - 1, 0, 0, 0]];
    let found = windows(&batch, None).unwrap();
    if cfg!(feature = "msm-windows") {
        assert_eq!(found[0][3], 10);
        assert!(found[0][0] > found[0][2] && found[0][2] > found[0][3], "{found:?}");
        assert_eq!(found[0][0], found[1][0]);
    } else {
        let average = batch.iter().flatten().sum::<u64>() / 8;
        assert_eq!(found, [[library(average); 4]; 2]);
    }
    let edges = [0, 1, 349_525, 349_526, 699_050, 699_051, 1 << 26, 1 << 40];
    for count in edges {
        let found = windows(&[[count; 4]], None).unwrap()[0];
        assert!(found.iter().all(|window| (10..=18).contains(window)));
        if !cfg!(feature = "msm-windows") {
            assert_eq!(found, [library(count); 4], "{count} scalars");
        }
    }
    assert_eq!(windows(&[], None).unwrap(), Vec::<[u32; 4]>::new());
}

#[test]
fn a_forced_window_wins() {
    for window in 10..=18 {
        assert_eq!(windows(&[[5, 1 << 20, 0, 7]], Some(window)).unwrap(), [[window; 4]]);
    }
    for window in [0, 1, 9, 19, u32::MAX] {
        let error = windows(&[], Some(window)).unwrap_err();
        assert!(matches!(&error, Error::BadArgument(text) if text.contains("choose one from 10 to 18")), "{error}");
    }
}

#[test]
fn the_cosets_vanishing_polynomial() {
    for lg in 0..=28 {
        let power = Scalar::MULTIPLICATIVE_GENERATOR.pow_vartime([1_u64 << lg]);
        assert_eq!(vanishing_inverse(lg).unwrap() * (power - Scalar::ONE), Scalar::ONE);
    }
    assert!(matches!(vanishing_inverse(29), Err(Error::BadArgument(_))));
}

#[test]
fn page_ranges_cover_and_do_not_overlap() {
    type Ranges = &'static [(usize, usize)];
    let cases: [(Ranges, Ranges); 6] = [
        (&[], &[]),
        (&[(5, 0)], &[]),
        (&[(0x1010, 0x10)], &[(0x1000, 0x1000)]),
        (&[(0x3ff0, 0x20), (0x1000, 0x1000)], &[(0x1000, 0x1000), (0x3000, 0x2000)]),
        (&[(0x1000, 0x1800), (0x2900, 0x100)], &[(0x1000, 0x2000)]),
        (&[(0x1000, 0x5000), (0x2000, 0x10), (0x6000, 1)], &[(0x1000, 0x6000)]),
    ];
    for (ranges, expected) in cases {
        assert_eq!(page_ranges(ranges, 0x1000).unwrap(), expected, "{ranges:x?}");
    }
    assert!(matches!(page_ranges(&[(1, 1)], 0), Err(Error::BadArgument(_))));
}

#[test]
fn the_stamp_is_a_digest() {
    assert_eq!(stamp().len(), 64);
    assert!(stamp().bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)));
}

/// Where there is no GPU, or where `CUDA_VISIBLE_DEVICES` hides it.
#[test]
fn without_a_gpu_there_is_an_error_that_says_so() {
    if device(0).is_ok() {
        eprintln!("there is a GPU here: nothing to see");
        return;
    }
    let bases = Bases { h: &[], l: &[], a: &[], b_g1: &[], b_g2: &[] };
    for error in [device(0).unwrap_err(), Srs::new(&bases, 0).unwrap_err()] {
        assert!(matches!(error, Error::NoDevice(_)), "{error}");
        assert!(error.to_string().starts_with("no CUDA device can be used: "), "{error}");
    }
}
