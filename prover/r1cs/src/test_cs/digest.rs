//! A digest that tells constraint systems apart.

use blake2s_simd::State;
use ff::PrimeField;

use crate::{Constraint, Index, LinearCombination};

/// BLAKE2s over the counts of public inputs, private variables and constraints, then over every combination: its number of
/// terms, and for each `I` or `A`, the variable's number and the coefficient. All numbers are big-endian.
pub(super) fn digest<Scalar: PrimeField>(inputs: usize, aux: usize, constraints: &[Constraint<Scalar>]) -> String {
    let mut state = State::new();
    for count in [inputs, aux, constraints.len()] {
        absorb_count(&mut state, count);
    }
    for (a, b, c, _) in constraints {
        for lc in [a, b, c] {
            absorb(&mut state, lc);
        }
    }
    state.finalize().to_hex().to_string()
}

fn absorb<Scalar: PrimeField>(state: &mut State, lc: &LinearCombination<Scalar>) {
    let terms = || lc.iter().filter(|(_, coeff)| !bool::from(coeff.is_zero()));
    absorb_count(state, terms().count());
    for (variable, coeff) in terms() {
        let (kind, number) = match variable.0 {
            Index::Input(number) => (b"I", number),
            Index::Aux(number) => (b"A", number),
        };
        state.update(kind);
        absorb_count(state, number);
        let mut bytes = coeff.to_repr();
        bytes.as_mut().reverse();
        state.update(bytes.as_ref());
    }
}

fn absorb_count(state: &mut State, count: usize) {
    state.update(&(count as u64).to_be_bytes());
}
