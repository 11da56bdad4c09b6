//! Proving: from circuits and parameters to proofs and the time that each part took.
//!
//! The parts follow the paper's section 3.2: synthesis, the quotient h, five multi-scalar multiplications a circuit, assembly.
//! Each is a phase; what belongs to a phase is timed in it, so that the phases of a batch fill its `span` but for crumbs.
//! Nothing here reads files or verifies.

mod assemble;
#[cfg(feature = "cuda")]
pub mod cuda;
pub(crate) mod queries;

use std::time::Duration;

use bellpepper_core::{Circuit, SynthesisError};
use blstrs::{G1Affine, G2Projective, Scalar};
use rayon::prelude::*;
use serde::Serialize;

use self::assemble::Sums;
use self::queries::Splits;
use crate::assignment::{CapacityHint, ProvingAssignment, synthesize};
use crate::msm::{Split, Threads, multiply, sum_of_ones};
use crate::params::Parameters;
use crate::proof::Proof;
use crate::quotient::{QuotientError, quotient};
use crate::timeline::{Phase, Span, Timeline};
use crate::toggles::Toggles;
use crate::windows::{self, PerMsm};

pub use crate::randomness::Randomness;

/// How to prove.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The window of all multiplications, instead of the build's choice.
    pub window: Option<u32>,
    /// How large an assignment is going to be; taken from the parameters when not given. Used with `presize` only.
    pub hint: Option<CapacityHint>,
    /// Which toggles are on; by default those of the build.
    pub toggles: Toggles,
}

impl Options {
    /// The capacity hint for synthesis: none without toggle A2.
    pub fn capacity(&self, parameters: &Parameters) -> Option<CapacityHint> {
        self.toggles.presize.then(|| self.hint.unwrap_or_else(|| parameters.into()))
    }
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The circuit could not be synthesized.
    #[error("synthesis failed")]
    Synthesis(#[from] SynthesisError),
    /// The witness is wrong, or the circuit too large.
    #[error("circuit {circuit} of the batch cannot be proved")]
    Quotient {
        /// Its place in the batch, from 0.
        circuit: usize,
        /// What is wrong.
        source: QuotientError,
    },
    /// The parameters were made for another circuit.
    #[error(
        "circuit {circuit} of the batch needs {needed} points in section {section} of the parameters, which has \
         {found}: make the parameters of this very circuit"
    )]
    QuerySize {
        /// Its place in the batch, from 0.
        circuit: usize,
        /// The section of the parameter file.
        section: &'static str,
        /// What the circuit needs.
        needed: usize,
        /// What the parameters have.
        found: usize,
    },
    /// Not one pair (r, s) for each circuit.
    #[error("{circuits} circuits but {given} pairs of r and s: give one for each circuit")]
    Randomness {
        /// How many circuits there are.
        circuits: usize,
        /// How many pairs were given.
        given: usize,
    },
    /// The window cannot be used.
    #[error(
        "a window of {0} bits cannot be used: choose one from {min} to {max}",
        min = windows::RANGE.start(), max = windows::RANGE.end()
    )]
    Window(u32),
    /// The GPU's part failed, or there is no GPU.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] groth16_cuda::Error),
}

/// What one multiplication was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MsmFacts {
    /// Points in the query.
    pub bases: usize,
    /// Scalars that are zero.
    pub zeros: usize,
    /// Scalars that are one.
    pub ones: usize,
    /// Scalars that are neither.
    pub nontrivial: usize,
    /// The window, in bits.
    pub window: u32,
}

/// What came of a batch.
#[derive(Debug)]
pub struct Batch {
    /// One proof for each circuit, in order.
    pub proofs: Vec<Proof>,
    /// The proofs' bytes.
    pub bytes: Vec<[u8; Proof::BYTES]>,
    /// Each circuit's public inputs, without the constant one: what a verifier needs.
    pub public_inputs: Vec<Vec<Scalar>>,
    /// The phases, by their start.
    pub spans: Vec<Span>,
    /// From the start of synthesis to the proofs' bytes.
    pub total: Duration,
    /// From the start of synthesis to the moment all of the iteration's memory is given back.
    pub span: Duration,
    /// What each circuit's multiplications were made of.
    pub facts: Vec<PerMsm<MsmFacts>>,
}

