//! Adding a whole combination: one pass from the back, in place, instead of one insertion a term.

use ff::PrimeField;

use super::{LinearCombination, Term};

/// Up to this many terms are added one by one: a pass over all of the sum's terms costs more than these insertions.
const ONE_BY_ONE: usize = 2;

impl<Scalar: PrimeField> LinearCombination<Scalar> {
    /// Adds `factor` times `other`.
    pub(super) fn add_multiple(&mut self, factor: Scalar, other: &Self) {
        if factor == Scalar::ONE {
            self.add_scaled(other, |coeff| coeff);
        } else {
            self.add_scaled(other, |coeff| if coeff == Scalar::ONE { factor } else { coeff * factor });
        }
    }

    /// Adds every term of `other`, its coefficient put through `scale`.
    #[inline]
    pub(super) fn add_scaled(&mut self, other: &Self, scale: impl Fn(Scalar) -> Scalar) {
        if other.len() <= ONE_BY_ONE {
            for (variable, coeff) in other.iter() {
                self.add_term(variable, scale(*coeff));
            }
        } else if self.is_empty() {
            self.terms.extend(other.terms.iter().map(|(number, coeff)| (*number, scale(*coeff))));
            self.inputs = other.inputs;
        } else {
            self.merge(other, scale);
        }
    }

    /// Makes room for the terms that are new, then fills it from the back.
    fn merge(&mut self, other: &Self, scale: impl Fn(Scalar) -> Scalar) {
        let (public, private) = self.terms.split_at(self.inputs);
        let (other_public, other_private) = other.terms.split_at(other.inputs);
        let new_inputs = count_missing(public, other_public);
        let new = new_inputs + count_missing(private, other_private);

        let mut unread = self.len();
        let mut write = unread + new;
        self.terms.resize(write, (0, Scalar::ZERO));
        for place in (0..other.len()).rev() {
            let (number, coeff) = other.terms[place];
            let key = (place >= other.inputs, number);
            while unread > 0 && self.key(unread - 1) > key {
                (unread, write) = (unread - 1, write - 1);
                self.terms[write] = self.terms[unread];
            }
            let mut coeff = scale(coeff);
            if unread > 0 && self.key(unread - 1) == key {
                unread -= 1;
                coeff += self.terms[unread].1;
            }
            write -= 1;
            self.terms[write] = (number, coeff);
        }
        self.inputs += new_inputs;
    }

    /// By which the terms ascend: public before private, then the variable's number.
    #[inline]
    fn key(&self, place: usize) -> (bool, usize) {
        (place >= self.inputs, self.terms[place].0)
    }
}

/// How many of `others`' variables have no term among `terms`; both ascend.
fn count_missing<Scalar>(terms: &[Term<Scalar>], others: &[Term<Scalar>]) -> usize {
    let mut rest = terms.iter().peekable();
    let missing = others.iter().filter(|other| {
        while rest.next_if(|term| term.0 < other.0).is_some() {}
        rest.next_if(|term| term.0 == other.0).is_none()
    });
    missing.count()
}
