//! Numbers that are variables, and the operations that cost one variable and one constraint.

use ff::PrimeField;
use serde::{Deserialize, Serialize};

use crate::boolean::Boolean;
use crate::{ConstraintSystem, SynthesisError, Variable};

/// A variable and, where it is known, its value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AllocatedNum<Scalar: PrimeField> {
    pub(super) value: Option<Scalar>,
    pub(super) variable: Variable,
}

impl<Scalar: PrimeField> AllocatedNum<Scalar> {
    /// Allocates a private variable; `value` is called only by systems that hold an assignment.
    pub fn alloc<CS, F>(mut cs: CS, value: F) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        let mut known = None;
        let variable = cs.alloc(|| "num", || remember(&mut known, value))?;
        Ok(Self { value: known, variable })
    }

    /// Allocates a public input.
    pub fn alloc_input<CS, F>(mut cs: CS, value: F) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        let mut known = None;
        let variable = cs.alloc_input(|| "input num", || remember(&mut known, value))?;
        Ok(Self { value: known, variable })
    }

    /// Allocates a public input or a private variable, for circuits whose parts may be either.
    pub fn alloc_maybe_input<CS, F>(cs: CS, is_input: bool, value: F) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        if is_input { Self::alloc_input(cs, value) } else { Self::alloc(cs, value) }
    }

    /// Allocates a public input and enforces that it equals the number: input · 1 = number.
    pub fn inputize<CS>(&self, mut cs: CS) -> Result<(), SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let input = cs.alloc_input(|| "input variable", || self.known())?;
        cs.enforce(|| "enforce input is correct", |lc| lc + input, |lc| lc + CS::one(), |lc| lc + self.variable);
        Ok(())
    }

    /// The product of both numbers.
    pub fn mul<CS>(&self, mut cs: CS, other: &Self) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let mut known = None;
        let product = || Ok(self.known()? * other.known()?);
        let variable = cs.alloc(|| "product num", || remember(&mut known, product))?;
        cs.enforce(
            || "multiplication constraint",
            |lc| lc + self.variable,
            |lc| lc + other.variable,
            |lc| lc + variable,
        );
        Ok(Self { value: known, variable })
    }

    /// The number's square.
    pub fn square<CS>(&self, mut cs: CS) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let mut known = None;
        let square = || Ok(self.known()?.square());
        let variable = cs.alloc(|| "squared num", || remember(&mut known, square))?;
        cs.enforce(|| "squaring constraint", |lc| lc + self.variable, |lc| lc + self.variable, |lc| lc + variable);
        Ok(Self { value: known, variable })
    }

    /// Enforces that the number is not zero, by giving its inverse: number · inverse = 1.
    pub fn assert_nonzero<CS>(&self, mut cs: CS) -> Result<(), SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let inverse = || Option::from(self.known()?.invert()).ok_or(SynthesisError::DivisionByZero);
        let inverse = cs.alloc(|| "ephemeral inverse", inverse)?;
        cs.enforce(|| "nonzero assertion constraint", |lc| lc + self.variable, |lc| lc + inverse, |lc| lc + CS::one());
        Ok(())
    }

    /// (`b`, `a`) where `condition` is true, else (`a`, `b`): (a − b) · condition = a − first, and the same for the second.
    pub fn conditionally_reverse<CS>(
        mut cs: CS,
        a: &Self,
        b: &Self,
        condition: &Boolean,
    ) -> Result<(Self, Self), SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let first =
            a.replaced_if(&mut cs, ["conditional reversal result 1", "first conditional reversal"], b, condition)?;
        let second =
            b.replaced_if(&mut cs, ["conditional reversal result 2", "second conditional reversal"], a, condition)?;
        Ok((first, second))
    }

    /// The number's value, where it is known.
    pub fn get_value(&self) -> Option<Scalar> {
        self.value
    }

    /// The number's variable.
    pub fn get_variable(&self) -> Variable {
        self.variable
    }

    /// `other` where `condition` is true, else this number; `names` are the result's and the constraint's.
    fn replaced_if<CS>(
        &self,
        cs: &mut CS,
        names: [&'static str; 2],
        other: &Self,
        condition: &Boolean,
    ) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let chosen = Self::alloc(cs.namespace(|| names[0]), || {
            let replace = condition.get_value().ok_or(SynthesisError::AssignmentMissing)?;
            if replace { other.known() } else { self.known() }
        })?;
        cs.enforce(
            || names[1],
            |lc| lc + self.variable - other.variable,
            |lc| condition.add_to(lc, CS::one(), Scalar::ONE),
            |lc| lc + self.variable - chosen.variable,
        );
        Ok(chosen)
    }

    /// The value, or the error that it is not known.
    fn known(&self) -> Result<Scalar, SynthesisError> {
        self.value.ok_or(SynthesisError::AssignmentMissing)
    }
}

/// Calls `value` and keeps a copy of the result in `known`.
fn remember<Scalar: Copy>(
    known: &mut Option<Scalar>,
    value: impl FnOnce() -> Result<Scalar, SynthesisError>,
) -> Result<Scalar, SynthesisError> {
    let value = value()?;
    *known = Some(value);
    Ok(value)
}
