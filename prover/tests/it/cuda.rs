//! The archive's part against the prover's own. What needs a GPU runs by
//! `cargo test -p groth16-prover --features cuda -- --ignored cuda`.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use blstrs::{G1Affine, G2Affine, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::{Bases, Error, Srs};
use groth16_prover::generator::generate;
use groth16_prover::msm::{Split, Threads, multiply, sum_of_ones};
use groth16_prover::prove::cuda::{CudaProver, Placement};
use groth16_prover::prove::{Options, ProveError, Randomness, prove_batch};
use groth16_prover::quotient::QuotientError;
use groth16_prover::timeline::Phase;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

use crate::circuits::{PROVABLE, Random, Small, toxic};

fn first() -> Placement {
    Placement::default()
}

fn bases(count: usize) -> Vec<G2Affine> {
    let mut stream = ChaCha20Rng::seed_from_u64(1);
    let mut bases: Vec<_> =
        (0..count).map(|_| (G2Projective::generator() * Scalar::random(&mut stream)).to_affine()).collect();
    if let [first, .., last] = &mut bases[..] {
        (*first, *last) = (G2Affine::identity(), *first);
    }
    bases
}

fn witness(count: usize, seed: u64) -> Vec<Scalar> {
    let mut stream = ChaCha20Rng::seed_from_u64(seed);
    let mut scalar = || match stream.next_u32() % 4 {
        0 => Scalar::ZERO,
        1 => Scalar::ONE,
        2 => -Scalar::ONE,
        _ => Scalar::random(&mut stream),
    };
    (0..count).map(|_| scalar()).collect()
}

/// The prover's own sum.
fn own(bases: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
    let split = Split::new(scalars);
    multiply(bases, &split, 8, Threads::Pool) + sum_of_ones(bases, &split)
}

#[test]
fn b_g2_of_the_archive_is_the_provers_own() {
    for (count, circuits) in [(0, 2), (1, 1), (3, 2), (33, 1), (5_000, 3)] {
        let bases = bases(count);
        let batch: Vec<_> = (0..circuits).map(|circuit| witness(count, 5 + circuit)).collect();
        let expected: Vec<_> = batch.iter().map(|scalars| own(&bases, scalars)).collect();
        let lists: Vec<&[Scalar]> = batch.iter().map(Vec::as_slice).collect();
        for threads in [1, 2, 8] {
            let (sums, _) = groth16_cuda::b_g2(&bases, &lists, threads).unwrap();
            assert_eq!(sums, expected, "{count} points, {threads} threads");
        }
    }
}

/// Never a quiet run on the CPU.
#[test]
fn without_a_gpu_there_is_no_prover() {
    if groth16_cuda::device(0).is_ok() {
        eprintln!("there is a GPU here: nothing to see");
        return;
    }
    let parameters = generate(Small::OneConstraint, &toxic()).unwrap();
    assert!(matches!(CudaProver::new(&parameters, &first()), Err(Error::NoDevice(_))));
}

/// Written to by the test that takes all of the GPU's memory.
static GPU: RwLock<()> = RwLock::new(());

/// The GPU, beside other tests.
fn gpu() -> RwLockReadGuard<'static, ()> {
    GPU.read().unwrap_or_else(PoisonError::into_inner)
}

/// The same bytes as the CPU's, for domains from the smallest on and several circuits at once.
#[test]
#[ignore = "needs a GPU"]
fn proofs_on_the_gpu_are_the_cpus() {
    let _gpu = gpu();
    for constraints in [1, 2, 3, 5, 13, 60, 300, 1_000, 5_000, 70_000] {
        let circuit = Random { seed: 3, inputs: 2, constraints };
        let parameters = generate(circuit, &toxic()).unwrap();
        let mut prover = CudaProver::new(&parameters, &first()).unwrap();
        for count in [0, 1, 3] {
            let randomness: Vec<_> = (0..count as u64).map(|index| Randomness::from_seed(7, index)).collect();
            let cpu = prove_batch(vec![circuit; count], &parameters, &randomness, &Options::default()).unwrap();
            for window in [None, Some(10), Some(13)] {
                let options = Options { window, ..Options::default() };
                let gpu = prover.prove_batch(vec![circuit; count], &randomness, &options).unwrap();
                assert_eq!(gpu.bytes, cpu.bytes, "{constraints} constraints, {count} circuits, window {window:?}");
                for (gpu, cpu) in gpu.facts.iter().zip(&cpu.facts) {
                    assert_eq!(
                        (gpu.l.ones, gpu.a.nontrivial, gpu.b_g2.zeros),
                        (cpu.l.ones, cpu.a.nontrivial, cpu.b_g2.zeros)
                    );
                }
                let transforms = gpu.spans.iter().filter(|span| span.name == Phase::Ntt).count();
                assert_eq!(transforms, 2 * count, "copies and transforms");
                assert!(gpu.spans.iter().all(|span| u128::from(span.start_ns + span.ns) <= gpu.span.as_nanos()));
            }
        }
    }
}

