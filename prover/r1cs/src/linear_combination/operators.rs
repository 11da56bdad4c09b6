//! `+` and `-` with a variable, a variable with a coefficient, a combination, and a combination with a factor.

use std::ops::{Add, Sub};

use ff::PrimeField;

use super::LinearCombination;
use crate::Variable;

impl<Scalar: PrimeField> Add<Variable> for LinearCombination<Scalar> {
    type Output = Self;

    #[inline]
    fn add(mut self, variable: Variable) -> Self {
        self.add_term(variable, Scalar::ONE);
        self
    }
}

impl<Scalar: PrimeField> Sub<Variable> for LinearCombination<Scalar> {
    type Output = Self;

    #[inline]
    fn sub(mut self, variable: Variable) -> Self {
        self.add_term(variable, -Scalar::ONE);
        self
    }
}

impl<Scalar: PrimeField> Add<(Scalar, Variable)> for LinearCombination<Scalar> {
    type Output = Self;

    #[inline]
    fn add(mut self, (coeff, variable): (Scalar, Variable)) -> Self {
        self.add_term(variable, coeff);
        self
    }
}

impl<Scalar: PrimeField> Sub<(Scalar, Variable)> for LinearCombination<Scalar> {
    type Output = Self;

    #[inline]
    fn sub(mut self, (coeff, variable): (Scalar, Variable)) -> Self {
        self.add_term(variable, -coeff);
        self
    }
}

impl<'a, Scalar: PrimeField> Add<&'a Self> for LinearCombination<Scalar> {
    type Output = Self;

    fn add(mut self, other: &'a Self) -> Self {
        self.add_scaled(other, |coeff| coeff);
        self
    }
}

impl<'a, Scalar: PrimeField> Sub<&'a Self> for LinearCombination<Scalar> {
    type Output = Self;

    fn sub(mut self, other: &'a Self) -> Self {
        self.add_scaled(other, |coeff| -coeff);
        self
    }
}

impl<'a, Scalar: PrimeField> Add<(Scalar, &'a Self)> for LinearCombination<Scalar> {
    type Output = Self;

    fn add(mut self, (factor, other): (Scalar, &'a Self)) -> Self {
        self.add_multiple(factor, other);
        self
    }
}

impl<'a, Scalar: PrimeField> Sub<(Scalar, &'a Self)> for LinearCombination<Scalar> {
    type Output = Self;

    fn sub(mut self, (factor, other): (Scalar, &'a Self)) -> Self {
        self.add_multiple(-factor, other);
        self
    }
}
