//! The CPU's part of the archive, against the curve library; and what it says without a GPU.
#![cfg(feature = "native")]

use std::num::NonZeroU64;

use blstrs::{G2Affine, G2Projective, Scalar};
use ff::{Field, PrimeField};
use groth16_cuda::{
    Bases, Error, PageChange, PerMsm, Phase, Placement, Srs, b_g2, device, device_count, page_events, page_ranges,
    select, split, stamp, vanishing_inverse, windows,
};
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

/// Many scalars, so that rows are cut into parts and additions are done together; 97 points, so that the sum is known.
#[test]
fn b_g2_over_several_parts_of_a_row() {
    let few = random_points(97, 13);
    let count = 3 * 4096 + 5;
    let bases: Vec<G2Affine> = few.iter().copied().cycle().take(count).collect();
    let mut stream = stream(14);
    let scalars: Vec<Scalar> = (0..count).map(|_| Scalar::random(&mut stream)).collect();
    let totals: Vec<Scalar> = (0..few.len()).map(|at| scalars[at..].iter().step_by(few.len()).sum()).collect();
    for threads in [1, 2, 8] {
        let (sums, _) = b_g2(&bases, &[&scalars], threads).unwrap();
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
fn selecting_agrees_with_a_plain_loop() {
    for count in [0_usize, 1, 63, 64, 65, 40_000, 100_000] {
        let mut stream = stream(12);
        let chosen: Vec<bool> = (0..count).map(|_| stream.next_u32().is_multiple_of(3)).collect();
        let mut set = vec![0_u64; count.div_ceil(64)];
        chosen.iter().enumerate().for_each(|(index, &bit)| set[index / 64] |= u64::from(bit) << (index % 64));
        let expected: Vec<u32> = (0..).zip(&chosen).filter_map(|(index, &bit)| bit.then_some(index)).collect();
        for threads in [1, 2, 8] {
            assert_eq!(select(&set, count, threads).unwrap(), expected, "{count} variables, {threads} threads");
        }
    }
    let error = select(&[1 << 10], 10, 1).unwrap_err();
    assert_eq!(error, Error::BadArgument("the set given is not one of 10 variables".to_owned()));
}

fn all(count: u64) -> PerMsm<u64> {
    PerMsm { h: count, l: count, a: count, b_g1: count, b_g2: count }
}

fn list(windows: &PerMsm<u32>) -> [u32; 5] {
    [windows.h, windows.l, windows.a, windows.b_g1, windows.b_g2]
}

#[test]
fn windows_follow_the_toggle() {
    let points = PerMsm { h: (1 << 20) - 1, l: 997_166, a: 932_668, b_g1: 397_589, b_g2: 397_589 };
    let nontrivial = PerMsm { h: (1 << 22) - 1, l: 400_000, a: 200_000, b_g1: 10, b_g2: 10 };
    let found = windows(&points, &nontrivial, None).unwrap();
    if cfg!(feature = "msm-windows") {
        assert_eq!((found.b_g1, found.b_g2), (10, 10));
        assert!(found.h > found.l && found.l > found.a && found.a > found.b_g1, "{found:?}");
    } else {
        // The average of H, L, A and B in G1.
        assert_eq!(list(&found), [library((1_048_575 + 997_166 + 932_668 + 397_589) / 4); 5]);
    }
    let edges = [0, 1, 349_525, 349_526, 699_050, 699_051, 1 << 26, 1 << 40];
    for count in edges {
        let found = list(&windows(&all(count), &all(count), None).unwrap());
        assert!(found.iter().all(|window| (10..=18).contains(window)));
        if !cfg!(feature = "msm-windows") {
            assert_eq!(found, [library(count); 5], "{count} points");
        }
    }
}

#[test]
fn a_forced_window_wins() {
    let counts = PerMsm { h: 1 << 20, l: 5, a: 0, b_g1: 7, b_g2: 7 };
    for window in 10..=18 {
        assert_eq!(list(&windows(&counts, &counts, Some(window)).unwrap()), [window; 5]);
    }
    for window in [0, 1, 9, 19, u32::MAX] {
        let error = windows(&counts, &counts, Some(window)).unwrap_err();
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
fn page_ranges_are_within_and_do_not_overlap() {
    type Ranges = &'static [(usize, usize)];
    let cases: [(Ranges, Ranges); 7] = [
        (&[], &[]),
        (&[(0x1000, 0)], &[]),
        (&[(0x1010, 0x10), (0x1ff0, 0x1000)], &[]),
        (&[(0x3000, 0x1fff), (0x1000, 0x1000)], &[(0x1000, 0x1000), (0x3000, 0x1000)]),
        (&[(0x1010, 0x3000), (0x4010, 0x3000)], &[(0x2000, 0x2000), (0x5000, 0x2000)]),
        (&[(0x1000, 0x1800), (0x2000, 0x1000)], &[(0x1000, 0x2000)]),
        (&[(0x1000, 0x5000), (0x2000, 0x1000), (0x6000, 0x1000)], &[(0x1000, 0x6000)]),
    ];
    for (ranges, expected) in cases {
        assert_eq!(page_ranges(ranges, 0x1000).unwrap(), expected, "{ranges:x?}");
    }
    assert!(matches!(page_ranges(&[(1, 1)], 0), Err(Error::BadArgument(_))));
}

/// Does to a list of locked units what one step says, page by page, and fails where CUDA would.
fn follow(units: &mut Vec<(usize, usize)>, change: PageChange, start: usize, bytes: usize) {
    match change {
        PageChange::Locked => {
            assert!(bytes > 0);
            let free = |&(from, len): &(usize, usize)| from + len <= start || start + bytes <= from;
            assert!(units.iter().all(free), "{start} + {bytes} is locked in part: {units:?}");
            units.push((start, bytes));
        }
        PageChange::Unlocked => {
            let at = units.iter().position(|&unit| unit == (start, bytes));
            units.swap_remove(at.expect("what is unlocked was locked as the same range"));
        }
        PageChange::Refused => {}
    }
}

/// Batches that hold overlapping pages in any order, whose lockings fail now and then, against lists of single pages.
#[test]
fn pages_are_locked_once_and_while_somebody_holds_them() {
    let mut stream = stream(21);
    for round in 0..400 {
        let mut below = |bound: u32| stream.next_u32() % bound;
        let ranges: Vec<(usize, usize)> =
            (0..=below(7)).map(|_| (below(24) as usize, 1 + below(12) as usize)).collect();
        let count = u32::try_from(ranges.len()).unwrap();
        let mut steps: Vec<u32> = (0..40).map(|_| below(count)).collect();
        let refused = NonZeroU64::new([0, 0, 1, 2, 3, 7][round % 6]);
        let events = page_events(&ranges, &steps, refused).unwrap();
        let (mut held, mut units) = (vec![false; ranges.len()], Vec::new());
        for (step, &range) in steps.iter().enumerate() {
            let now: Vec<_> = events.iter().filter(|event| event.step == step).collect();
            let failed = now.iter().any(|event| event.change == PageChange::Refused);
            let before: Vec<_> = units.clone();
            for event in &now {
                follow(&mut units, event.change, event.start, event.bytes);
            }
            let range = range as usize;
            assert!(!(failed && held[range]), "letting go locks nothing");
            held[range] = !held[range] && !failed;
            let is_held = |page: usize| {
                ranges.iter().zip(&held).any(|(&(from, len), &held)| held && (from..from + len).contains(&page))
            };
            let is_locked = |page: usize| units.iter().any(|&(from, len)| (from..from + len).contains(&page));
            assert!((0..40).all(|page| !is_held(page) || is_locked(page)), "round {round}, step {step}");
            for &(from, len) in &units {
                assert!((from..from + len).any(is_held), "round {round}, step {step}: nobody holds {from} + {len}");
            }
            if failed {
                let sorted = |mut units: Vec<(usize, usize)>| {
                    units.sort_unstable();
                    units
                };
                assert_eq!(
                    sorted(before),
                    sorted(units.clone()),
                    "round {round}, step {step}: a failure changes nothing"
                );
            }
        }
        // Everybody lets go.
        steps.extend((0..count).filter(|&range| held[range as usize]));
        let events = page_events(&ranges, &steps, refused).unwrap();
        let number = |change| events.iter().filter(|event| event.change == change).count();
        assert_eq!(number(PageChange::Locked), number(PageChange::Unlocked), "round {round}");
    }
    let error = page_events(&[(0, 1)], &[0, 1], None).unwrap_err();
    assert!(matches!(&error, Error::BadArgument(text) if text.contains("step 1")), "{error}");
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
    let none = Srs::new(&bases, &Placement::default()).unwrap_err();
    for error in [device(0).unwrap_err(), device_count().unwrap_err(), none] {
        assert!(matches!(error, Error::NoDevice(_)), "{error}");
        assert!(error.to_string().starts_with("no CUDA device can be used: "), "{error}");
    }
}

#[test]
fn a_placement_without_gpus_or_with_one_twice_is_refused() {
    let bases = Bases { h: &[], l: &[], a: &[], b_g1: &[], b_g2: &[] };
    for (devices, expected) in [(vec![], "0 GPUs: give 1 to 64"), (vec![2, 0, 2], "GPU 2 is given twice")] {
        let placement = Placement { devices, resident_bytes: None };
        assert_eq!(Srs::new(&bases, &placement).unwrap_err(), Error::BadArgument(expected.to_owned()));
    }
}
