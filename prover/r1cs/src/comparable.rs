//! Comparing two constraint systems, as when a proof does not verify though the circuit is satisfied.

use ff::PrimeField;

use crate::LinearCombination;

/// A constraint a · b = c and its full name.
pub type Constraint<Scalar> = (LinearCombination<Scalar>, LinearCombination<Scalar>, LinearCombination<Scalar>, String);

/// How two constraint systems differ; counts and constraints are those of the left, then of the right one.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "the published shape, and one is made a comparison")]
pub enum Delta<Scalar: PrimeField> {
    /// They don't.
    Equal,
    /// Only in a count that was to be ignored.
    Different,
    /// In the number of public inputs.
    InputCountMismatch(usize, usize),
    /// In the number of constraints.
    ConstraintCountMismatch(usize, usize),
    /// In the constraint with this number, the first that differs.
    ConstraintMismatch(usize, Constraint<Scalar>, Constraint<Scalar>),
}

/// A constraint system that kept its constraints and names.
pub trait Comparable<Scalar: PrimeField> {
    /// The number of public inputs, the constant one included.
    fn num_inputs(&self) -> usize;

    /// The number of constraints.
    fn num_constraints(&self) -> usize;

    /// The full names of the public inputs.
    fn inputs(&self) -> Vec<String>;

    /// The full names of the private variables.
    fn aux(&self) -> Vec<String>;

    /// All constraints in their order.
    fn constraints(&self) -> &[Constraint<Scalar>];

    /// The first difference to `other`: inputs' count, constraints' count, then the constraints, names included.
    ///
    /// With `ignore_counts` a constraint that differs is reported even where counts differ.
    fn delta<C: Comparable<Scalar>>(&self, other: &C, ignore_counts: bool) -> Delta<Scalar> {
        let inputs = (self.num_inputs(), other.num_inputs());
        let constraints = (self.num_constraints(), other.num_constraints());
        let counts_differ = inputs.0 != inputs.1 || constraints.0 != constraints.1;
        if !ignore_counts {
            if inputs.0 != inputs.1 {
                return Delta::InputCountMismatch(inputs.0, inputs.1);
            }
            if constraints.0 != constraints.1 {
                return Delta::ConstraintCountMismatch(constraints.0, constraints.1);
            }
        }
        let mut pairs = self.constraints().iter().zip(other.constraints()).enumerate();
        match pairs.find(|(_, (left, right))| left != right) {
            Some((number, (left, right))) => Delta::ConstraintMismatch(number, left.clone(), right.clone()),
            None if counts_differ => Delta::Different,
            None => Delta::Equal,
        }
    }
}
