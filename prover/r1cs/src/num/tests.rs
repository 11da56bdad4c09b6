use blstrs::Scalar;
use ff::{Field, PrimeField};

use super::{AllocatedNum, Num};
use crate::boolean::{AllocatedBit, Boolean};
use crate::test_cs::TestConstraintSystem;
use crate::{Comparable, ConstraintSystem, Index, LinearCombination, SynthesisError};

type Cs = TestConstraintSystem<Scalar>;

fn num(cs: &mut Cs, name: &str, value: Scalar) -> AllocatedNum<Scalar> {
    AllocatedNum::alloc(cs.namespace(|| name), || Ok(value)).unwrap()
}

/// Zero, one, both sides of the middle, and the largest.
fn values() -> [Scalar; 6] {
    let half = Scalar::from(2).invert().unwrap();
    [Scalar::ZERO, Scalar::ONE, half, half - Scalar::ONE, -Scalar::from(2), -Scalar::ONE]
}

#[test]
fn products_squares_and_inputs_are_enforced() {
    for a in values() {
        for b in values() {
            let mut cs = Cs::new();
            let [x, y] = [num(&mut cs, "a", a), num(&mut cs, "b", b)];
            assert_eq!(x.mul(cs.namespace(|| "mul"), &y).unwrap().get_value(), Some(a * b));
            assert_eq!(x.square(cs.namespace(|| "square")).unwrap().get_value(), Some(a * a));
            x.inputize(cs.namespace(|| "input")).unwrap();
            assert!(cs.verify(&[a]));
            for name in ["mul/product num", "square/squared num", "input/input variable"] {
                assert!(cs.is_satisfied());
                let value = cs.get(name);
                cs.set(name, value + Scalar::ONE);
                assert!(!cs.is_satisfied(), "{name} can be anything");
                cs.set(name, value);
            }
        }
    }
}

#[test]
fn zero_has_no_inverse() {
    let mut cs = Cs::new();
    num(&mut cs, "a", -Scalar::ONE).assert_nonzero(cs.namespace(|| "nonzero")).unwrap();
    assert!(cs.is_satisfied());
    let zero = num(&mut cs, "zero", Scalar::ZERO).assert_nonzero(&mut cs);
    assert!(matches!(zero, Err(SynthesisError::DivisionByZero)));
    cs.set("a/num", Scalar::ZERO);
    assert_eq!(cs.which_is_unsatisfied(), Some("nonzero/nonzero assertion constraint"));
}

#[test]
fn numbers_are_reversed_where_the_condition_holds() {
    let [a, b] = [Scalar::from(5), -Scalar::from(7)];
    for reverse in [false, true] {
        for kind in 0..3 {
            let mut cs = Cs::new();
            let [x, y] = [num(&mut cs, "a", a), num(&mut cs, "b", b)];
            let condition = match kind {
                0 => AllocatedBit::alloc(cs.namespace(|| "condition"), Some(reverse)).unwrap().into(),
                1 => Boolean::from(AllocatedBit::alloc(cs.namespace(|| "condition"), Some(!reverse)).unwrap()).not(),
                _ => Boolean::constant(reverse),
            };
            let (first, second) = AllocatedNum::conditionally_reverse(&mut cs, &x, &y, &condition).unwrap();
            let expected = if reverse { [b, a] } else { [a, b] };
            assert_eq!([first, second].map(|number| number.get_value().unwrap()), expected);
            assert!(cs.is_satisfied());
            cs.set("conditional reversal result 1/num", expected[1]);
            assert_eq!(cs.which_is_unsatisfied(), Some("first conditional reversal"));
        }
    }
}

#[test]
fn numbers_are_public_or_private_as_asked() {
    let mut cs = Cs::new();
    let public = AllocatedNum::alloc_maybe_input(cs.namespace(|| "public"), true, || Ok(Scalar::ONE)).unwrap();
    let private = AllocatedNum::alloc_maybe_input(cs.namespace(|| "private"), false, || Ok(Scalar::ONE)).unwrap();
    assert_eq!([public.get_variable().0, private.get_variable().0], [Index::Input(1), Index::Aux(0)]);
    let unknown = AllocatedNum::alloc_input(&mut cs, || Err(SynthesisError::AssignmentMissing));
    assert!(matches!(unknown, Err(SynthesisError::AssignmentMissing)));
}

