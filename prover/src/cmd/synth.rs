//! `prover synth`: synthesis alone. Needs no parameters.

use anyhow::{Context, Result};
use groth16_prover::assignment::{CapacityHint, synthesize};
use groth16_prover::circuits::Instance;
use groth16_prover::timeline::{Phase, Timeline};
use groth16_prover::toggles::Toggles;
use groth16_prover::worker::args::{BatchArgs, CircuitArgs, RepeatArgs};
use groth16_prover::worker::{Bench, Checked, Measured, nanoseconds};

use super::backend::Backend;
use super::limits::Work;
use super::shape::shape;
use super::spin::SpinArgs;
use super::start::{serve, settle};

/// Bench the synthesis of a batch
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    repeat: RepeatArgs,
    #[command(flatten)]
    spin: SpinArgs,
    /// Synthesis runs on the processor with either backend
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
}

/// Times synthesis in the worker protocol.
pub(crate) fn run(args: &Args) -> Result<bool> {
    args.backend.require()?;
    settle(&args.circuit)?;
    Work { circuits: args.batch.circuits.get(), ..Work::one(args.circuit.circuit) }.check()?;
    let instances = args.circuit.circuit.batch(args.batch.seed, args.batch.circuits.get())?;
    // Counted in every build, so that builds with and without the toggle start their clocks in the same state.
    let counted = shape(instances[0].clone()).context("counting the circuit failed")?;
    let hint = Toggles::BUILT.presize.then_some(counted);
    serve(&mut Synth { instances, hint, spin: args.spin }, args.backend, &args.repeat, None)
}

struct Synth {
    instances: Vec<Instance>,
    hint: Option<CapacityHint>,
    spin: SpinArgs,
}

impl Bench for Synth {
    type Output = ();

    fn name(&self) -> &'static str {
        "synth"
    }

    fn measure(&mut self) -> Result<Measured<()>> {
        let circuits: Vec<_> = self.instances.iter().cloned().map(|circuit| self.spin.slow(circuit)).collect();
        let timeline = Timeline::start();
        let assignments = synthesize(circuits, self.hint, &timeline)?;
        let total_ns = nanoseconds(timeline.elapsed());
        timeline.record(Phase::Free, || drop(assignments));
        let span_ns = nanoseconds(timeline.elapsed());
        Ok(Measured { phases: timeline.into_spans(), total_ns, span_ns, facts: Vec::new(), output: () })
    }

    fn check(&mut self, (): ()) -> Result<Checked> {
        Ok(Checked::default())
    }
}
