//! Proving with a GPU: the sums over the queries come from the archive of package `groth16-cuda`; synthesis, assembly and
//! the checks are those of the CPU's path, so that a proof's bytes are the same.
//!
//! It never falls back to the CPU: without a GPU there is an error.

use bellpepper_core::Circuit;
use blstrs::Scalar;
use rayon::prelude::*;

use super::{Batch, MsmFacts, Options, ProveError, Sums, check_pairs, queries};
use crate::assignment::{ProvingAssignment, synthesize};
use crate::params::Parameters;
use crate::proof::Proof;
use crate::quotient;
use crate::randomness::Randomness;
use crate::timeline::{Phase, Span, Timeline};
use crate::windows::PerMsm;

/// Parameters whose G1 queries lie in a GPU's memory.
#[derive(Debug)]
pub struct CudaProver<'a> {
    parameters: &'a Parameters,
    srs: groth16_cuda::Srs<'a>,
}

impl<'a> CudaProver<'a> {
    /// Copies the queries to GPU `device`, counted from 0.
    pub fn new(parameters: &'a Parameters, device: u32) -> Result<Self, groth16_cuda::Error> {
        let bases = groth16_cuda::Bases {
            h: &parameters.h,
            l: &parameters.l,
            a: &parameters.a,
            b_g1: &parameters.b_g1,
            b_g2: &parameters.b_g2,
        };
        Ok(Self { parameters, srs: groth16_cuda::Srs::new(&bases, device)? })
    }

    /// As [`super::prove_batch`]. A4, B1 and D4 are as the archive was built, whatever `options.toggles` says of them.
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
        let scalars = query_scalars(&assignments, &timeline)?;
        let (sums, facts) = self.sums(&assignments, &scalars, options.window, &timeline)?;

        let key = &self.parameters.vk;
        let proofs: Vec<Proof> = timeline.record(Phase::Assemble, || {
            sums.iter().zip(randomness).map(|(sums, pair)| sums.proof(key, pair)).collect()
        });
        let bytes = timeline.record(Phase::Assemble, || proofs.iter().map(Proof::to_bytes).collect());
        let total = timeline.elapsed();

        let public_inputs = assignments.iter().map(|assignment| assignment.public_inputs().to_vec()).collect();
        timeline.record(Phase::Free, || drop((assignments, scalars)));
        let span = timeline.elapsed();
        Ok(Batch { proofs, bytes, public_inputs, spans: timeline.into_spans(), total, span, facts })
    }

    fn sums(
        &mut self,
        assignments: &[ProvingAssignment],
        scalars: &[QueryScalars],
        window: Option<u32>,
        timeline: &Timeline,
    ) -> Result<(Vec<Sums>, Vec<PerMsm<MsmFacts>>), ProveError> {
        let circuits: Vec<_> =
            assignments.iter().zip(scalars).map(|(assignment, scalars)| scalars.circuit(assignment)).collect();
        let start = timeline.elapsed();
        let (sums, spans) = self.srs.prove(&circuits, rayon::current_num_threads(), window)?;
        let start = u64::try_from(start.as_nanos()).unwrap_or(u64::MAX);
        for span in spans {
            timeline.add(Span { name: name(span.phase), start_ns: start.saturating_add(span.start_ns), ns: span.ns });
        }
        let facts = sums.iter().map(|sums| each(&sums.facts)).collect();
        Ok((sums.into_iter().map(Sums::from).collect(), facts))
    }
}

/// The scalars of the A and B queries of one circuit.
struct QueryScalars {
    a: Vec<Scalar>,
    b: Vec<Scalar>,
}

impl QueryScalars {
    fn circuit<'a>(&'a self, assignment: &'a ProvingAssignment) -> groth16_cuda::Circuit<'a> {
        groth16_cuda::Circuit {
            a: &assignment.a,
            b: &assignment.b,
            c: &assignment.c,
            l: &assignment.aux,
            a_query: &self.a,
            b_query: &self.b,
        }
    }
}

/// Gathers them, once every constraint was found satisfied: the archive does not look.
fn query_scalars(assignments: &[ProvingAssignment], timeline: &Timeline) -> Result<Vec<QueryScalars>, ProveError> {
    for (circuit, assignment) in assignments.iter().enumerate() {
        timeline
            .record(Phase::Ntt, || quotient::check(&assignment.a, &assignment.b, &assignment.c))
            .map_err(|source| ProveError::Quotient { circuit, source })?;
    }
    let a: Vec<_> = timeline.record(Phase::MsmA, || assignments.par_iter().map(queries::a_scalars).collect());
    let b: Vec<_> = timeline.record(Phase::MsmBG1, || assignments.par_iter().map(queries::b_scalars).collect());
    Ok(a.into_iter().zip(b).map(|(a, b)| QueryScalars { a, b }).collect())
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
