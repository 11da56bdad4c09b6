//! A constraint system for tests: it keeps everything, knows everything by name, and says which constraint fails.
//!
//! It is for circuits of test size: each variable and constraint costs a string. Its panics are a test's failures.

mod digest;
mod names;

use ff::PrimeField;

use self::names::{Names, Object};
use crate::{Comparable, Constraint, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// A constraint system that can be looked into.
///
/// Names are paths, `outer/inner/name`; giving one twice, or one with a `/` in it, panics. The constant one is `ONE`.
#[derive(Debug)]
pub struct TestConstraintSystem<Scalar: PrimeField> {
    names: Names,
    constraints: Vec<Constraint<Scalar>>,
    /// Values and full names.
    inputs: Vec<(Scalar, String)>,
    aux: Vec<(Scalar, String)>,
}

impl<Scalar: PrimeField> TestConstraintSystem<Scalar> {
    /// A system with the constant one alone.
    pub fn new() -> Self {
        let mut names = Names::default();
        let one = names.define("ONE", Object::Var(<Self as ConstraintSystem<Scalar>>::one()));
        Self { names, constraints: Vec::new(), inputs: vec![(Scalar::ONE, one)], aux: Vec::new() }
    }

    /// The values of the public inputs, the constant one first.
    pub fn scalar_inputs(&self) -> Vec<Scalar> {
        self.inputs.iter().map(|(value, _)| *value).collect()
    }

    /// The values of the private variables.
    pub fn scalar_aux(&self) -> Vec<Scalar> {
        self.aux.iter().map(|(value, _)| *value).collect()
    }

    /// The names of everything: public inputs (`INPUT …`), private variables (`AUX …`), constraints.
    pub fn pretty_print_list(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|(_, name)| format!("INPUT {name}"));
        let aux = self.aux.iter().map(|(_, name)| format!("AUX {name}"));
        let constraints = self.constraints.iter().map(|(.., name)| name.clone());
        inputs.chain(aux).chain(constraints).collect()
    }

    /// The same, a line each.
    pub fn pretty_print(&self) -> String {
        self.pretty_print_list().join("\n")
    }

    /// A digest of the constraints and the numbers of variables, in hexadecimal; names and values are not in it.
    pub fn hash(&self) -> String {
        digest::digest(self.inputs.len(), self.aux.len(), &self.constraints)
    }

    /// The name of the first constraint that the values do not satisfy.
    pub fn which_is_unsatisfied(&self) -> Option<&str> {
        let (inputs, aux) = (self.scalar_inputs(), self.scalar_aux());
        let value = |lc: &LinearCombination<Scalar>| lc.eval(&inputs, &aux);
        let unsatisfied = self.constraints.iter().find(|(a, b, c, _)| value(a) * value(b) != value(c));
        unsatisfied.map(|(.., name)| name.as_str())
    }

    /// Whether the values satisfy every constraint.
    pub fn is_satisfied(&self) -> bool {
        self.which_is_unsatisfied().is_none()
    }

    /// The number of constraints.
    pub fn num_constraints(&self) -> usize {
        self.constraints.len()
    }

    /// Gives the variable at `path` the value `to`, whatever its constraints say.
    pub fn set(&mut self, path: &str, to: Scalar) {
        match self.names.variable(path) {
            Index::Input(number) => self.inputs[number].0 = to,
            Index::Aux(number) => self.aux[number].0 = to,
        }
    }

    /// Whether the public inputs, without the constant one, are `expected`; panics if their number is another.
    pub fn verify(&self, expected: &[Scalar]) -> bool {
        assert_eq!(expected.len() + 1, self.inputs.len());
        self.inputs[1..].iter().map(|(value, _)| value).eq(expected)
    }

    /// The number of public inputs, the constant one included.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The value of the public input with this number, which must have the name `path`.
    pub fn get_input(&mut self, index: usize, path: &str) -> Scalar {
        let (value, name) = &self.inputs[index];
        assert_eq!(path, name);
        *value
    }

    /// The values and full names of the public inputs, the constant one first.
    pub fn get_inputs(&self) -> &[(Scalar, String)] {
        &self.inputs
    }

    /// The value of the variable at `path`.
    pub fn get(&mut self, path: &str) -> Scalar {
        match self.names.variable(path) {
            Index::Input(number) => self.inputs[number].0,
            Index::Aux(number) => self.aux[number].0,
        }
    }
}

impl<Scalar: PrimeField> Default for TestConstraintSystem<Scalar> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Scalar: PrimeField> Comparable<Scalar> for TestConstraintSystem<Scalar> {
    fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    fn num_constraints(&self) -> usize {
        self.constraints.len()
    }

    fn inputs(&self) -> Vec<String> {
        self.inputs.iter().map(|(_, name)| name.clone()).collect()
    }

    fn aux(&self) -> Vec<String> {
        self.aux.iter().map(|(_, name)| name.clone()).collect()
    }

    fn constraints(&self) -> &[Constraint<Scalar>] {
        &self.constraints
    }
}

impl<Scalar: PrimeField> ConstraintSystem<Scalar> for TestConstraintSystem<Scalar> {
    type Root = Self;

    fn new() -> Self {
        Self::new()
    }

    fn alloc<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = value()?;
        let variable = Variable(Index::Aux(self.aux.len()));
        let name = self.names.define(&name().into(), Object::Var(variable));
        self.aux.push((value, name));
        Ok(variable)
    }

    fn alloc_input<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = value()?;
        let variable = Variable(Index::Input(self.inputs.len()));
        let name = self.names.define(&name().into(), Object::Var(variable));
        self.inputs.push((value, name));
        Ok(variable)
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, name: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let name = self.names.define(&name().into(), Object::Constraint);
        let [a, b, c] = [a(LinearCombination::zero()), b(LinearCombination::zero()), c(LinearCombination::zero())];
        self.constraints.push((a, b, c, name));
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

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

#[cfg(test)]
mod tests;
