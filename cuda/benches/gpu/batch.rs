//! A reference string of known multiples, and circuits that fit it.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::{Bases, Circuit, Sums};
use group::{Curve, Group};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

/// Point number i of every query is (i + 1) times the generator.
pub(crate) struct Points {
    g1: Vec<G1Affine>,
    g2: Vec<G2Affine>,
    sizes: Sizes,
}

/// Points of each query.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) constraints: usize,
    pub(crate) aux: usize,
    pub(crate) a: usize,
    pub(crate) b: usize,
}

impl Sizes {
    /// In the proportions of `mixed:30,500`, whose L, A and B have 997,166, 932,668 and 397,589 points.
    pub(crate) fn of(constraints: usize) -> Self {
        let share = |percent: usize| (constraints * percent / 100).max(1);
        Self { constraints, aux: share(95), a: share(89), b: share(38) }
    }
}

impl Points {
    pub(crate) fn new(sizes: Sizes) -> Self {
        let domain = sizes.constraints.next_power_of_two();
        Self {
            g1: multiples(domain.max(sizes.aux), G1Projective::generator(), |points, affine| {
                G1Projective::batch_normalize(points, affine);
            }),
            g2: multiples(sizes.b, G2Projective::generator(), |points, affine| {
                G2Projective::batch_normalize(points, affine);
            }),
            sizes,
        }
    }

    pub(crate) fn bases(&self) -> Bases<'_> {
        let domain = self.sizes.constraints.next_power_of_two();
        Bases {
            h: &self.g1[..domain - 1],
            l: &self.g1[..self.sizes.aux],
            a: &self.g1[..self.sizes.a],
            b_g1: &self.g1[..self.sizes.b],
            b_g2: &self.g2,
        }
    }
}

/// base, 2·base, 3·base, …, on all threads.
fn multiples<P, A>(count: usize, base: P, normalize: impl Fn(&[P], &mut [A]) + Sync) -> Vec<A>
where
    P: Group<Scalar = Scalar> + Curve<AffineRepr = A>,
    A: Copy + Send + Default,
{
    let mut all = vec![A::default(); count];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = count.div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (at, chunk) in all.chunks_mut(each).enumerate() {
            let normalize = &normalize;
            scope.spawn(move || {
                let mut next = base * Scalar::from((at * each) as u64 + 1);
                let points: Vec<P> = chunk
                    .iter()
                    .map(|_| {
                        let point = next;
                        next += base;
                        point
                    })
                    .collect();
                normalize(&points, chunk);
            });
        }
    });
    all
}

/// What a circuit's assignment holds.
pub(crate) struct Assignment {
    a: Vec<Scalar>,
    b: Vec<Scalar>,
    c: Vec<Scalar>,
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    a_aux: Vec<u64>,
    b_aux: Vec<u64>,
}

impl Assignment {
    pub(crate) fn random(sizes: Sizes, seed: u64) -> Self {
        let mut stream = ChaCha20Rng::seed_from_u64(seed);
        let mut scalars = |count: usize| -> Vec<Scalar> {
            (0..count)
                .map(|_| match stream.next_u32() % 15 {
                    0..3 => Scalar::random(&mut stream),
                    3..8 => Scalar::ONE,
                    _ => Scalar::ZERO,
                })
                .collect()
        };
        let (inputs, aux) = (vec![Scalar::ONE; 1], scalars(sizes.aux));
        let (a, b) = (scalars(sizes.constraints), scalars(sizes.constraints));
        let c = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        // The one input is in A; of the auxiliary variables the first ones that are needed are.
        let a_aux = set(sizes.aux, sizes.a - 1);
        let b_aux = set(sizes.aux, sizes.b);
        Self { a, b, c, inputs, aux, a_aux, b_aux }
    }

    pub(crate) fn circuit(&self) -> Circuit<'_> {
        Circuit {
            a: &self.a,
            b: &self.b,
            c: &self.c,
            inputs: &self.inputs,
            aux: &self.aux,
            a_aux: &self.a_aux,
            b_inputs: &[0],
            b_aux: &self.b_aux,
        }
    }

    /// Whether every sum is what the multiples of the generator say; H, whose scalars are not known here, is not looked at.
    pub(crate) fn agrees(&self, sums: &Sums, sizes: Sizes) -> bool {
        let exponent = |scalars: &mut dyn Iterator<Item = &Scalar>| -> Scalar {
            (1_u64..).zip(scalars).filter(|(_, s)| **s != Scalar::ZERO).map(|(i, s)| Scalar::from(i) * s).sum()
        };
        let l = exponent(&mut self.aux.iter());
        let a = exponent(&mut self.inputs.iter().chain(&self.aux[..sizes.a - 1]));
        let b = exponent(&mut self.aux[..sizes.b].iter());
        let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
        (sums.l, sums.a, sums.b_g1, sums.b_g2) == (g1 * l, g1 * a, g1 * b, g2 * b) && sums.unsatisfied.is_none()
    }
}

/// The first `count` of `len` variables.
fn set(len: usize, count: usize) -> Vec<u64> {
    let mut words = vec![0_u64; len.div_ceil(64)];
    (0..count).for_each(|index| words[index / 64] |= 1 << (index % 64));
    words
}
