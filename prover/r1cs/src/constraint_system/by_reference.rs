//! A borrowed constraint system is one too, so gadgets can take theirs by value.

use ff::PrimeField;

use super::{ConstraintSystem, SynthesisError};
use crate::{LinearCombination, Variable};

impl<Scalar: PrimeField, CS: ConstraintSystem<Scalar>> ConstraintSystem<Scalar> for &mut CS {
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
        (**self).alloc(name, value)
    }

    #[inline]
    fn alloc_input<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        (**self).alloc_input(name, value)
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
        (**self).enforce(name, a, b, c);
    }

    #[inline]
    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        (**self).push_namespace(name);
    }

    #[inline]
    fn pop_namespace(&mut self) {
        (**self).pop_namespace();
    }

    #[inline]
    fn get_root(&mut self) -> &mut Self::Root {
        (**self).get_root()
    }

    fn is_extensible() -> bool {
        CS::is_extensible()
    }

    fn extend(&mut self, other: &Self) {
        (**self).extend(other);
    }

    #[inline]
    fn is_witness_generator(&self) -> bool {
        (**self).is_witness_generator()
    }

    fn extend_inputs(&mut self, new_inputs: &[Scalar]) {
        (**self).extend_inputs(new_inputs);
    }

    fn extend_aux(&mut self, new_aux: &[Scalar]) {
        (**self).extend_aux(new_aux);
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Scalar], &mut [Scalar]) {
        (**self).allocate_empty(aux_n, inputs_n)
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Scalar] {
        (**self).allocate_empty_inputs(n)
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Scalar] {
        (**self).allocate_empty_aux(n)
    }

    fn inputs_slice(&self) -> &[Scalar] {
        (**self).inputs_slice()
    }

    fn aux_slice(&self) -> &[Scalar] {
        (**self).aux_slice()
    }
}
