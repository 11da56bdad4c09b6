//! The prover's kernels alone: `cargo bench -p groth16-prover --bench kernels -- FILTER`.
//!
//! `window` measures every window at several sizes on one thread: the source of the tables in `windows.rs`.

use std::hint::black_box;

use blstrs::{G1Affine, G1Projective, G2Affine, Scalar};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ff::Field;
use groth16_prover::curve::Affine;
use groth16_prover::domain::Domain;
use groth16_prover::fixed_base::Table;
use groth16_prover::msm::{Split, Threads, multiply, sum_of_ones};
use groth16_prover::quotient::quotient;
use groth16_prover::windows;
use group::prime::PrimeCurveAffine;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn random_scalars(count: usize) -> Vec<Scalar> {
    let mut stream = ChaCha20Rng::seed_from_u64(1);
    (0..count).map(|_| Scalar::random(&mut stream)).collect()
}

fn random_bases<A: Affine>(count: usize) -> Vec<A> {
    Table::new(A::generator(), count).multiply(&random_scalars(count))
}

fn elements(count: usize) -> Throughput {
    Throughput::Elements(count as u64)
}

fn msm(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("msm");
    group.sample_size(10);
    for log_size in [12, 16] {
        let count = 1 << log_size;
        let (g1, g2): (Vec<G1Affine>, Vec<G2Affine>) = (random_bases(count), random_bases(count));
        let scalars = random_scalars(count);
        let split = Split::new(&scalars);
        let window = windows::library(count);
        group.throughput(elements(count));
        group.bench_function(BenchmarkId::new("g1", log_size), |bencher| {
            bencher.iter(|| multiply(&g1, &split, window, Threads::Pool));
        });
        group.bench_function(BenchmarkId::new("g2", log_size), |bencher| {
            bencher.iter(|| multiply(&g2, &split, window, Threads::Pool));
        });
        // What blst makes of the same, for comparison.
        let projective: Vec<G1Projective> = g1.iter().map(PrimeCurveAffine::to_curve).collect();
        group.bench_function(BenchmarkId::new("blst_g1", log_size), |bencher| {
            bencher.iter(|| G1Projective::multi_exp(&projective, &scalars));
        });
        let ones = Split::new(&vec![Scalar::ONE; count]);
        group.bench_function(BenchmarkId::new("ones_g1", log_size), |bencher| {
            bencher.iter(|| sum_of_ones(&g1, &ones));
        });
    }
}

fn window(criterion: &mut Criterion) {
    fn sweep<A: Affine>(criterion: &mut Criterion, name: &str) {
        let mut group = criterion.benchmark_group(format!("window/{name}"));
        group.sample_size(10);
        for log_size in [6, 8, 10, 12, 14, 16, 18] {
            let bases: Vec<A> = random_bases(1 << log_size);
            let split = Split::new(&random_scalars(1 << log_size));
            for window in windows::RANGE.filter(|window| (log_size..=log_size + 6).contains(&(window + 4))) {
                group.bench_function(BenchmarkId::new(log_size.to_string(), window), |bencher| {
                    bencher.iter(|| multiply(&bases, &split, window, Threads::One));
                });
            }
        }
    }
    sweep::<G1Affine>(criterion, "g1");
    sweep::<G2Affine>(criterion, "g2");
}

fn transforms(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ntt");
    group.sample_size(10);
    for log_size in [14, 18] {
        let count = 1 << log_size;
        let (a, b) = (random_scalars(count), random_scalars(count));
        let c: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        let domain = Domain::of(count).expect("a small domain");
        group.throughput(elements(count));
        let mut values = a.clone();
        group.bench_function(BenchmarkId::new("interpolate", log_size), |bencher| {
            bencher.iter(|| domain.interpolate(black_box(&mut values)));
        });
        group.bench_function(BenchmarkId::new("evaluate", log_size), |bencher| {
            bencher.iter(|| domain.evaluate(black_box(&mut values)));
        });
        group.bench_function(BenchmarkId::new("quotient", log_size), |bencher| {
            bencher.iter(|| quotient(&mut a.clone(), b.clone(), &mut c.clone()));
        });
    }
}

fn fixed_base(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fixed_base");
    group.sample_size(10);
    let count = 1 << 14;
    let scalars = random_scalars(count);
    group.throughput(elements(count));
    for window in 12..=16 {
        let g1 = Table::with_window(G1Affine::generator(), window);
        group.bench_function(BenchmarkId::new("g1", window), |bencher| bencher.iter(|| g1.multiply(&scalars)));
        let g2 = Table::with_window(G2Affine::generator(), window);
        group.bench_function(BenchmarkId::new("g2", window), |bencher| bencher.iter(|| g2.multiply(&scalars)));
    }
}

criterion_group!(kernels, msm, window, transforms, fixed_base);
criterion_main!(kernels);
