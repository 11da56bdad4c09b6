use std::collections::BTreeMap;

use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::LinearCombination;
use crate::{Index, Variable};

type Lc = LinearCombination<Scalar>;

/// A combination as anybody would write it: a sum by variable, private ones after public ones.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model(BTreeMap<(bool, usize), Scalar>);

impl Model {
    fn add(&mut self, variable: Variable, coeff: Scalar) {
        let key = match variable.0 {
            Index::Input(number) => (false, number),
            Index::Aux(number) => (true, number),
        };
        *self.0.entry(key).or_insert(Scalar::ZERO) += coeff;
    }

    fn add_all(&mut self, other: &Self, factor: Scalar) {
        for (key, coeff) in &other.0 {
            *self.0.entry(*key).or_insert(Scalar::ZERO) += factor * coeff;
        }
    }

    fn terms(&self) -> Vec<(Variable, Scalar)> {
        let variable = |private, number| Variable(if private { Index::Aux(number) } else { Index::Input(number) });
        self.0.iter().map(|(&(private, number), coeff)| (variable(private, number), *coeff)).collect()
    }
}

fn aux(number: usize) -> Variable {
    Variable(Index::Aux(number))
}

fn input(number: usize) -> Variable {
    Variable(Index::Input(number))
}

fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    usize::try_from(rng.next_u64() % bound as u64).expect("below a usize")
}

fn assert_same(lc: &Lc, model: &Model, inputs: &[Scalar], private: &[Scalar]) {
    let terms: Vec<_> = lc.iter().map(|(variable, coeff)| (variable, *coeff)).collect();
    assert_eq!(terms, model.terms());
    assert_eq!(lc.len(), terms.len());
    assert_eq!(lc.is_empty(), terms.is_empty());
    let of_inputs = lc.iter_inputs().map(|(number, coeff)| (input(*number), *coeff));
    let of_aux = lc.iter_aux().map(|(number, coeff)| (aux(*number), *coeff));
    assert_eq!(of_inputs.chain(of_aux).collect::<Vec<_>>(), terms);
    let value = |variable: &Variable| match variable.0 {
        Index::Input(number) => inputs[number],
        Index::Aux(number) => private[number],
    };
    assert_eq!(lc.eval(inputs, private), terms.iter().map(|(variable, coeff)| value(variable) * coeff).sum::<Scalar>());
}

/// One random operation on both a combination and its model.
fn step(rng: &mut ChaCha8Rng, variables: usize, (lc, model): (Lc, &mut Model), (other, others): &(Lc, Model)) -> Lc {
    let variable = if below(rng, 4) == 0 { input(below(rng, variables)) } else { aux(below(rng, variables)) };
    let coeff = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::random(&mut *rng)][below(rng, 4)];
    match below(rng, 10) {
        0 => {
            model.add(variable, Scalar::ONE);
            lc + variable
        }
        1 => {
            model.add(variable, -Scalar::ONE);
            lc - variable
        }
        2 => {
            model.add(variable, coeff);
            lc + (coeff, variable)
        }
        3 => {
            model.add(variable, -coeff);
            lc - (coeff, variable)
        }
        4 => {
            model.add(variable, coeff);
            lc.add_unsimplified((coeff, variable))
        }
        5 => {
            model.add(variable, -coeff);
            lc.sub_unsimplified((coeff, variable))
        }
        6 => {
            model.add_all(others, Scalar::ONE);
            lc + other
        }
        7 => {
            model.add_all(others, -Scalar::ONE);
            lc - other
        }
        8 => {
            model.add_all(others, coeff);
            lc + (coeff, other)
        }
        _ => {
            model.add_all(others, -coeff);
            lc - (coeff, other)
        }
    }
}

