//! `prover generate`: how long parameters take to make. Nothing is written.

use anyhow::Result;
use groth16_prover::circuits::Instance;
use groth16_prover::generator::generate;
use groth16_prover::params::{Parameters, file};
use groth16_prover::timeline::Timeline;
use groth16_prover::toxic::ToxicWaste;
use groth16_prover::worker::args::{CircuitArgs, RepeatArgs};
use groth16_prover::worker::{Bench, Checked, Measured, nanoseconds};

use super::backend::Backend;
use super::limits::Work;
use super::start::{serve, settle};

/// Bench the making of parameters, without the cache
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    repeat: RepeatArgs,
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
}

/// Times the set-up in the worker protocol.
pub(crate) fn run(args: &Args) -> Result<bool> {
    args.backend.require()?;
    settle(&args.circuit)?;
    Work { parameters: true, ..Work::one(args.circuit.circuit) }.check()?;
    let toxic = ToxicWaste::from_seed(args.circuit.setup_seed);
    let mut bench = Generate { circuit: args.circuit.circuit.instance(0, 0)?, toxic };
    serve(&mut bench, args.backend, &args.repeat, None)
}

struct Generate {
    circuit: Instance,
    toxic: ToxicWaste,
}

impl Bench for Generate {
    type Output = Parameters;

    fn name(&self) -> &'static str {
        "generate"
    }

    /// `total` and `span` are one: the parameters are the result, and all other memory is given back when they are there.
    fn measure(&mut self) -> Result<Measured<Parameters>> {
        let circuit = self.circuit.clone();
        let timeline = Timeline::start();
        let output = generate(circuit, &self.toxic)?;
        let total_ns = nanoseconds(timeline.elapsed());
        Ok(Measured { phases: timeline.into_spans(), total_ns, span_ns: total_ns, facts: Vec::new(), output })
    }

    fn check(&mut self, output: Parameters) -> Result<Checked> {
        let sha256 = file::write(&output, std::io::sink())?;
        Ok(Checked {
            facts: vec![("parameters_sha256", groth16_prover::params::cache::hex(&sha256).into())],
            proof: None,
        })
    }
}
