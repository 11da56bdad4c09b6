use std::error::Error;
use std::io;

use blstrs::Scalar;
use ff::Field;

use crate::boolean::{AllocatedBit, Boolean};
use crate::num::AllocatedNum;
use crate::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// Counts what it is given and calls no closure; as a witness generator it holds private values.
#[derive(Debug, Default)]
struct Counting {
    aux: usize,
    constraints: usize,
    depth: usize,
    deepest: usize,
    generator: Option<Vec<Scalar>>,
}

impl ConstraintSystem<Scalar> for Counting {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Err(SynthesisError::UnconstrainedVariable)
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
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn pop_namespace(&mut self) {
        self.depth -= 1;
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }

    fn is_witness_generator(&self) -> bool {
        self.generator.is_some()
    }

    fn extend_aux(&mut self, new_aux: &[Scalar]) {
        self.generator.as_mut().expect("a generator").extend_from_slice(new_aux);
    }

    fn aux_slice(&self) -> &[Scalar] {
        self.generator.as_ref().expect("a generator")
    }
}

/// A name that must not be asked for.
fn unnamed() -> String {
    unreachable!("this system keeps no names")
}

#[test]
fn namespaces_end_where_they_are_dropped_and_ask_for_no_names() {
    let mut cs = Counting::default();
    {
        let mut outer = cs.namespace(unnamed);
        let bits = [false, true].map(|_| AllocatedBit::alloc(outer.namespace(unnamed), None).unwrap());
        AllocatedBit::xor(outer.namespace(unnamed), &bits[0], &bits[1]).unwrap();
        outer.namespace(unnamed).namespace(unnamed).enforce(unnamed, |lc| lc, |lc| lc, |lc| lc);
    }
    assert_eq!((cs.aux, cs.constraints, cs.depth, cs.deepest), (3, 4, 0, 2 + 1));
}

#[test]
fn circuits_without_a_witness_have_their_shape() {
    let mut cs = Counting::default();
    let missing = || Err(SynthesisError::AssignmentMissing);
    let a = AllocatedNum::alloc(cs.namespace(unnamed), missing).unwrap();
    let condition = Boolean::from(AllocatedBit::alloc(cs.namespace(unnamed), None).unwrap());
    let (first, _) = AllocatedNum::conditionally_reverse(&mut cs, &a, &a, &condition).unwrap();
    assert_eq!(first.mul(&mut cs, &a).unwrap().get_value(), None);
    a.assert_nonzero(&mut cs).unwrap();
    assert_eq!(a.to_bits_le_strict(&mut cs).unwrap().len(), 255);
    assert_eq!((cs.aux, cs.constraints), (1 + 1 + 2 + 1 + 1 + 387, 1 + 2 + 1 + 1 + 388));
}

#[test]
fn references_and_namespaces_hand_everything_on() {
    let mut cs = Counting { generator: Some(Vec::new()), ..Counting::default() };
    let by_reference = &mut cs;
    let mut namespace = by_reference.namespace(unnamed);
    assert!(namespace.is_witness_generator());
    namespace.extend_aux(&[Scalar::ONE, Scalar::ZERO]);
    assert_eq!(namespace.aux_slice(), [Scalar::ONE, Scalar::ZERO]);
    assert!(matches!(namespace.alloc_input(unnamed, || Ok(Scalar::ONE)), Err(SynthesisError::UnconstrainedVariable)));
    drop(namespace);
    assert!(<&mut Counting>::is_witness_generator(&&mut cs));
    assert!(!<&mut Counting>::is_extensible());
}

#[test]
#[should_panic(expected = "extend_inputs is for witness generators only")]
fn other_systems_take_no_bare_witness() {
    Counting::default().extend_inputs(&[]);
}

#[test]
#[should_panic(expected = "this witness generator has no ConstraintSystem::extend_inputs of its own")]
fn a_generator_that_lacks_a_method_is_told() {
    Counting { generator: Some(Vec::new()), ..Counting::default() }.extend_inputs(&[]);
}

#[test]
#[should_panic(expected = "a namespace ends when it is dropped; pop_namespace is for its root")]
fn a_namespace_is_left_by_dropping_it() {
    Counting::default().namespace(unnamed).pop_namespace();
}

#[test]
fn an_io_error_becomes_a_synthesis_error_that_keeps_it() {
    let error = SynthesisError::from(io::Error::other("disk gone"));
    assert_eq!(error.to_string(), "encountered an I/O error: disk gone");
    assert_eq!(error.source().expect("the I/O error").to_string(), "disk gone");
}
