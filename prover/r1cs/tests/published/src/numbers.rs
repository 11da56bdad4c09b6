//! Numbers: every operation over values near zero, near the modulus, and between.

use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::num::{AllocatedNum, Num};
use bellpepper_core::{ConstraintSystem, SynthesisError};
use ff::Field;

use crate::gates::show_all;
use crate::matrices::Matrices;
use crate::report::{Scalar, TestCs, case, print_lines, scalar, spread, terms};

pub fn print() {
    let values = [Scalar::ZERO, Scalar::ONE, Scalar::from(6), -Scalar::ONE, -Scalar::from(2), spread(1), spread(2)];
    for a in values {
        one(a);
        for b in [Scalar::ZERO, -Scalar::ONE, spread(3)] {
            two(a, b);
        }
    }
    case("unknown num", |cs| show(AllocatedNum::alloc(cs, || Err(SynthesisError::AssignmentMissing))));
    case("unknown input", |cs| show(AllocatedNum::alloc_input(cs, || Err(SynthesisError::Unsatisfiable))));
    sums();
    unknown();
}

fn one(a: Scalar) {
    let name = scalar(&a);
    case(&format!("alloc {name}"), |cs| show(AllocatedNum::alloc(cs, || Ok(a))));
    case(&format!("alloc input {name}"), |cs| show(AllocatedNum::alloc_input(cs, || Ok(a))));
    for is_input in [false, true] {
        let alloc = |cs: &mut TestCs| show(AllocatedNum::alloc_maybe_input(cs, is_input, || Ok(a)));
        case(&format!("maybe input {is_input} {name}"), alloc);
    }
    case(&format!("inputize {name}"), |cs| format!("{:?}", num(cs, "a", a).inputize(cs)));
    case(&format!("square {name}"), |cs| show(num(cs, "a", a).square(cs)));
    case(&format!("nonzero {name}"), |cs| format!("{:?}", num(cs, "a", a).assert_nonzero(cs)));
    case(&format!("bits {name}"), |cs| show_all(num(cs, "a", a).to_bits_le(cs)));
    case(&format!("strict bits {name}"), |cs| show_all(num(cs, "a", a).to_bits_le_strict(cs)));
}

fn two(a: Scalar, b: Scalar) {
    let name = format!("{} {}", scalar(&a), scalar(&b));
    case(&format!("mul {name}"), |cs| {
        let [a, b] = [("a", a), ("b", b)].map(|(name, value)| num(cs, name, value));
        show(a.mul(cs, &b))
    });
    for kind in 0..6 {
        case(&format!("reverse {kind} {name}"), |cs| {
            let [a, b] = [("a", a), ("b", b)].map(|(name, value)| num(cs, name, value));
            let condition = condition(cs, kind);
            match AllocatedNum::conditionally_reverse(cs, &a, &b, &condition) {
                Ok((first, second)) => format!("{} {}", show(Ok(first)), show(Ok(second))),
                Err(error) => format!("{error:?}"),
            }
        });
    }
}

fn sums() {
    case("sums", |cs| {
        let a = Num::from(num(cs, "a", spread(4)));
        let b = Num::from(num(cs, "b", spread(5)));
        let conditions: Vec<Boolean> =
            (0..6).map(|kind| condition(&mut cs.namespace(|| format!("{kind}")), kind)).collect();
        let mut sum = Num::zero().add(&a).scale(Scalar::from(3)).add(&b).add(&a);
        let mut shown = vec![show_sum(&Num::zero()), show_sum(&sum)];
        for (weight, condition) in conditions.iter().enumerate() {
            sum = sum.add_bool_with_coeff(TestCs::one(), condition, Scalar::from(weight as u64 + 2));
            shown.push(show_sum(&sum));
        }
        shown.push(show_sum(&sum.scale(Scalar::ZERO)));
        shown.join(" | ")
    });
}

/// Sums and gadgets where some or all values are unknown.
fn unknown() {
    let mut cs = Matrices::default();
    let a = AllocatedNum::alloc(&mut cs, || Ok(Scalar::ONE)).expect("values are not asked for");
    let known = AllocatedNum::alloc(TestCs::new(), || Ok(Scalar::from(9))).expect("a known value");
    let bit = Boolean::from(AllocatedBit::alloc(&mut cs, None).expect("values are not asked for"));
    let (a_sum, known_sum, coeff) = (Num::from(a.clone()), Num::from(known.clone()), Scalar::from(3));
    let sums = [
        a_sum.clone(),
        Num::zero().add(&a_sum),
        a_sum.clone().add(&Num::zero()),
        a_sum.clone().add(&a_sum),
        known_sum.clone().add(&a_sum).scale(coeff),
        a_sum.clone().scale(coeff),
        known_sum.add_bool_with_coeff(Matrices::one(), &bit, coeff),
        a_sum.clone().add_bool_with_coeff(Matrices::one(), &Boolean::constant(true), coeff),
        a_sum.add_bool_with_coeff(Matrices::one(), &Boolean::constant(false), coeff),
    ];
    sums.iter().for_each(|sum| println!("unknown sum {}", show_sum(sum)));

    println!("unknown {}", show(a.mul(&mut cs, &known)));
    println!("unknown {}", show(known.mul(&mut cs, &a)));
    println!("unknown {}", show(a.square(&mut cs)));
    println!("unknown {:?} {:?}", a.inputize(&mut cs), a.assert_nonzero(&mut cs));
    println!("unknown {}", show_all(a.to_bits_le(&mut cs)));
    println!("unknown {}", show_all(a.to_bits_le_strict(&mut cs)));
    for (a, b) in [(&a, &known), (&known, &a), (&known, &known)] {
        for condition in [bit.clone(), bit.not(), Boolean::constant(true)] {
            let (first, second) =
                AllocatedNum::conditionally_reverse(&mut cs, a, b, &condition).expect("not asked for");
            println!("unknown {} {}", show(Ok(first)), show(Ok(second)));
        }
    }
    println!("unknown {} {}", cs.inputs, cs.aux);
    print_lines(&cs.constraints);
}

fn show_sum(sum: &Num<Scalar>) -> String {
    let lcs = [Scalar::ONE, Scalar::ZERO, spread(6)].map(|coeff| terms(&sum.lc(coeff)));
    format!("{:?} {lcs:?}", sum.get_value().as_ref().map(scalar))
}

fn num(cs: &mut TestCs, name: &str, value: Scalar) -> AllocatedNum<Scalar> {
    AllocatedNum::alloc(cs.namespace(|| name.to_owned()), || Ok(value)).expect("a new name and a known value")
}

/// Each kind with each value: a bit, a negated bit, a constant.
fn condition<CS: ConstraintSystem<Scalar>>(cs: &mut CS, kind: usize) -> Boolean {
    let value = kind % 2 == 1;
    let bit = |cs, value| AllocatedBit::alloc(cs, Some(value)).expect("a known value");
    match kind / 2 {
        0 => Boolean::from(bit(cs.namespace(|| "condition"), value)),
        1 => Boolean::from(bit(cs.namespace(|| "condition"), !value)).not(),
        _ => Boolean::constant(value),
    }
}

fn show(number: Result<AllocatedNum<Scalar>, SynthesisError>) -> String {
    match number {
        Ok(number) => format!("{:?} {:?}", number.get_variable(), number.get_value().as_ref().map(scalar)),
        Err(error) => format!("{error:?}"),
    }
}
