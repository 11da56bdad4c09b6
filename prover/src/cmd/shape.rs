//! How large a circuit's assignment will be, by counting alone: no value is computed, no combination is built.

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use groth16_prover::assignment::CapacityHint;

/// Counts a circuit, with the additional constraint of every public input.
pub(crate) fn shape(circuit: impl Circuit<Scalar>) -> Result<CapacityHint, SynthesisError> {
    let mut counter = Counter { constraints: 0, inputs: 1, aux: 0 };
    circuit.synthesize(&mut counter)?;
    let Counter { constraints, inputs, aux } = counter;
    Ok(CapacityHint { constraints: constraints + inputs, inputs, aux })
}

struct Counter {
    constraints: usize,
    inputs: usize,
    aux: usize,
}

impl ConstraintSystem<Scalar> for Counter {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use groth16_prover::assignment::ProvingAssignment;
    use groth16_prover::circuits::CircuitSpec;

    use super::*;

    #[test]
    fn the_count_is_the_size_of_the_assignment() {
        for spec in ["sha256:1", "mixed:1,2"] {
            let circuit = spec.parse::<CircuitSpec>().unwrap().instance(1, 0).unwrap();
            let hint = shape(circuit.clone()).unwrap();
            let assignment = ProvingAssignment::synthesize(circuit, None).unwrap();
            assert_eq!(hint.constraints, assignment.a.len());
            assert_eq!((hint.inputs, hint.aux), (assignment.inputs.len(), assignment.aux.len()));
        }
    }

    #[test]
    fn the_estimate_of_a_specification_is_near_the_count() {
        for spec in ["sha256:1", "mixed:1,1", "mixed:3,200"] {
            let spec: CircuitSpec = spec.parse().unwrap();
            let (estimate, counted) =
                (spec.about_constraints(), shape(spec.instance(1, 0).unwrap()).unwrap().constraints as u64);
            assert!(estimate.abs_diff(counted) * 100 < 3 * counted, "{spec}: {estimate} is not near {counted}");
        }
    }
}
