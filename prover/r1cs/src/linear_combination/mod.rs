//! Linear combinations of variables: the sides of a constraint, built and dropped by the million in a synthesis.
//!
//! Invariant: the terms of public inputs come first, then those of private variables, each part in strictly ascending
//! order of the variables' numbers, so a variable has at most one term. A term stays when its coefficient becomes zero:
//! who counts variables (a prover's densities, a generator's queries) skips zero coefficients itself.
//!
//! Circuits mostly add variables in the order of allocation, which appends. Where they don't, the next term most often
//! belongs right after the latest one, so its position is remembered; else a binary search finds the place.

mod operators;
mod storage;
mod sum;

use std::fmt;

use ff::PrimeField;

use self::storage::Terms;
use crate::{Index, Variable};

/// The number of a variable and its coefficient.
type Term<Scalar> = (usize, Scalar);

/// A sum of variables with coefficients in the field.
///
/// It is built with `+` and `-`; a variable that is added again is merged with its term.
#[derive(Clone)]
pub struct LinearCombination<Scalar: PrimeField> {
    terms: Terms<Term<Scalar>>,
    /// How many of the terms are of public inputs.
    inputs: usize,
    /// Where the latest term was put that could not be appended.
    latest: usize,
}

impl<Scalar: PrimeField> LinearCombination<Scalar> {
    /// The combination without terms.
    #[inline]
    pub fn zero() -> Self {
        Self { terms: Terms::new(), inputs: 0, latest: 0 }
    }

    /// The combination of one term.
    #[inline]
    pub fn from_coeff(variable: Variable, coeff: Scalar) -> Self {
        let mut combination = Self::zero();
        combination.add_term(variable, coeff);
        combination
    }

    /// The combination of one term whose coefficient is one.
    #[inline]
    pub fn from_variable(variable: Variable) -> Self {
        Self::from_coeff(variable, Scalar::ONE)
    }

    /// All terms: public inputs, then private variables, each in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Variable, &Scalar)> + '_ {
        let inputs = self.inputs;
        self.terms.iter().enumerate().map(move |(place, (number, coeff))| (variable(place, inputs, *number), coeff))
    }

    /// The numbers of the public inputs in it and their coefficients.
    #[inline]
    pub fn iter_inputs(&self) -> impl Iterator<Item = (&usize, &Scalar)> + '_ {
        self.terms[..self.inputs].iter().map(|(number, coeff)| (number, coeff))
    }

    /// The numbers of the private variables in it and their coefficients.
    #[inline]
    pub fn iter_aux(&self) -> impl Iterator<Item = (&usize, &Scalar)> + '_ {
        self.terms[self.inputs..].iter().map(|(number, coeff)| (number, coeff))
    }

    /// All terms, in the order of [`iter`](Self::iter), with coefficients that can be changed.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Variable, &mut Scalar)> + '_ {
        let inputs = self.inputs;
        self.terms.iter_mut().enumerate().map(move |(place, (number, coeff))| (variable(place, inputs, *number), coeff))
    }

    /// The same as `self + (coeff, variable)`: terms are always merged.
    #[must_use]
    pub fn add_unsimplified(self, (coeff, variable): (Scalar, Variable)) -> Self {
        self + (coeff, variable)
    }

    /// The same as `self - (coeff, variable)`: terms are always merged.
    #[must_use]
    pub fn sub_unsimplified(self, (coeff, variable): (Scalar, Variable)) -> Self {
        self - (coeff, variable)
    }

    /// The number of terms, those with coefficient zero included.
    #[inline]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The combination's value where `inputs` and `aux` hold the variables' values, by their numbers.
    ///
    /// Panics if a variable in it has no value there.
    pub fn eval(&self, inputs: &[Scalar], aux: &[Scalar]) -> Scalar {
        let (public, private) = self.terms.split_at(self.inputs);
        dot(private, aux, dot(public, inputs, Scalar::ZERO))
    }

    /// Adds `coeff` times `variable`.
    #[inline]
    fn add_term(&mut self, variable: Variable, coeff: Scalar) {
        match variable.0 {
            Index::Input(number) => self.add_input(number, coeff),
            Index::Aux(number) => self.add_aux(number, coeff),
        }
    }

    #[inline]
    fn add_aux(&mut self, number: usize, coeff: Scalar) {
        match self.terms[self.inputs..].last() {
            Some(last) if last.0 >= number => self.merge_term(self.inputs, self.terms.len(), number, coeff),
            _ => self.terms.push((number, coeff)),
        }
    }

    #[inline]
    fn add_input(&mut self, number: usize, coeff: Scalar) {
        match self.terms[..self.inputs].last() {
            Some(last) if last.0 >= number => {
                let terms = self.terms.len();
                self.merge_term(0, self.inputs, number, coeff);
                self.inputs += self.terms.len() - terms;
            }
            _ => {
                self.terms.insert(self.inputs, (number, coeff));
                self.inputs += 1;
            }
        }
    }

    /// Adds a term to the part `start..end` of the terms, whose last number is at least `number`.
    fn merge_term(&mut self, start: usize, end: usize, number: usize, coeff: Scalar) {
        match self.find(start, end, number) {
            Ok(place) => {
                self.terms[place].1 += coeff;
                self.latest = place;
            }
            Err(place) => {
                self.terms.insert(place, (number, coeff));
                self.latest = place;
            }
        }
    }

    /// Where `number` is in the part `start..end`, or where it belongs: after the latest term, before it, anywhere.
    fn find(&self, start: usize, end: usize, number: usize) -> Result<usize, usize> {
        let (mut low, mut high) = (start, end);
        if (start..end).contains(&self.latest) {
            let next = self.latest + 1;
            match self.terms[self.latest].0 {
                at if at == number => return Ok(self.latest),
                at if at > number => high = self.latest,
                _ if next < end && self.terms[next].0 > number => return Err(next),
                _ => low = next,
            }
        }
        match self.terms[low..high].binary_search_by_key(&number, |term| term.0) {
            Ok(place) => Ok(low + place),
            Err(place) => Err(low + place),
        }
    }
}

/// The variable with this number among the public inputs or the private variables, as its term's place says.
#[inline]
fn variable(place: usize, inputs: usize, number: usize) -> Variable {
    Variable(if place < inputs { Index::Input(number) } else { Index::Aux(number) })
}

/// `sum` plus the terms' coefficients times their values. Most coefficients are one or minus one: no product for those.
fn dot<Scalar: PrimeField>(terms: &[Term<Scalar>], values: &[Scalar], sum: Scalar) -> Scalar {
    let mut minus_one = None;
    terms.iter().fold(sum, |sum, (number, coeff)| {
        let value = values[*number];
        if *coeff == Scalar::ONE {
            sum + value
        } else if coeff == minus_one.get_or_insert_with(|| -Scalar::ONE) {
            sum - value
        } else {
            sum + *coeff * value
        }
    })
}

impl<Scalar: PrimeField> Default for LinearCombination<Scalar> {
    fn default() -> Self {
        Self::zero()
    }
}

/// Equal terms, however they came together; a term with coefficient zero is one.
impl<Scalar: PrimeField> PartialEq for LinearCombination<Scalar> {
    fn eq(&self, other: &Self) -> bool {
        self.inputs == other.inputs && self.terms == other.terms
    }
}

impl<Scalar: PrimeField> fmt::Debug for LinearCombination<Scalar> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;