/// Proves a batch of circuits with the parameters of all of them.
pub fn prove_batch<C: Circuit<Scalar> + Send>(
    circuits: Vec<C>,
    parameters: &Parameters,
    randomness: &[Randomness],
    options: &Options,
) -> Result<Batch, ProveError> {
    check_request(circuits.len(), randomness.len(), options)?;
    let timeline = Timeline::start();
    let mut assignments = synthesize(circuits, options.capacity(parameters), &timeline)?;
    for (circuit, assignment) in assignments.iter().enumerate() {
        queries::check_sizes(circuit, assignment, parameters)?;
    }
    let splits = split_all(&mut assignments, &timeline)?;
    let windows = choose_windows(&splits, options);

    let b_g2 = sum_b_g2(&splits, &windows, parameters, options.toggles, &timeline);
    let mut proofs = Vec::with_capacity(splits.len());
    for (index, splits) in splits.iter().enumerate() {
        let sums = sum_g1(splits, &windows[index], parameters, &timeline, &b_g2[index]);
        proofs.push(timeline.record(Phase::Assemble, || sums.proof(&parameters.vk, &randomness[index])));
    }
    let bytes = timeline.record(Phase::Assemble, || proofs.iter().map(Proof::to_bytes).collect());
    let total = timeline.elapsed();

    let public_inputs = assignments.iter().map(|assignment| assignment.public_inputs().to_vec()).collect();
    let facts = splits.iter().zip(&windows).map(|(splits, windows)| splits.facts(windows)).collect();
    timeline.record(Phase::Free, || drop((assignments, splits)));
    let span = timeline.elapsed();
    Ok(Batch { proofs, bytes, public_inputs, spans: timeline.into_spans(), total, span, facts })
}

fn check_request(circuits: usize, given: usize, options: &Options) -> Result<(), ProveError> {
    check_pairs(circuits, given)?;
    match options.window {
        Some(window) if !windows::RANGE.contains(&window) => Err(ProveError::Window(window)),
        _ => Ok(()),
    }
}

fn check_pairs(circuits: usize, given: usize) -> Result<(), ProveError> {
    if circuits == given { Ok(()) } else { Err(ProveError::Randomness { circuits, given }) }
}

/// The scalars of every multiplication. Takes a, b and c out of the assignments and gives their memory back.
fn split_all(assignments: &mut [ProvingAssignment], timeline: &Timeline) -> Result<Vec<Splits>, ProveError> {
    let mut all = Vec::with_capacity(assignments.len());
    for (circuit, assignment) in assignments.iter_mut().enumerate() {
        let (mut a, b, mut c) =
            (std::mem::take(&mut assignment.a), std::mem::take(&mut assignment.b), std::mem::take(&mut assignment.c));
        let h = timeline
            .record(Phase::Ntt, || quotient(&mut a, b, &mut c))
            .map_err(|source| ProveError::Quotient { circuit, source })?;
        timeline.record(Phase::Free, || drop((a, c)));
        let h_split = timeline.record(Phase::MsmH, || Split::new(&h));
        timeline.record(Phase::Free, || drop(h));
        all.push(Splits {
            h: h_split,
            l: timeline.record(Phase::MsmL, || Split::new(&assignment.aux)),
            a: timeline.record(Phase::MsmA, || Split::new(&queries::a_scalars(assignment))),
            b: timeline.record(Phase::MsmBG1, || Split::new(&queries::b_scalars(assignment))),
        });
    }
    Ok(all)
}

fn choose_windows(splits: &[Splits], options: &Options) -> Vec<PerMsm<u32>> {
    let counts: Vec<PerMsm<usize>> = splits.iter().map(Splits::nontrivial).collect();
    windows::choose(options.window, options.toggles, &counts)
}

/// The sums over the B query in G2 (toggle A4): side by side, one thread each; or one after another on the whole pool.
fn sum_b_g2(
    splits: &[Splits],
    windows: &[PerMsm<u32>],
    parameters: &Parameters,
    toggles: Toggles,
    timeline: &Timeline,
) -> Vec<G2Projective> {
    let bases = &parameters.b_g2[..];
    let one = |(splits, windows): (&Splits, &PerMsm<u32>), threads| {
        timeline.record(Phase::MsmBG2, || multiply(bases, &splits.b, windows.b_g2, threads))
    };
    let products: Vec<_> = if toggles.parallel_b_g2 {
        splits.par_iter().zip(windows).with_max_len(1).map(|terms| one(terms, Threads::One)).collect()
    } else {
        splits.iter().zip(windows).map(|terms| one(terms, Threads::Pool)).collect()
    };
    let ones = splits.iter().map(|splits| timeline.record(Phase::BatchAdd, || sum_of_ones(bases, &splits.b)));
    products.into_iter().zip(ones).map(|(product, ones)| product + ones).collect()
}

/// The sums over the other queries.
fn sum_g1(
    splits: &Splits,
    windows: &PerMsm<u32>,
    parameters: &Parameters,
    timeline: &Timeline,
    b_g2: &G2Projective,
) -> Sums {
    let sum = |phase, bases: &[G1Affine], split, window| {
        let product = timeline.record(phase, || multiply(bases, split, window, Threads::Pool));
        product + timeline.record(Phase::BatchAdd, || sum_of_ones(bases, split))
    };
    Sums {
        h: sum(Phase::MsmH, &parameters.h, &splits.h, windows.h),
        l: sum(Phase::MsmL, &parameters.l, &splits.l, windows.l),
        a: sum(Phase::MsmA, &parameters.a, &splits.a, windows.a),
        b_g1: sum(Phase::MsmBG1, &parameters.b_g1, &splits.b, windows.b_g1),
        b_g2: *b_g2,
    }
}
