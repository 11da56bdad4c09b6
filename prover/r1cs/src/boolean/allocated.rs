//! Variables that are zero or one.

use ff::PrimeField;

use crate::{ConstraintSystem, SynthesisError, Variable};

/// A private variable that its constraint keeps at zero or one.
#[derive(Clone, Debug)]
pub struct AllocatedBit {
    variable: Variable,
    value: Option<bool>,
}

impl AllocatedBit {
    /// The bit's value, where it is known.
    pub fn get_value(&self) -> Option<bool> {
        self.value
    }

    /// The bit's variable.
    pub fn get_variable(&self) -> Variable {
        self.variable
    }

    /// Allocates a bit: (1 − bit) · bit = 0.
    pub fn alloc<Scalar, CS>(mut cs: CS, value: Option<bool>) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let bit = Self::unconstrained(&mut cs, "boolean", value)?;
        cs.enforce(|| "boolean constraint", |lc| lc + CS::one() - bit.variable, |lc| lc + bit.variable, |lc| lc);
        Ok(bit)
    }

    /// Allocates a bit that is false where `must_be_false` is true: (1 − `must_be_false` − bit) · bit = 0.
    pub fn alloc_conditionally<Scalar, CS>(
        mut cs: CS,
        value: Option<bool>,
        must_be_false: &AllocatedBit,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let bit = Self::unconstrained(&mut cs, "boolean", value)?;
        cs.enforce(
            || "boolean constraint",
            |lc| lc + CS::one() - must_be_false.variable - bit.variable,
            |lc| lc + bit.variable,
            |lc| lc,
        );
        Ok(bit)
    }

    /// `a` XOR `b`: 2a · b = a + b − result.
    pub fn xor<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let value = a.value.zip(b.value).map(|(a, b)| a ^ b);
        let result = Self::unconstrained(&mut cs, "xor result", value)?;
        cs.enforce(
            || "xor constraint",
            |lc| lc + (Scalar::ONE.double(), a.variable),
            |lc| lc + b.variable,
            |lc| lc + a.variable + b.variable - result.variable,
        );
        Ok(result)
    }

    /// `a` AND `b`: a · b = result.
    pub fn and<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let value = a.value.zip(b.value).map(|(a, b)| a && b);
        let result = Self::unconstrained(&mut cs, "and result", value)?;
        cs.enforce(|| "and constraint", |lc| lc + a.variable, |lc| lc + b.variable, |lc| lc + result.variable);
        Ok(result)
    }

    /// `a` AND (NOT `b`): a · (1 − b) = result.
    pub fn and_not<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let value = a.value.zip(b.value).map(|(a, b)| a && !b);
        let result = Self::unconstrained(&mut cs, "and not result", value)?;
        cs.enforce(
            || "and not constraint",
            |lc| lc + a.variable,
            |lc| lc + CS::one() - b.variable,
            |lc| lc + result.variable,
        );
        Ok(result)
    }

    /// (NOT `a`) AND (NOT `b`): (1 − a) · (1 − b) = result.
    pub fn nor<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let value = a.value.zip(b.value).map(|(a, b)| !a && !b);
        let result = Self::unconstrained(&mut cs, "nor result", value)?;
        cs.enforce(
            || "nor constraint",
            |lc| lc + CS::one() - a.variable,
            |lc| lc + CS::one() - b.variable,
            |lc| lc + result.variable,
        );
        Ok(result)
    }

    /// A new variable for a bit, which the caller's constraint must keep at zero or one.
    #[inline]
    pub(super) fn unconstrained<Scalar, CS>(
        cs: &mut CS,
        name: &'static str,
        value: Option<bool>,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let variable = cs.alloc(
            || name,
            || match value {
                Some(true) => Ok(Scalar::ONE),
                Some(false) => Ok(Scalar::ZERO),
                None => Err(SynthesisError::AssignmentMissing),
            },
        )?;
        Ok(Self { variable, value })
    }
}