#[test]
fn bits_are_those_of_the_number() {
    for value in values() {
        for strict in [false, true] {
            let mut cs = Cs::new();
            let number = num(&mut cs, "a", value);
            let bits = if strict { number.to_bits_le_strict(&mut cs) } else { number.to_bits_le(&mut cs) }.unwrap();
            let bits: Vec<_> = bits.iter().map(|bit| bit.get_value().unwrap()).collect();
            let sum = bits.iter().rev().fold(Scalar::ZERO, |sum, bit| sum.double() + Scalar::from(u64::from(*bit)));
            assert_eq!((bits.len(), sum), (255, value));
            assert!(cs.is_satisfied());
            cs.set("a/num", value + Scalar::ONE);
            assert_eq!(cs.which_is_unsatisfied(), Some("unpacking constraint"));
        }
    }
}

/// The bits of `value` + modulus, least significant first.
fn bits_above_modulus(value: u8) -> Vec<bool> {
    let mut carry = u16::from(value) + 1;
    let largest = (-Scalar::ONE).to_repr();
    let bytes = largest.as_ref().iter().map(|byte| {
        carry += u16::from(*byte);
        let [high, low] = carry.to_be_bytes();
        carry = u16::from(high);
        low
    });
    bytes.flat_map(|byte| (0..8).map(move |place| byte >> place & 1 == 1)).take(255).collect()
}

/// Gives the bits these values and every conjunction the value that its constraint asks for: what a forger would do.
fn forge(cs: &mut Cs, strict: bool, bits: &[bool]) {
    for (place, bit) in bits.iter().enumerate() {
        let count = if strict { 254 - place } else { place };
        cs.set(&format!("bit {count}/boolean"), Scalar::from(u64::from(*bit)));
    }
    for (a, b, _, name) in cs.constraints().to_vec() {
        if let Some(path) = name.strip_suffix("and constraint") {
            let value = |lc: LinearCombination<Scalar>| lc.eval(&cs.scalar_inputs(), &cs.scalar_aux());
            let product = value(a) * value(b);
            cs.set(&format!("{path}and result"), product);
        }
    }
}

#[test]
fn only_strict_bits_rule_out_a_number_above_the_modulus() {
    for value in [0, 1, 200] {
        for strict in [false, true] {
            let mut cs = Cs::new();
            let number = num(&mut cs, "a", Scalar::from(u64::from(value)));
            if strict { number.to_bits_le_strict(&mut cs) } else { number.to_bits_le(&mut cs) }.unwrap();
            forge(&mut cs, strict, &bits_above_modulus(value));
            match cs.which_is_unsatisfied() {
                None => assert!(!strict),
                Some(name) => assert!(strict && name.ends_with("/boolean constraint"), "{name}"),
            }
        }
    }
}

#[test]
fn a_forged_decomposition_of_the_number_itself_is_satisfied() {
    let mut cs = Cs::new();
    num(&mut cs, "a", Scalar::ZERO).to_bits_le_strict(&mut cs).unwrap();
    cs.set("a/num", Scalar::from(5));
    let bits: Vec<_> = (0..255).map(|place| place == 0 || place == 2).collect();
    forge(&mut cs, true, &bits);
    assert_eq!(cs.which_is_unsatisfied(), None);
}

#[test]
fn sums_keep_value_and_combination_in_step() {
    let mut cs = Cs::new();
    let [a, b] = [num(&mut cs, "a", Scalar::from(5)), num(&mut cs, "b", Scalar::from(7))];
    let bit = Boolean::from(AllocatedBit::alloc(cs.namespace(|| "bit"), Some(true)).unwrap());
    let coeff = Scalar::from(11);
    let sum = Num::zero().add(&a.into()).scale(Scalar::from(3)).add(&b.into());
    let sum = sum.add_bool_with_coeff(Cs::one(), &bit, coeff).add_bool_with_coeff(Cs::one(), &bit.not(), coeff);
    let sum = sum.add_bool_with_coeff(Cs::one(), &Boolean::constant(true), coeff);
    assert_eq!(sum.get_value(), Some(Scalar::from(5 * 3 + 7 + 11 + 11)));
    let value = sum.lc(Scalar::from(2)).eval(&cs.scalar_inputs(), &cs.scalar_aux());
    assert_eq!(value, sum.get_value().unwrap().double());
}

#[test]
fn a_sum_with_an_unknown_number_has_the_value_of_the_rest() {
    let unknown = Num::from(AllocatedNum { value: None, variable: Cs::one() });
    assert_eq!(Num::<Scalar>::zero().add(&unknown).get_value(), Some(Scalar::ZERO));
    assert_eq!(unknown.clone().add(&Num::zero()).get_value(), Some(Scalar::ZERO));
    assert_eq!(unknown.clone().add(&unknown).get_value(), None);
}
