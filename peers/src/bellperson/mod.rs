//! bellperson 0.27, unpatched, on the processor: the commands of `prover`, by another prover.

mod generate;
mod parameters;
mod prove;
mod setup;
mod verify;

use anyhow::{Result, bail};
use blstrs::Bls12;
use clap::{Subcommand, ValueEnum};
use shared::worker::args::RepeatArgs;
use shared::worker::message::{Hello, PROTOCOL};
use shared::worker::{Bench, Session, host, nanoseconds};
use std::time::Duration;

type Parameters = bellperson::groth16::Parameters<Bls12>;
type Proof = bellperson::groth16::Proof<Bls12>;
type PreparedVerifyingKey = bellperson::groth16::PreparedVerifyingKey<Bls12>;

/// One command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the parameters of a circuit by bellperson and cache them, unless they are there
    Setup(setup::Args),
    /// Bench the making of parameters, without the cache
    Generate(generate::Args),
    /// Bench the proving of a batch, end to end
    Prove(prove::Args),
    /// Verify proofs that a prover wrote
    Verify(verify::Args),
}

/// Runs a command. `false` when a proof does not verify.
pub fn run(command: &Command) -> Result<bool> {
    match command {
        Command::Setup(args) => setup::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Verify(args) => verify::run(args),
    }
}

/// Where the arithmetic runs. Taken so that a bench's arguments fit every program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// The processor
    Cpu,
    /// An NVIDIA GPU
    Cuda,
}

impl Backend {
    fn require(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda => bail!("--backend cuda: this bellperson is built for the processor alone; pass --backend cpu"),
        }
    }
}

/// Says hello and runs the bench.
fn serve(bench: &mut impl Bench, repeat: &RepeatArgs, load: Option<Duration>) -> Result<bool> {
    let hello = Hello {
        protocol: PROTOCOL,
        program: "bellperson",
        version: "0.27.0",
        features: Vec::new(),
        stamp: None,
        backend: "cpu",
        device: host::cpu(),
        threads: crate::threads::count(),
    };
    let session = Session::open(std::io::stdout().lock(), &hello, load.map(nanoseconds))?;
    if repeat.resident {
        session.run_resident(bench, std::io::stdin().lock())
    } else {
        session.run_batch(bench, repeat.iterations)
    }
}
