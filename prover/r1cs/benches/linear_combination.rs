//! Building and evaluating combinations of the sizes that circuits have: mostly one to three terms, 32 in a sum of bits, 929
//! in the longest one of Filecoin's `PoRep`. Run with and without feature `smallvec`.

use std::hint::black_box;

use bellpepper_core::{Index, LinearCombination, Variable};
use blstrs::Scalar;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ff::Field;

const SIZES: [usize; 5] = [1, 2, 3, 32, 929];

fn aux(number: usize) -> Variable {
    Variable(Index::Aux(number))
}

/// The first `terms` private variables times powers of two, in this order.
fn ascending(terms: usize) -> LinearCombination<Scalar> {
    let powers = std::iter::successors(Some(Scalar::ONE), |power| Some(power.double()));
    powers.take(terms).enumerate().fold(LinearCombination::zero(), |lc, (number, power)| lc + (power, aux(number)))
}

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("build");
    for terms in SIZES {
        group.bench_function(BenchmarkId::new("ascending", terms), |b| {
            b.iter(|| (0..black_box(terms)).fold(LinearCombination::<Scalar>::zero(), |lc, number| lc + aux(number)));
        });
        group.bench_function(BenchmarkId::new("interleaved", terms), |b| {
            let order = |place: usize| place % 2 * terms + place / 2;
            b.iter(|| (0..black_box(terms)).fold(LinearCombination::<Scalar>::zero(), |lc, n| lc - aux(order(n))));
        });
    }
    group.finish();
}

fn add(c: &mut Criterion) {
    let mut group = c.benchmark_group("add");
    for terms in SIZES {
        let lc = ascending(terms);
        group.bench_function(BenchmarkId::new("to nothing", terms), |b| {
            b.iter(|| LinearCombination::zero() + black_box(&lc));
        });
        group.bench_function(BenchmarkId::new("to itself", terms), |b| {
            b.iter_batched(
                || lc.clone(),
                |sum| sum + (Scalar::from(3), black_box(&lc)),
                criterion::BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn eval(c: &mut Criterion) {
    let mut group = c.benchmark_group("eval");
    let values: Vec<Scalar> = (0..929).map(Scalar::from).collect();
    for terms in SIZES {
        let powers = ascending(terms);
        let ones = (0..terms).fold(LinearCombination::zero(), |lc, number| lc - aux(number));
        group.bench_function(BenchmarkId::new("powers", terms), |b| b.iter(|| black_box(&powers).eval(&[], &values)));
        group.bench_function(BenchmarkId::new("minus ones", terms), |b| b.iter(|| black_box(&ones).eval(&[], &values)));
    }
    group.finish();
}

criterion_group!(benches, build, add, eval);
criterion_main!(benches);
