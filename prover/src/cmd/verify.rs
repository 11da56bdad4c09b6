//! `prover verify`: whether proofs in a file are right.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use groth16_prover::proof::Proof;
use groth16_prover::verifier::{PreparedVerifyingKey, verify};
use groth16_prover::worker::args::{CircuitArgs, ParamsArgs};
use groth16_prover::worker::statement;

use super::params::load;
use super::start::settle;

/// Verify proofs that a prover wrote
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    params: ParamsArgs,
    /// The proofs, 192 bytes each
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// Their public inputs, in JSON
    #[arg(long, value_name = "FILE")]
    inputs: PathBuf,
}

/// Prints a line for each proof. Bytes that are no proof at all are a proof that does not verify.
pub(crate) fn run(args: &Args) -> Result<bool> {
    settle(&args.circuit)?;
    let proofs = statement::read_proofs(&args.proof)?;
    let inputs = statement::read_inputs(&args.inputs)?;
    if proofs.len() != inputs.len() {
        let (proofs, lists) = (proofs.len(), inputs.len());
        bail!("inputs file {}: {lists} lists of inputs for {proofs} proofs", args.inputs.display());
    }
    let key = PreparedVerifyingKey::from(&load(&args.circuit, &args.params)?.parameters.vk);

    let mut all = true;
    let mut out = std::io::stdout().lock();
    for (index, (bytes, inputs)) in proofs.iter().zip(&inputs).enumerate() {
        let verdict = match Proof::from_bytes(bytes) {
            Some(proof) if verify(&key, &proof, inputs)? => "verifies",
            Some(_) => "does not verify",
            None => "does not verify: its bytes are not three points of the groups",
        };
        all &= verdict == "verifies";
        writeln!(out, "proof {index}: {verdict}").context("standard output was closed")?;
    }
    Ok(all)
}