#[test]
fn any_sequence_of_operations_sums_as_a_map_does() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let variables = [2, 5, 30, 400][below(&mut rng, 4)];
        let values = |rng: &mut ChaCha8Rng| (0..variables).map(|_| Scalar::random(&mut *rng)).collect::<Vec<_>>();
        let (inputs, private) = (values(&mut rng), values(&mut rng));
        let mut pool = vec![(Lc::zero(), Model::default()); 3];
        for _ in 0..80 {
            let other = pool[below(&mut rng, 3)].clone();
            let (lc, model) = &mut pool[below(&mut rng, 3)];
            *lc = step(&mut rng, variables, (std::mem::take(lc), model), &other);
            assert_same(lc, model, &inputs, &private);
        }
    }
}

#[test]
fn terms_that_arrive_in_any_order_ascend() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for orders in [|place: usize| place, |place| 928 - place, |place| place * 577 % 929] {
        let (mut lc, mut model) = (Lc::zero(), Model::default());
        for place in 0..929 {
            let (variable, coeff) = (aux(orders(place)), Scalar::random(&mut rng));
            lc = lc + (coeff, variable);
            model.add(variable, coeff);
        }
        assert_same(&lc, &model, &[], &vec![Scalar::from(7); 929]);
    }
}

#[test]
fn long_sums_merge_with_any_overlap() {
    let every =
        |step: usize, from: usize| (0..300).fold(Lc::zero() + input(from), |lc, place| lc + aux(from + place * step));
    for other in [every(1, 0), every(1, 300), every(2, 1), every(3, 50), every(1, 900)] {
        let (mut model, mut sum) = (Model::default(), every(1, 300));
        for (variable, coeff) in sum.iter() {
            model.add(variable, *coeff);
        }
        for (variable, coeff) in other.iter() {
            model.add(variable, Scalar::from(5) * coeff);
        }
        sum = sum + (Scalar::from(5), &other);
        assert_same(&sum, &model, &vec![Scalar::from(3); 2000], &vec![Scalar::from(7); 2000]);
    }
}

/// In a · (b + a − a) = p, `a` stays in the second combination, with a coefficient that provers and generators skip.
#[test]
fn a_cancelled_variable_stays_with_coefficient_zero() {
    let lc = Lc::zero() + aux(1) + aux(0) - aux(0);
    let terms: Vec<_> = lc.iter().map(|(variable, coeff)| (variable, *coeff)).collect();
    assert_eq!(terms, [(aux(0), Scalar::ZERO), (aux(1), Scalar::ONE)]);
    assert_ne!(lc, Lc::zero() + aux(1));
    assert!(!(Lc::zero() + aux(0) - aux(0)).is_empty());
}

#[test]
fn equal_terms_are_equal_however_they_came_together() {
    let sorted = Lc::zero() + input(0) + aux(1) + aux(2);
    assert_eq!(Lc::zero() + aux(2) + aux(1) + input(0), sorted);
    assert_eq!(Lc::zero() + &sorted, sorted);
    assert_ne!(Lc::zero() + input(0) + aux(1) + aux(3), sorted);
    assert_ne!(Lc::zero() + input(0) + input(1) + aux(2), sorted);
}

#[test]
fn coefficients_can_be_changed_in_place() {
    let mut lc = Lc::zero() + aux(4) + (Scalar::from(3), input(1)) - aux(2);
    for (variable, coeff) in lc.iter_mut() {
        *coeff *= if variable == input(1) { Scalar::ZERO } else { Scalar::from(2) };
    }
    assert_eq!(lc, Lc::zero() + (Scalar::ZERO, input(1)) - (Scalar::from(2), aux(2)) + (Scalar::from(2), aux(4)));
}

#[test]
fn debug_shows_variables_and_coefficients() {
    let lc = Lc::from_coeff(aux(1), Scalar::ZERO) + input(0);
    let [zero, one] = [Scalar::ZERO, Scalar::ONE];
    assert_eq!(format!("{lc:?}"), format!("{{Variable(Input(0)): {one:?}, Variable(Aux(1)): {zero:?}}}"));
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_variable_without_a_value_cannot_be_evaluated() {
    Lc::from_variable(aux(1)).eval(&[], &[Scalar::ONE]);
}
