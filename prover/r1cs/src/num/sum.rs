//! Numbers that are no variables but sums of some: adding and scaling them costs no constraint.

use ff::PrimeField;

use super::AllocatedNum;
use crate::boolean::Boolean;
use crate::{LinearCombination, Variable};

/// A linear combination and, where it is known, its value.
#[derive(Clone, Debug)]
pub struct Num<Scalar: PrimeField> {
    value: Option<Scalar>,
    lc: LinearCombination<Scalar>,
}

impl<Scalar: PrimeField> Num<Scalar> {
    /// The number zero, without terms.
    pub fn zero() -> Self {
        Self { value: Some(Scalar::ZERO), lc: LinearCombination::zero() }
    }

    /// The number's value, where it is known.
    pub fn get_value(&self) -> Option<Scalar> {
        self.value
    }

    /// The combination times `coeff`.
    pub fn lc(&self, coeff: Scalar) -> LinearCombination<Scalar> {
        LinearCombination::zero() + (coeff, &self.lc)
    }

    /// The number plus `coeff` times `bit`; `one` is the constant one of the constraint system.
    #[must_use]
    pub fn add_bool_with_coeff(self, one: Variable, bit: &Boolean, coeff: Scalar) -> Self {
        let value = self.value.zip(bit.get_value()).map(|(value, bit)| if bit { value + coeff } else { value });
        Self { value, lc: bit.add_to(self.lc, one, coeff) }
    }

    /// The sum of both numbers. If one value is unknown, the sum's is the other: circuits without a witness count on sums
    /// that start at [`zero`](Self::zero) to have a value.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "circuits call it by the published name")]
    pub fn add(self, other: &Self) -> Self {
        let value = match (self.value, other.value) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Self { value, lc: self.lc + &other.lc }
    }

    /// The number times `scalar`.
    #[must_use]
    pub fn scale(mut self, scalar: Scalar) -> Self {
        for (_, coeff) in self.lc.iter_mut() {
            *coeff *= scalar;
        }
        Self { value: self.value.map(|value| value * scalar), lc: self.lc }
    }
}

impl<Scalar: PrimeField> From<AllocatedNum<Scalar>> for Num<Scalar> {
    fn from(number: AllocatedNum<Scalar>) -> Self {
        Self { value: number.value, lc: LinearCombination::from_variable(number.variable) }
    }
}
