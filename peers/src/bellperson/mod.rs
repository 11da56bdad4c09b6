//! bellperson 0.27, unpatched: the commands of `prover`, by another prover.
//!
//! It proves on the processor. Built with the feature `supraseal` it proves on the GPU, by supraseal-c2, and there alone:
//! bellperson's own feature replaces its prover. Everything else runs on the processor in both builds.

#[cfg(not(feature = "supraseal"))]
#[path = "processor.rs"]
mod engine;
#[cfg(feature = "supraseal")]
#[path = "supraseal/mod.rs"]
mod engine;
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
type VerifyingKey = bellperson::groth16::VerifyingKey<Bls12>;
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
    /// An error for what is not the processor.
    fn require_processor(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda => {
                bail!("--backend cuda: bellperson makes parameters on the processor alone; pass --backend cpu")
            }
        }
    }
}

/// What a bench computes on.
struct Device {
    backend: &'static str,
    name: String,
    features: Vec<&'static str>,
}

impl Device {
    fn processor() -> Self {
        Self { backend: "cpu", name: host::cpu(), features: Vec::new() }
    }
}

/// Says hello and runs the bench.
fn serve(bench: &mut impl Bench, device: Device, repeat: &RepeatArgs, load: Option<Duration>) -> Result<bool> {
    let hello = Hello {
        protocol: PROTOCOL,
        program: "bellperson",
        version: "0.27.0",
        features: device.features,
        stamp: None,
        backend: device.backend,
        device: device.name,
        threads: crate::threads::count(),
    };
    let session = Session::open(std::io::stdout().lock(), &hello, load.map(nanoseconds))?;
    if repeat.resident {
        session.run_resident(bench, std::io::stdin().lock())
    } else {
        session.run_batch(bench, repeat.iterations)
    }
}
