//! Linear combinations: hand-picked ones, then long random sequences of operations.

use bellpepper_core::{Index, LinearCombination, Variable};
use ff::Field;

use crate::report::{Scalar, outcome, print_lines, scalar, spread, terms};

type Lc = LinearCombination<Scalar>;

pub fn print() {
    println!("combinations");
    print_lines(&picked());
    for seed in 0..40 {
        print_lines(&random(seed));
    }
}

fn aux(number: usize) -> Variable {
    Variable(Index::Aux(number))
}

fn input(number: usize) -> Variable {
    Variable::new_unchecked(Index::Input(number))
}

fn picked() -> Vec<String> {
    let zero = Lc::zero;
    let (two, minus_three) = (Scalar::from(2), -Scalar::from(3));
    let mut scaled = zero() + aux(4) + (two, input(0)) - aux(2);
    scaled.iter_mut().for_each(|(_, coeff)| *coeff *= two);
    let cases = [
        zero(),
        Lc::default(),
        Lc::from_variable(input(3)),
        Lc::from_coeff(aux(1), Scalar::ZERO),
        zero() + aux(3) + aux(1) + input(2) + input(0) + aux(2) + aux(1) - aux(3) - aux(9) + (Scalar::ZERO, aux(20)),
        zero() + aux(0) - aux(0),
        zero() + input(0) - input(0) + aux(1),
        zero().add_unsimplified((two, aux(3))).add_unsimplified((two, aux(1))).sub_unsimplified((two, aux(3))),
        zero() + (Scalar::ZERO, &(zero() + aux(1) + aux(2) + aux(3) + input(0))),
        zero() + aux(5) - (minus_three, &(zero() + aux(1) - aux(5) + input(1) + input(0))),
        scaled,
    ];
    let mut lines: Vec<String> =
        cases.iter().map(|lc| format!("{} {} {}", lc.len(), lc.is_empty(), terms(lc))).collect();
    lines.push(format!("missing value: {}", outcome(|| scalar(&(zero() + aux(1)).eval(&[], &[Scalar::ONE])))));
    lines.push(format!("equal: {}", zero() + aux(1) + aux(2) + aux(1) == zero() + (two, aux(1)) + aux(2)));
    lines.push(format!("cancelled is not empty: {}", zero() + aux(1) - aux(1) == zero()));
    lines.into_iter().map(|line| format!("  {line}")).collect()
}

/// 60 operations on four combinations over few variables, so that they collide; every intermediate result is a line.
fn random(seed: u64) -> Vec<String> {
    let mut draw = Draw(seed);
    let values: Vec<Scalar> = (0..200).map(spread).collect();
    let mut registers = [Lc::zero(), Lc::zero(), Lc::zero(), Lc::zero()];
    let range = [3, 20, 200][draw.below(3)];
    let mut lines = Vec::new();
    for _ in 0..60 {
        let to = draw.below(4);
        let other = registers[draw.below(4)].clone();
        let variable = if draw.below(3) == 0 { input(draw.below(range)) } else { aux(draw.below(range)) };
        let coeff = [Scalar::ONE, -Scalar::ONE, Scalar::ZERO, spread(draw.below(50) as u64)][draw.below(4)];
        let lc = std::mem::take(&mut registers[to]);
        let lc = match draw.below(9) {
            0 => lc + variable,
            1 => lc - variable,
            2 => lc + (coeff, variable),
            3 => lc - (coeff, variable),
            4 => lc + &other,
            5 => lc - &other,
            6 => lc + (coeff, &other),
            7 => lc - (coeff, &other),
            _ => lc + variable + aux(draw.below(range)) + aux(draw.below(range)),
        };
        let inputs: Vec<_> = lc.iter_inputs().collect();
        let private: Vec<_> = lc.iter_aux().collect();
        let value = lc.eval(&values, &values);
        lines.push(format!("{} {} {inputs:?} {private:?} {}", lc.len(), terms(&lc), scalar(&value)));
        registers[to] = lc;
    }
    lines
}

/// Knuth's MMIX generator: the same numbers on both sides, whatever the libraries.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
