//! `peer bellperson generate`: how long parameters take to make. Nothing is written.

use anyhow::Result;
use shared::circuits::Instance;
use shared::params::cache::hex;
use shared::timeline::Timeline;
use shared::toxic::ToxicWaste;
use shared::worker::args::{CircuitArgs, RepeatArgs};
use shared::worker::{Bench, Checked, Measured, nanoseconds};

use super::parameters::{generate, write};
use super::{Backend, Device, Parameters, serve};
use crate::threads::settle;

/// Arguments of `generate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    repeat: RepeatArgs,
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
}

/// Times the set-up in the worker protocol.
pub fn run(args: &Args) -> Result<bool> {
    args.backend.require_processor()?;
    settle(&args.circuit)?;
    let mut bench = Generate { circuit: args.circuit.circuit.instance(0, 0)?, seed: args.circuit.setup_seed };
    serve(&mut bench, Device::processor(), &args.repeat, None)
}

struct Generate {
    circuit: Instance,
    seed: u64,
}

impl Bench for Generate {
    type Output = Parameters;

    fn name(&self) -> &'static str {
        "generate"
    }

    fn measure(&mut self) -> Result<Measured<Parameters>> {
        let (circuit, toxic) = (self.circuit.clone(), ToxicWaste::from_seed(self.seed));
        let timeline = Timeline::start();
        let output = generate(circuit, toxic)?;
        let total_ns = nanoseconds(timeline.elapsed());
        Ok(Measured { phases: Vec::new(), total_ns, span_ns: total_ns, facts: Vec::new(), output })
    }

    fn check(&mut self, output: Parameters) -> Result<Checked> {
        let sha256 = write(&output, std::io::sink())?;
        Ok(Checked { facts: vec![("parameters_sha256", hex(&sha256).into())], proof: None })
    }
}
