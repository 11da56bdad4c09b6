//! A circuit's constraints, kept as three sparse matrices.

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

use super::names::Names;
use crate::assignment::constrain_inputs;

/// A public input or an auxiliary variable, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column(usize);

impl Column {
    fn new(index: Index) -> Self {
        match index {
            Index::Input(input) => Self(2 * input),
            Index::Aux(aux) => Self(2 * aux + 1),
        }
    }

    /// Its place when all public inputs come before all auxiliary variables.
    pub(super) fn position(self, inputs: usize) -> usize {
        if self.0.is_multiple_of(2) { self.0 / 2 } else { inputs + self.0 / 2 }
    }
}

/// One side of every constraint.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    terms: Vec<(Column, Scalar)>,
    /// Where each row ends in `terms`.
    ends: Vec<usize>,
}

impl Matrix {
    fn push(&mut self, row: &LinearCombination<Scalar>) {
        self.terms.extend(row.iter().map(|(variable, value)| (Column::new(variable.get_unchecked()), *value)));
        self.ends.push(self.terms.len());
    }

    /// The rows, one for each constraint.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[(Column, Scalar)]> {
        let mut from = 0;
        self.ends.iter().map(move |&to| &self.terms[std::mem::replace(&mut from, to)..to])
    }
}

/// The shape of a circuit.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    inputs: usize,
    aux: usize,
    names: Names,
    pub(super) a: Matrix,
    pub(super) b: Matrix,
    pub(super) c: Matrix,
}

impl Assembly {
    /// Synthesizes the circuit, with the additional constraint of every public input at the end.
    pub(super) fn of<C: Circuit<Scalar>>(circuit: C) -> Result<Self, SynthesisError> {
        let mut assembly = <Self as ConstraintSystem<Scalar>>::new();
        circuit.synthesize(&mut assembly)?;
        constrain_inputs(&mut assembly, Self::inputs);
        Ok(assembly)
    }

    /// How many constraints there are.
    pub(super) fn constraints(&self) -> usize {
        self.a.ends.len()
    }

    /// How many public inputs there are, the constant one included.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many auxiliary variables there are.
    pub(super) fn aux(&self) -> usize {
        self.aux
    }

    /// What an auxiliary variable was called in synthesis.
    pub(super) fn aux_name(&self, index: usize) -> String {
        self.names.path(index)
    }
}

impl ConstraintSystem<Scalar> for Assembly {
    type Root = Self;

    fn new() -> Self {
        Self { inputs: 1, ..Self::default() }
    }

    fn alloc<F, A, AR>(&mut self, annotation: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.names.push_variable(&annotation().into());
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

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.a.push(&a(LinearCombination::zero()));
        self.b.push(&b(LinearCombination::zero()));
        self.c.push(&c(LinearCombination::zero()));
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.names.enter(name().into());
    }

    fn pop_namespace(&mut self) {
        self.names.leave();
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
