//! A slowdown of a known size, for the harness to find: proof that it would find a real one.

use std::time::{Duration, Instant};

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use clap::Args;

/// Hidden from help: nobody who measures wants them.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct SpinArgs {
    /// After each synthesis, spin for this share of the time it took
    #[arg(long, value_name = "PERCENT", default_value_t = 0, hide = true)]
    spin_synthesis: u32,

    /// Does nothing, whatever its value: the harness must not find a difference here
    #[arg(long, value_name = "PERCENT", default_value_t = 0, hide = true)]
    spin_nothing: u32,
}

impl SpinArgs {
    /// The circuit, slowed down as asked.
    pub(crate) fn slow<C>(self, circuit: C) -> Spinning<C> {
        Spinning { circuit, percent: self.spin_synthesis }
    }
}

/// A circuit whose synthesis takes longer than it has to.
#[derive(Clone, Debug)]
pub(crate) struct Spinning<C> {
    circuit: C,
    percent: u32,
}

impl<C: Circuit<Scalar>> Circuit<Scalar> for Spinning<C> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let start = Instant::now();
        self.circuit.synthesize(cs)?;
        if self.percent > 0 {
            spin(start.elapsed() * self.percent / 100);
        }
        Ok(())
    }
}

/// Keeps the processor busy.
fn spin(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use bellpepper_core::test_cs::TestConstraintSystem;
    use groth16_prover::circuits::CircuitSpec;

    use super::*;

    #[test]
    fn spinning_adds_no_constraint() {
        let circuit = "sha256:1".parse::<CircuitSpec>().unwrap().instance(1, 0).unwrap();
        let constraints = |percent| {
            let mut cs = TestConstraintSystem::new();
            Spinning { circuit: circuit.clone(), percent }.synthesize(&mut cs).unwrap();
            cs.num_constraints()
        };
        assert_eq!(constraints(1), constraints(0));
    }

    #[test]
    fn a_spin_is_no_shorter_than_asked() {
        let (start, length) = (Instant::now(), Duration::from_millis(3));
        spin(length);
        assert!(start.elapsed() >= length);
    }
}
