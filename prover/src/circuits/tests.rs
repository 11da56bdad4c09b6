//! Shape and values of the circuits, in a constraint system that keeps everything.

use bellpepper_core::Circuit;
use bellpepper_core::test_cs::TestConstraintSystem;
use blstrs::Scalar;
use ff::Field;

use super::{CircuitSpec, PoseidonChain};

fn synthesized(spec: &str, index: u64) -> (TestConstraintSystem<Scalar>, Vec<Scalar>) {
    let instance = spec.parse::<CircuitSpec>().unwrap().instance(7, index).unwrap();
    let inputs = instance.public_inputs();
    let mut cs = TestConstraintSystem::new();
    instance.synthesize(&mut cs).unwrap();
    (cs, inputs)
}

/// The native values are what the constraints accept, and nothing else.
#[test]
fn the_circuits_hold_with_the_native_public_inputs_only() {
    for spec in ["sha256:1", "sha256:2", "mixed:1,1", "mixed:2,3"] {
        let (cs, mut inputs) = synthesized(spec, 0);
        assert_eq!(cs.which_is_unsatisfied(), None, "{spec}");
        assert!(cs.verify(&inputs), "{spec}");
        let last = inputs.last_mut().unwrap();
        *last += Scalar::ONE;
        assert!(!cs.verify(&inputs), "{spec}");
    }
}

#[test]
fn circuits_of_a_batch_differ_in_values_not_in_shape() {
    let (first, inputs) = synthesized("mixed:1,2", 0);
    let (second, others) = synthesized("mixed:1,2", 1);
    assert_eq!(first.num_constraints(), second.num_constraints());
    assert_ne!(inputs, others);
}

/// The last variable is the output of the last hash.
#[test]
fn the_chain_ends_where_the_native_hash_does() {
    let chain = PoseidonChain::new(3, 7, 0);
    let end = chain.end();
    let mut cs = TestConstraintSystem::<Scalar>::new();
    chain.synthesize(&mut cs).unwrap();
    let outputs: Vec<Scalar> = cs.scalar_aux().into_iter().collect();
    assert_eq!(outputs.last(), Some(&end));
}

/// Constraints, public inputs (with the constant one) and private variables of small sizes; `mixed:30,500` follows from them
/// by linearity, and was counted once: 994,447, 3 and 997,166.
#[test]
fn sizes_are_those_of_the_reference_circuits() {
    for (spec, constraints, auxiliary) in [("sha256:1", 26_031, 26_003), ("mixed:1,1", 26_419, 26_399)] {
        let (cs, inputs) = synthesized(spec, 0);
        assert_eq!(
            (cs.num_constraints(), 1 + inputs.len(), cs.scalar_aux().len()),
            (constraints, 3, auxiliary),
            "{spec}"
        );
    }
}

/// One more block and one more hash cost the same everywhere: nothing is shared, nothing grows faster than the size.
#[test]
fn size_is_linear_in_blocks_and_in_hashes() {
    let constraints = |spec| synthesized(spec, 0).0.num_constraints();
    let block = constraints("sha256:2") - constraints("sha256:1");
    assert_eq!(constraints("sha256:3") - constraints("sha256:2"), block);
    let hash = constraints("mixed:1,2") - constraints("mixed:1,1");
    assert_eq!(constraints("mixed:1,5") - constraints("mixed:1,2"), 3 * hash);
    assert_eq!(constraints("mixed:2,1") - constraints("mixed:1,1"), block);
}
