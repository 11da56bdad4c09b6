//! Proving with GPUs: the sums over the queries come from the archive of package `groth16-cuda`, which also finds a constraint
//! that is not satisfied; synthesis and assembly are those of the CPU's path, so that a proof's bytes are the same.
//!
//! It never falls back to the CPU: without a GPU there is an error.

use bellpepper_core::Circuit;
use blstrs::Scalar;

use super::{Batch, MsmFacts, Options, ProveError, Sums, check_pairs, queries};
use crate::assignment::{ProvingAssignment, synthesize};
use crate::params::Parameters;
use crate::proof::Proof;
use crate::quotient::QuotientError;
use crate::randomness::Randomness;
use crate::timeline::{Phase, Span, Timeline};
use crate::windows::PerMsm;

pub use groth16_cuda::Placement;

/// Parameters that GPUs work on.
#[derive(Debug)]
pub struct CudaProver<'a> {
    parameters: &'a Parameters,
    srs: groth16_cuda::Srs<'a>,
}

impl<'a> CudaProver<'a> {
    /// Copies to the GPUs what `placement` says.
    pub fn new(parameters: &'a Parameters, placement: &Placement) -> Result<Self, groth16_cuda::Error> {
        let bases = groth16_cuda::Bases {
            h: &parameters.h,
            l: &parameters.l,
            a: &parameters.a,
            b_g1: &parameters.b_g1,
            b_g2: &parameters.b_g2,
        };
        Ok(Self { parameters, srs: groth16_cuda::Srs::new(&bases, placement)? })
    }

    /// Bytes of points that lie in each GPU's memory; the others are streamed.
    pub fn resident_bytes(&self) -> u64 {
        self.srs.resident_bytes()
    }

    /// As [`super::prove_batch`]. A4, B1, B2, D4 and K1 are as the archive was built, whatever `options.toggles` says of them.
    pub fn prove_batch<C: Circuit<Scalar> + Send>(
        &mut self,
        circuits: Vec<C>,
        randomness: &[Randomness],
        options: &Options,
    ) -> Result<Batch, ProveError> {
        check_pairs(circuits.len(), randomness.len())?;
        let timeline = Timeline::start();
        let assignments = synthesize(circuits, options.capacity(self.parameters), &timeline)?;
        for (circuit, assignment) in assignments.iter().enumerate() {
            queries::check_sizes(circuit, assignment, self.parameters)?;
        }
        let (sums, facts) = self.sums(&assignments, options.window, &timeline)?;

        let key = &self.parameters.vk;
        let proofs: Vec<Proof> = timeline.record(Phase::Assemble, || {
            sums.iter().zip(randomness).map(|(sums, pair)| sums.proof(key, pair)).collect()
        });
        let bytes = timeline.record(Phase::Assemble, || proofs.iter().map(Proof::to_bytes).collect());
        let total = timeline.elapsed();

        let public_inputs = assignments.iter().map(|assignment| assignment.public_inputs().to_vec()).collect();
        timeline.record(Phase::Free, || drop(assignments));
        let span = timeline.elapsed();
        Ok(Batch { proofs, bytes, public_inputs, spans: timeline.into_spans(), total, span, facts })
    }

    fn sums(
        &mut self,
        assignments: &[ProvingAssignment],
        window: Option<u32>,
        timeline: &Timeline,
    ) -> Result<(Vec<Sums>, Vec<PerMsm<MsmFacts>>), ProveError> {
        let circuits: Vec<_> = assignments.iter().map(circuit).collect();
        let start = timeline.elapsed();
        let (sums, spans) = self.srs.prove(&circuits, rayon::current_num_threads(), window)?;
        let start = u64::try_from(start.as_nanos()).unwrap_or(u64::MAX);
        for span in spans {
            timeline.add(Span { name: name(span.phase), start_ns: start.saturating_add(span.start_ns), ns: span.ns });
        }
        check_satisfied(&sums)?;
        let facts = sums.iter().map(|sums| each(&sums.facts)).collect();
        Ok((sums.into_iter().map(Sums::from).collect(), facts))
    }
}

/// The archive picks the queries' scalars by the densities.
fn circuit(assignment: &ProvingAssignment) -> groth16_cuda::Circuit<'_> {
    groth16_cuda::Circuit {
        a: &assignment.a,
        b: &assignment.b,
        c: &assignment.c,
        inputs: &assignment.inputs,
        aux: &assignment.aux,
        a_aux: assignment.a_aux_density.words(),
        b_inputs: assignment.b_input_density.words(),
        b_aux: assignment.b_aux_density.words(),
    }
}

/// The same error as the CPU's path has: of the first circuit of the batch, its first constraint.
fn check_satisfied(sums: &[groth16_cuda::Sums]) -> Result<(), ProveError> {
    let wrong = sums.iter().enumerate().find_map(|(circuit, sums)| Some((circuit, sums.unsatisfied?)));
    let Some((circuit, constraint)) = wrong else { return Ok(()) };
    let constraint = usize::try_from(constraint).expect("a count of things in memory");
    Err(ProveError::Quotient { circuit, source: QuotientError::Unsatisfied { constraint } })
}

impl From<groth16_cuda::Sums> for Sums {
    fn from(sums: groth16_cuda::Sums) -> Self {
        Self { h: sums.h, l: sums.l, a: sums.a, b_g1: sums.b_g1, b_g2: sums.b_g2 }
    }
}

fn each(facts: &groth16_cuda::PerMsm<groth16_cuda::MsmFacts>) -> PerMsm<MsmFacts> {
    let count = |count| usize::try_from(count).expect("a count of things in memory");
    let one = |facts: groth16_cuda::MsmFacts| MsmFacts {
        bases: count(facts.bases),
        zeros: count(facts.bases - facts.ones - facts.nontrivial),
        ones: count(facts.ones),
        nontrivial: count(facts.nontrivial),
        window: facts.window,
    };
    PerMsm { h: one(facts.h), l: one(facts.l), a: one(facts.a), b_g1: one(facts.b_g1), b_g2: one(facts.b_g2) }
}

/// The same name in this library's vocabulary.
fn name(phase: groth16_cuda::Phase) -> Phase {
    match phase {
        groth16_cuda::Phase::Pin => Phase::Pin,
        groth16_cuda::Phase::Ntt => Phase::Ntt,
        groth16_cuda::Phase::MsmH => Phase::MsmH,
        groth16_cuda::Phase::MsmL => Phase::MsmL,
        groth16_cuda::Phase::MsmA => Phase::MsmA,
        groth16_cuda::Phase::MsmBG1 => Phase::MsmBG1,
        groth16_cuda::Phase::MsmBG2 => Phase::MsmBG2,
        groth16_cuda::Phase::BatchAdd => Phase::BatchAdd,
        groth16_cuda::Phase::Unpin => Phase::Unpin,
        groth16_cuda::Phase::Free => Phase::Free,
    }
}