/// Domains of one and two elements, and queries without points.
#[test]
#[ignore = "needs a GPU"]
fn the_smallest_circuits_are_proved_on_the_gpu() {
    let _gpu = gpu();
    let randomness: Vec<_> = (0..2).map(|index| Randomness::from_seed(7, index)).collect();
    for circuit in PROVABLE {
        let parameters = generate(circuit, &toxic()).unwrap();
        let cpu = prove_batch(vec![circuit; 2], &parameters, &randomness, &Options::default()).unwrap();
        let mut prover = CudaProver::new(&parameters, &first()).unwrap();
        let gpu = prover.prove_batch(vec![circuit; 2], &randomness, &Options::default()).unwrap();
        assert_eq!(gpu.bytes, cpu.bytes, "{circuit:?}");
    }
}

/// Of multiplications that are far smaller and larger than a window's buckets.
#[test]
#[ignore = "needs a GPU"]
fn every_window_of_the_gpu_gives_the_same_proof() {
    let _gpu = gpu();
    let randomness = [Randomness::from_seed(7, 0)];
    for constraints in [3, 20_000] {
        let circuit = Random { seed: 3, inputs: 2, constraints };
        let parameters = generate(circuit, &toxic()).unwrap();
        let cpu = prove_batch(vec![circuit], &parameters, &randomness, &Options::default()).unwrap();
        let mut prover = CudaProver::new(&parameters, &first()).unwrap();
        for window in groth16_cuda::WINDOWS {
            let options = Options { window: Some(window), ..Options::default() };
            let gpu = prover.prove_batch(vec![circuit], &randomness, &options).unwrap();
            assert_eq!(gpu.bytes, cpu.bytes, "{constraints} constraints, window {window}");
        }
    }
}

/// With all, some and none of the points in the GPU's memory. (Queries of several pieces are streamed by `cuda/benches/gpu.rs`: their
/// parameters take long to make.)
#[test]
#[ignore = "needs a GPU"]
fn streamed_points_give_the_same_proof() {
    let _gpu = gpu();
    let randomness: Vec<_> = (0..3).map(|index| Randomness::from_seed(7, index)).collect();
    for constraints in [3, 5_000, 70_000] {
        let circuit = Random { seed: 3, inputs: 2, constraints };
        let parameters = generate(circuit, &toxic()).unwrap();
        let cpu = prove_batch(vec![circuit; 3], &parameters, &randomness, &Options::default()).unwrap();
        let h = size_of_val(&parameters.h[..]) as u64;
        for (allowed, resident) in
            [(Some(0), 0), (Some(h), h), (None, CudaProver::new(&parameters, &first()).unwrap().resident_bytes())]
        {
            let placement = Placement { resident_bytes: allowed, ..first() };
            let mut prover = CudaProver::new(&parameters, &placement).unwrap();
            assert_eq!(prover.resident_bytes(), resident);
            let gpu = prover.prove_batch(vec![circuit; 3], &randomness, &Options::default()).unwrap();
            assert_eq!(gpu.bytes, cpu.bytes, "{constraints} constraints, {allowed:?} bytes allowed");
        }
    }
}

/// The batch is shared out, also where there are fewer circuits than GPUs.
#[test]
#[ignore = "needs a GPU, better two"]
fn all_gpus_together_give_the_same_proofs() {
    let _gpu = gpu();
    let devices: Vec<u32> = (0..groth16_cuda::device_count().unwrap()).collect();
    eprintln!("{} GPUs", devices.len());
    let circuit = Random { seed: 3, inputs: 2, constraints: 3_000 };
    let parameters = generate(circuit, &toxic()).unwrap();
    let mut prover = CudaProver::new(&parameters, &Placement { devices, ..first() }).unwrap();
    for count in [0, 1, 2, 7] {
        let randomness: Vec<_> = (0..count as u64).map(|index| Randomness::from_seed(7, index)).collect();
        let cpu = prove_batch(vec![circuit; count], &parameters, &randomness, &Options::default()).unwrap();
        let gpu = prover.prove_batch(vec![circuit; count], &randomness, &Options::default()).unwrap();
        assert_eq!(gpu.bytes, cpu.bytes, "{count} circuits");
    }
}

