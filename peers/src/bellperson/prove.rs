//! `peer bellperson prove`: from circuits to proofs, each of which is verified.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use bellperson::groth16::{prepare_verifying_key, verify_proof};
use blstrs::Scalar;
use shared::circuits::Instance;
use shared::randomness::Randomness;
use shared::timeline::{Phase, Span, Timeline};
use shared::worker::args::{BatchArgs, CircuitArgs, ParamsArgs, RepeatArgs};
use shared::worker::outputs;
use shared::worker::statement::{self, PROOF_BYTES};
use shared::worker::{Bench, Checked, Measured, ProofRecord, nanoseconds};

use super::engine::{self, Engine};
use super::{Backend, PreparedVerifyingKey, Proof, serve};
use crate::threads::settle;

/// Arguments of `prove`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    params: ParamsArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    repeat: RepeatArgs,
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
    /// Write the last iteration's proofs here
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Write the circuits' public inputs here
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
}

/// Times proving in the worker protocol.
pub fn run(args: &Args) -> Result<bool> {
    let device = engine::device(args.backend)?;
    outputs::check(args.proof.as_deref(), args.inputs.as_deref(), &args.circuit.params_dir)?;
    settle(&args.circuit)?;
    let start = Instant::now();
    let (key, engine) = Engine::load(&args.circuit, &args.params)?;
    let took = start.elapsed();
    let (seed, circuits) = (args.batch.seed, args.batch.circuits.get());
    let instances = args.circuit.circuit.batch(seed, circuits)?;
    let inputs: Vec<_> = instances.iter().map(Instance::public_inputs).collect();
    if let Some(path) = &args.inputs {
        statement::write_inputs(path, &inputs)?;
    }
    let randomness = (0..circuits as u64).map(|index| Randomness::from_seed(seed, index));
    let (r, s) = randomness.map(|Randomness { r, s }| (r, s)).unzip();
    let key = prepare_verifying_key(&key);
    let mut bench = Prove { instances, inputs, r, s, key, engine, proof_file: args.proof.clone() };
    serve(&mut bench, device, &args.repeat, Some(took))
}

struct Prove {
    instances: Vec<Instance>,
    /// By native computation, not from the circuits.
    inputs: Vec<Vec<Scalar>>,
    r: Vec<Scalar>,
    s: Vec<Scalar>,
    key: PreparedVerifyingKey,
    engine: Engine,
    proof_file: Option<PathBuf>,
}

impl Bench for Prove {
    type Output = Vec<[u8; PROOF_BYTES]>;

    fn name(&self) -> &'static str {
        "prove"
    }

    /// bellperson gives its memory back before it returns, all but the proofs, so `span` ends a moment after `total`.
    fn measure(&mut self) -> Result<Measured<Self::Output>> {
        let (instances, r, s) = (self.instances.clone(), self.r.clone(), self.s.clone());
        let timeline = Timeline::start();
        let circuits = instances.into_iter().map(|circuit| Timed { circuit, timeline: &timeline }).collect();
        let proofs = self.engine.prove(circuits, r, s)?;
        let output = proofs.iter().map(bytes).collect::<Result<_>>()?;
        let total_ns = nanoseconds(timeline.elapsed());
        drop(proofs);
        let span_ns = nanoseconds(timeline.elapsed());
        let facts = self.engine.facts(&timeline);
        let phases = one_synthesis(&timeline.into_spans());
        Ok(Measured { phases, total_ns, span_ns, facts, output })
    }

    fn check(&mut self, proofs: Self::Output) -> Result<Checked> {
        let mut verified = true;
        for (bytes, inputs) in proofs.iter().zip(&self.inputs) {
            verified &= verify_proof(&self.key, &Proof::read(&bytes[..])?, inputs)?;
        }
        if let Some(path) = &self.proof_file {
            statement::write_proofs(path, &proofs)?;
        }
        let digest = statement::digest(&proofs);
        Ok(Checked { facts: Vec::new(), proof: Some(ProofRecord { digest, verified }) })
    }
}

fn bytes(proof: &Proof) -> Result<[u8; PROOF_BYTES]> {
    let mut bytes = [0; PROOF_BYTES];
    proof.write(&mut bytes[..])?;
    Ok(bytes)
}

/// A circuit that notes when it was synthesized: bellperson does not tell.
struct Timed<'a> {
    circuit: Instance,
    timeline: &'a Timeline,
}

impl Circuit<Scalar> for Timed<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.timeline.record(Phase::Synthesis, || self.circuit.synthesize(cs))
    }
}

/// From the start of a batch's first synthesis to the end of its last.
fn one_synthesis(spans: &[Span]) -> Vec<Span> {
    let start = spans.iter().map(|span| span.start_ns).min();
    let end = spans.iter().map(|span| span.start_ns + span.ns).max();
    start
        .zip(end)
        .map(|(start_ns, end)| Span { name: Phase::Synthesis, start_ns, ns: end - start_ns })
        .into_iter()
        .collect()
}
