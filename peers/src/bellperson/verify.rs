//! `peer bellperson verify`: whether proofs in a file are right, by bellperson's verifier.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use bellperson::groth16::{prepare_verifying_key, verify_proof};
use shared::worker::args::{CircuitArgs, ParamsArgs};
use shared::worker::statement;

use super::Proof;
use super::parameters::load;
use crate::threads::settle;

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
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
pub fn run(args: &Args) -> Result<bool> {
    settle(&args.circuit)?;
    let proofs = statement::read_proofs(&args.proof)?;
    let inputs = statement::read_inputs(&args.inputs)?;
    if proofs.len() != inputs.len() {
        let (proofs, lists) = (proofs.len(), inputs.len());
        bail!("inputs file {}: {lists} lists of inputs for {proofs} proofs", args.inputs.display());
    }
    let key = prepare_verifying_key(&load(&args.circuit, &args.params)?.vk);

    let mut all = true;
    let mut out = std::io::stdout().lock();
    for (index, (bytes, inputs)) in proofs.iter().zip(&inputs).enumerate() {
        let verdict = match Proof::read(&bytes[..]) {
            Ok(proof) if verify_proof(&key, &proof, inputs)? => "verifies",
            Ok(_) => "does not verify",
            Err(_) => "does not verify: its bytes are not three points of the groups",
        };
        all &= verdict == "verifies";
        writeln!(out, "proof {index}: {verdict}").context("standard output was closed")?;
    }
    Ok(all)
}
