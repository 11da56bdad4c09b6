//! A namespace: a constraint system that lends itself out and leaves the namespace again when dropped.

use std::marker::PhantomData;

use ff::PrimeField;

use super::{ConstraintSystem, SynthesisError};
use crate::{LinearCombination, Variable};

/// A constraint system inside a namespace, which ends when this value is dropped.
///
/// It borrows the root, however deep it is nested. Values have no namespaces, so it can't be extended or made anew.
#[derive(Debug)]
pub struct Namespace<'a, Scalar: PrimeField, CS: ConstraintSystem<Scalar>> {
    root: &'a mut CS,
    scalar: PhantomData<Scalar>,
}

impl<'a, Scalar: PrimeField, CS: ConstraintSystem<Scalar>> Namespace<'a, Scalar, CS> {
    /// Enters the namespace that `name` gives in `root`.
    #[inline]
    pub(super) fn enter<NR, N>(root: &'a mut CS, name: N) -> Self
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        root.push_namespace(name);
        Self { root, scalar: PhantomData }
    }
}

impl<Scalar: PrimeField, CS: ConstraintSystem<Scalar>> Drop for Namespace<'_, Scalar, CS> {
    #[inline]
    fn drop(&mut self) {
        self.root.pop_namespace();
    }
}

impl<Scalar: PrimeField, CS: ConstraintSystem<Scalar>> ConstraintSystem<Scalar> for Namespace<'_, Scalar, CS> {
    type Root = CS::Root;

    #[inline]
    fn one() -> Variable {
        CS::one()
    }

    #[inline]
    fn alloc<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.root.alloc(name, value)
    }

    #[inline]
    fn alloc_input<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.root.alloc_input(name, value)
    }

    #[inline]
    fn enforce<A, AR, LA, LB, LC>(&mut self, name: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.root.enforce(name, a, b, c);
    }

    fn push_namespace<NR, N>(&mut self, _name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        panic!("push_namespace is for a namespace's root; call namespace()")
    }

    fn pop_namespace(&mut self) {
        panic!("a namespace ends when it is dropped; pop_namespace is for its root")
    }

    #[inline]
    fn get_root(&mut self) -> &mut Self::Root {
        self.root.get_root()
    }

    #[inline]
    fn is_witness_generator(&self) -> bool {
        self.root.is_witness_generator()
    }

    fn extend_inputs(&mut self, new_inputs: &[Scalar]) {
        self.root.extend_inputs(new_inputs);
    }

    fn extend_aux(&mut self, new_aux: &[Scalar]) {
        self.root.extend_aux(new_aux);
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Scalar], &mut [Scalar]) {
        self.root.allocate_empty(aux_n, inputs_n)
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Scalar] {
        self.root.allocate_empty_inputs(n)
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Scalar] {
        self.root.allocate_empty_aux(n)
    }

    fn inputs_slice(&self) -> &[Scalar] {
        self.root.inputs_slice()
    }

    fn aux_slice(&self) -> &[Scalar] {
        self.root.aux_slice()
    }
}