/// The same error as without a GPU, and the next call works.
#[test]
#[ignore = "needs a GPU"]
fn a_wrong_witness_is_found_on_the_gpu() {
    let _gpu = gpu();
    let (good, wrong) = (Small::OneConstraint, Small::Unsatisfied);
    let parameters = generate(good, &toxic()).unwrap();
    let mut prover = CudaProver::new(&parameters, &first()).unwrap();
    let randomness: Vec<_> = (0..2).map(|index| Randomness::from_seed(7, index)).collect();
    let error = prover.prove_batch(vec![good, wrong], &randomness, &Options::default()).unwrap_err();
    let expected = QuotientError::Unsatisfied { constraint: 0 };
    assert!(matches!(error, ProveError::Quotient { circuit: 1, source } if source == expected), "{error}");
    let cpu = prove_batch(vec![good; 2], &parameters, &randomness, &Options::default()).unwrap();
    assert_eq!(prover.prove_batch(vec![good; 2], &randomness, &Options::default()).unwrap().bytes, cpu.bytes);
}

/// From two threads at once, with a handle each.
#[test]
#[ignore = "needs a GPU"]
fn two_provers_share_a_gpu() {
    let _gpu = gpu();
    let circuit = Random { seed: 3, inputs: 2, constraints: 3_000 };
    let parameters = generate(circuit, &toxic()).unwrap();
    let randomness: Vec<_> = (0..3).map(|index| Randomness::from_seed(7, index)).collect();
    let cpu = prove_batch(vec![circuit; 3], &parameters, &randomness, &Options::default()).unwrap();
    let repeat = || {
        let mut prover = CudaProver::new(&parameters, &first()).unwrap();
        for _ in 0..10 {
            let gpu = prover.prove_batch(vec![circuit; 3], &randomness, &Options::default()).unwrap();
            assert_eq!(gpu.bytes, cpu.bytes);
        }
    };
    std::thread::scope(|scope| [scope.spawn(repeat), scope.spawn(repeat)].map(|thread| thread.join().unwrap()));
}

#[test]
#[ignore = "needs a GPU"]
fn bad_requests_to_the_gpu_leave_it_usable() {
    let _gpu = gpu();
    let circuit = Random { seed: 3, inputs: 2, constraints: 90 };
    let parameters = generate(circuit, &toxic()).unwrap();
    let mut prover = CudaProver::new(&parameters, &first()).unwrap();
    let randomness = [Randomness::from_seed(7, 0)];
    for window in [0, 9, 19] {
        let options = Options { window: Some(window), ..Options::default() };
        let error = prover.prove_batch(vec![circuit], &randomness, &options).unwrap_err();
        assert!(matches!(error, ProveError::Cuda(Error::BadArgument(_))), "{error}");
    }
    let other = Random { constraints: 400, ..circuit };
    let error = prover.prove_batch(vec![other], &randomness, &Options::default()).unwrap_err();
    assert!(matches!(error, ProveError::QuerySize { .. }), "{error}");
    let cpu = prove_batch(vec![circuit], &parameters, &randomness, &Options::default()).unwrap();
    assert_eq!(prover.prove_batch(vec![circuit], &randomness, &Options::default()).unwrap().bytes, cpu.bytes);
    assert!(matches!(
        CudaProver::new(&parameters, &Placement { devices: vec![1_000], ..first() }),
        Err(Error::NoDevice(_))
    ));
}

/// Takes the GPU's memory in ever smaller pieces, until no 3 MiB are left.
fn fill_gpu(points: &[G1Affine]) -> Vec<Srs<'_>> {
    let mut taken = Vec::new();
    let mut len = points.len();
    while len >= 1 << 15 {
        let placement = Placement { resident_bytes: Some(size_of_val(&points[..len]) as u64), ..first() };
        match Srs::new(&Bases { h: &points[..len], l: &[], a: &[], b_g1: &[], b_g2: &[] }, &placement) {
            Ok(srs) => taken.push(srs),
            Err(Error::OutOfMemory(_)) => len /= 2,
            Err(error) => panic!("{error}"),
        }
    }
    taken
}

/// Half a minute on a GPU with 141 GB. The large window takes 400 MB for its buckets.
#[test]
#[ignore = "needs a GPU, all of it"]
fn a_full_gpu_is_an_error_that_passes() {
    let _gpu = GPU.write().unwrap_or_else(PoisonError::into_inner);
    let circuit = Random { seed: 3, inputs: 2, constraints: 90 };
    let parameters = generate(circuit, &toxic()).unwrap();
    let randomness = [Randomness::from_seed(7, 0)];
    let cpu = prove_batch(vec![circuit], &parameters, &randomness, &Options::default()).unwrap();
    let mut prover = CudaProver::new(&parameters, &first()).unwrap();
    let mut prove = |window| {
        let options = Options { window: Some(window), ..Options::default() };
        prover.prove_batch(vec![circuit], &randomness, &options).map(|batch| batch.bytes)
    };
    assert_eq!(prove(10).unwrap(), cpu.bytes);

    let points = vec![G1Affine::generator(); 1 << 24];
    let taken = fill_gpu(&points);
    let error = prove(18).unwrap_err();
    assert!(matches!(error, ProveError::Cuda(Error::OutOfMemory(_))), "{error}");
    drop(taken);
    assert_eq!(prove(18).unwrap(), cpu.bytes);
}
