//! Bits, negated bits and constants under one type, with the gates that choose the cheapest constraint for each.

use ff::PrimeField;

use super::AllocatedBit;
use crate::{ConstraintSystem, LinearCombination, SynthesisError, Variable};

/// A boolean: an allocated bit, its negation, or a constant.
#[derive(Clone, Debug)]
pub enum Boolean {
    /// The bit itself.
    Is(AllocatedBit),
    /// The bit's negation.
    Not(AllocatedBit),
    /// No variable.
    Constant(bool),
}

impl Boolean {
    /// Whether it is a constant of the circuit.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// The constant `value`.
    pub fn constant(value: bool) -> Self {
        Self::Constant(value)
    }

    /// Its value, where it is known.
    pub fn get_value(&self) -> Option<bool> {
        match self {
            Self::Is(bit) => bit.get_value(),
            Self::Not(bit) => bit.get_value().map(|value| !value),
            Self::Constant(value) => Some(*value),
        }
    }

    /// `coeff` times the boolean as zero or one; `one` is the constant one of the constraint system.
    pub fn lc<Scalar: PrimeField>(&self, one: Variable, coeff: Scalar) -> LinearCombination<Scalar> {
        self.add_to(LinearCombination::zero(), one, coeff)
    }

    /// `lc` plus `coeff` times the boolean as zero or one.
    #[inline]
    pub(crate) fn add_to<Scalar: PrimeField>(
        &self,
        lc: LinearCombination<Scalar>,
        one: Variable,
        coeff: Scalar,
    ) -> LinearCombination<Scalar> {
        match self {
            Self::Is(bit) => lc + (coeff, bit.get_variable()),
            Self::Not(bit) => lc + (coeff, one) - (coeff, bit.get_variable()),
            Self::Constant(true) => lc + (coeff, one),
            Self::Constant(false) => lc,
        }
    }

    /// The negation, which costs nothing.
    #[must_use]
    pub fn not(&self) -> Self {
        match self {
            Self::Is(bit) => Self::Not(bit.clone()),
            Self::Not(bit) => Self::Is(bit.clone()),
            Self::Constant(value) => Self::Constant(!value),
        }
    }

    /// Enforces that both are equal; an error if they are constants that are not.
    pub fn enforce_equal<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<(), SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let one = CS::one();
        match (a, b) {
            (Self::Constant(a), Self::Constant(b)) if a == b => {}
            (Self::Constant(_), Self::Constant(_)) => return Err(SynthesisError::Unsatisfiable),
            (Self::Constant(true), bit) | (bit, Self::Constant(true)) => {
                let difference = |lc| bit.add_to(lc + one, one, -Scalar::ONE);
                cs.enforce(|| "enforce equal to one", |lc| lc, |lc| lc, difference);
            }
            (Self::Constant(false), bit) | (bit, Self::Constant(false)) => {
                cs.enforce(|| "enforce equal to zero", |lc| lc, |lc| lc, |lc| bit.add_to(lc, one, Scalar::ONE));
            }
            (a, b) => {
                let difference = |lc| b.add_to(a.add_to(lc, one, Scalar::ONE), one, -Scalar::ONE);
                cs.enforce(|| "enforce equal", |lc| lc, |lc| lc, difference);
            }
        }
        Ok(())
    }

    /// `a` XOR `b`.
    pub fn xor<Scalar, CS>(cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Ok(match (a, b) {
            (Self::Constant(false), other) | (other, Self::Constant(false)) => other.clone(),
            (Self::Constant(true), other) | (other, Self::Constant(true)) => other.not(),
            (Self::Is(is), Self::Not(not)) | (Self::Not(not), Self::Is(is)) => {
                Self::Not(AllocatedBit::xor(cs, is, not)?)
            }
            (Self::Is(a), Self::Is(b)) | (Self::Not(a), Self::Not(b)) => Self::Is(AllocatedBit::xor(cs, a, b)?),
        })
    }

    /// `a` AND `b`.
    pub fn and<Scalar, CS>(cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Ok(match (a, b) {
            (Self::Constant(false), _) | (_, Self::Constant(false)) => Self::Constant(false),
            (Self::Constant(true), other) | (other, Self::Constant(true)) => other.clone(),
            (Self::Is(is), Self::Not(not)) | (Self::Not(not), Self::Is(is)) => {
                Self::Is(AllocatedBit::and_not(cs, is, not)?)
            }
            (Self::Is(a), Self::Is(b)) => Self::Is(AllocatedBit::and(cs, a, b)?),
            (Self::Not(a), Self::Not(b)) => Self::Is(AllocatedBit::nor(cs, a, b)?),
        })
    }

    /// `a` OR `b`.
    pub(super) fn or<Scalar, CS>(cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Ok(Self::and(cs, &a.not(), &b.not())?.not())
    }
}

impl From<AllocatedBit> for Boolean {
    fn from(bit: AllocatedBit) -> Self {
        Self::Is(bit)
    }
}
