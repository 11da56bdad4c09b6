//! `prover prove`: from circuits to proofs, each of which is verified.

use std::io::Write;
use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Result;
use groth16_prover::circuits::Instance;
use groth16_prover::proof::Proof;
use groth16_prover::prove::{Batch, MsmFacts, Options, Randomness};
use groth16_prover::timeline::{Phase, Span};
use groth16_prover::verifier::{PreparedVerifyingKey, verify};
use groth16_prover::windows::PerMsm;
use groth16_prover::worker::args::{BatchArgs, CircuitArgs, ParamsArgs, RepeatArgs};
use groth16_prover::worker::{Bench, Checked, Measured, ProofRecord, nanoseconds, outputs, statement};
use serde_json::Value;

use super::backend::{Backend, Engine};
use super::limits::Work;
use super::params::load;
use super::spin::SpinArgs;
use super::start::{check_window, serve, settle};

/// Bench the proving of a batch, end to end
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    params: ParamsArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    repeat: RepeatArgs,
    #[command(flatten)]
    spin: SpinArgs,
    /// What proves; never another than asked for
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
    /// GPUs that share the batch out
    #[arg(long, value_name = "N", default_value = "1")]
    gpus: NonZeroU32,
    /// Bits of a scalar that every multiplication takes at a time, instead of the build's choice
    #[arg(long, value_name = "N")]
    window: Option<u32>,
    /// Also write the time of each phase to the standard error output, as `CUZK_TIMING: NAME_ms=MS`
    #[arg(long)]
    timing_lines: bool,
    /// Write the last iteration's proofs here
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Write the circuits' public inputs here
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
}

/// Times proving in the worker protocol.
pub(crate) fn run(args: &Args) -> Result<bool> {
    args.backend.require()?;
    check_window(args.window, args.backend)?;
    outputs::check(args.proof.as_deref(), args.inputs.as_deref(), &args.circuit.params_dir)?;
    settle(&args.circuit)?;
    Work { circuits: args.batch.circuits.get(), parameters: true, ..Work::one(args.circuit.circuit) }.check()?;
    let loaded = load(&args.circuit, &args.params)?;
    let (seed, circuits) = (args.batch.seed, args.batch.circuits.get());
    let instances = args.circuit.circuit.batch(seed, circuits)?;
    let inputs: Vec<_> = instances.iter().map(Instance::public_inputs).collect();
    if let Some(path) = &args.inputs {
        statement::write_inputs(path, &inputs)?;
    }
    let mut bench = Prove {
        instances,
        inputs,
        randomness: (0..circuits as u64).map(|index| Randomness::from_seed(seed, index)).collect(),
        options: Options { window: args.window, ..Options::default() },
        key: PreparedVerifyingKey::from(&loaded.parameters.vk),
        engine: Engine::start(args.backend, args.gpus, &loaded.parameters)?,
        timing_lines: args.timing_lines,
        spin: args.spin,
        proof_file: args.proof.clone(),
    };
    serve(&mut bench, args.backend, &args.repeat, Some(loaded.took))
}

struct Prove<'a> {
    instances: Vec<Instance>,
    /// By native computation, not from the circuits.
    inputs: Vec<Vec<blstrs::Scalar>>,
    randomness: Vec<Randomness>,
    options: Options,
    key: PreparedVerifyingKey,
    engine: Engine<'a>,
    timing_lines: bool,
    spin: SpinArgs,
    proof_file: Option<PathBuf>,
}

impl Bench for Prove<'_> {
    type Output = Vec<[u8; Proof::BYTES]>;

    fn name(&self) -> &'static str {
        "prove"
    }

    fn measure(&mut self) -> Result<Measured<Self::Output>> {
        let circuits = self.instances.iter().cloned().map(|circuit| self.spin.slow(circuit)).collect();
        let Batch { bytes, spans, total, span, facts, .. } =
            self.engine.prove_batch(circuits, &self.randomness, &self.options)?;
        let (total_ns, span_ns) = (nanoseconds(total), nanoseconds(span));
        if self.timing_lines {
            // Nobody is there to read it where standard error is closed.
            let _ = std::io::stderr().write_all(timing_lines(&spans, total_ns, span_ns)?.as_bytes());
        }
        Ok(Measured { phases: spans, total_ns, span_ns, facts: describe(&facts)?, output: bytes })
    }

    fn check(&mut self, proofs: Self::Output) -> Result<Checked> {
        let mut verified = true;
        for (bytes, inputs) in proofs.iter().zip(&self.inputs) {
            verified &= match Proof::from_bytes(bytes) {
                Some(proof) => verify(&self.key, &proof, inputs)?,
                None => false,
            };
        }
        if let Some(path) = &self.proof_file {
            statement::write_proofs(path, &proofs)?;
        }
        let digest = statement::digest(&proofs);
        Ok(Checked { facts: Vec::new(), proof: Some(ProofRecord { digest, verified }) })
    }
}

/// One line for each phase with the sum of its parts, by name, then `total` and `span`: `CUZK_TIMING: msm_h_ms=25.125`.
fn timing_lines(spans: &[Span], total_ns: u64, span_ns: u64) -> Result<String> {
    let mut sums = std::collections::BTreeMap::<Phase, u64>::new();
    for span in spans {
        *sums.entry(span.name).or_default() += span.ns;
    }
    let mut lines = String::new();
    for (phase, ns) in sums {
        lines.push_str(&timing_line(serde_json::to_value(phase)?.as_str().unwrap_or_default(), ns));
    }
    Ok(lines + &timing_line("total", total_ns) + &timing_line("span", span_ns))
}

fn timing_line(name: &str, ns: u64) -> String {
    format!("CUZK_TIMING: {name}_ms={}.{:03}\n", ns / 1_000_000, ns / 1_000 % 1_000)
}

/// The windows and the counts of non-trivial scalars.
fn describe(circuits: &[PerMsm<MsmFacts>]) -> Result<Vec<(&'static str, Value)>> {
    let windows = common(circuits.iter().map(|facts| facts.map(|msm| msm.window)))?;
    let nontrivial = common(circuits.iter().map(|facts| facts.map(|msm| msm.nontrivial)))?;
    Ok(vec![("msm_windows", windows), ("msm_nontrivial", nontrivial)])
}

/// One value where all circuits agree, else a list with one for each.
fn common(values: impl Iterator<Item = impl serde::Serialize>) -> Result<Value> {
    let mut values = values.map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
    let agree = values.windows(2).all(|pair| pair[0] == pair[1]);
    Ok(if agree && !values.is_empty() { values.swap_remove(0) } else { values.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timing_lines_sum_a_phases_parts() {
        let span = |name, ns| Span { name, start_ns: 0, ns };
        let spans = [span(Phase::MsmBG1, 1_500_000), span(Phase::Ntt, 7_000), span(Phase::MsmBG1, 23_625_999)];
        let expected = "CUZK_TIMING: ntt_ms=0.007\nCUZK_TIMING: msm_b_g1_ms=25.125\nCUZK_TIMING: total_ms=31.000\n\
                        CUZK_TIMING: span_ms=1032.000\n";
        assert_eq!(timing_lines(&spans, 31_000_000, 1_032_000_000).unwrap(), expected);
    }
}
