use blstrs::Scalar;
use ff::{Field, PrimeFieldBits};

use super::{AllocatedBit, Boolean, field_into_allocated_bits_le, field_into_boolean_vec_le, u64_into_boolean_vec_le};
use crate::test_cs::TestConstraintSystem;
use crate::{ConstraintSystem, SynthesisError};

type Cs = TestConstraintSystem<Scalar>;

fn bit(cs: &mut Cs, name: &str, value: bool) -> AllocatedBit {
    AllocatedBit::alloc(cs.namespace(|| name), Some(value)).unwrap()
}

/// A boolean of this kind (a bit, a negated bit, a constant) and value.
fn operand(cs: &mut Cs, name: &str, kind: usize, value: bool) -> Boolean {
    match kind {
        0 => bit(cs, name, value).into(),
        1 => Boolean::from(bit(cs, name, !value)).not(),
        _ => Boolean::constant(value),
    }
}

/// Every kind and value of each of `N` operands.
fn operands<const N: usize>() -> impl Iterator<Item = [(usize, bool); N]> {
    (0..6_usize.pow(u32::try_from(N).unwrap())).map(|mut code| {
        [(); N].map(|()| {
            let digit = code % 6;
            code /= 6;
            (digit / 2, digit % 2 == 1)
        })
    })
}

/// Checks a gate's value and constraints: satisfied as they are, and not with the other value of its new variable `result`.
fn check(cs: &mut Cs, before: usize, result: &Boolean, expected: bool, names: &[&str]) {
    assert_eq!(result.get_value(), Some(expected));
    let lc = result.lc(Cs::one(), Scalar::ONE);
    assert_eq!(lc.eval(&cs.scalar_inputs(), &cs.scalar_aux()), Scalar::from(u64::from(expected)));
    assert!(cs.is_satisfied(), "{:?}", cs.which_is_unsatisfied());
    if cs.num_constraints() > before {
        let names_now = crate::Comparable::aux(cs);
        let name = names_now.iter().find(|name| names.contains(&name.as_str())).expect("the gate has a variable");
        let flipped = Scalar::ONE - cs.get(name);
        cs.set(name, flipped);
        assert!(!cs.is_satisfied(), "{name} can be either");
    }
}

#[test]
fn gates_of_bits_have_their_truth_tables() {
    type Gate = fn(&mut Cs, &AllocatedBit, &AllocatedBit) -> Result<AllocatedBit, SynthesisError>;
    type Table = fn(bool, bool) -> bool;
    let gates: [(&str, Gate, Table); 4] = [
        ("xor result", |cs, a, b| AllocatedBit::xor(cs, a, b), |a, b| a ^ b),
        ("and result", |cs, a, b| AllocatedBit::and(cs, a, b), |a, b| a && b),
        ("and not result", |cs, a, b| AllocatedBit::and_not(cs, a, b), |a, b| a && !b),
        ("nor result", |cs, a, b| AllocatedBit::nor(cs, a, b), |a, b| !a && !b),
    ];
    for (name, gate, table) in gates {
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut cs = Cs::new();
            let bits = [bit(&mut cs, "a", a), bit(&mut cs, "b", b)];
            let result = gate(&mut cs, &bits[0], &bits[1]).unwrap();
            assert_eq!(cs.num_constraints(), 3);
            check(&mut cs, 2, &result.into(), table(a, b), &[name]);
        }
    }
}

#[test]
fn gates_of_two_booleans_have_their_truth_tables() {
    for [(a_kind, a), (b_kind, b)] in operands() {
        for xor in [false, true] {
            let mut cs = Cs::new();
            let [left, right] = [operand(&mut cs, "a", a_kind, a), operand(&mut cs, "b", b_kind, b)];
            let before = cs.num_constraints();
            let result = if xor { Boolean::xor(&mut cs, &left, &right) } else { Boolean::and(&mut cs, &left, &right) };
            let expected = if xor { a ^ b } else { a && b };
            assert_eq!(cs.num_constraints() > before, a_kind < 2 && b_kind < 2, "constants cost nothing");
            let names = ["xor result", "and result", "and not result", "nor result"];
            check(&mut cs, before, &result.unwrap(), expected, &names);
        }
    }
}

#[test]
fn gates_of_three_booleans_have_their_truth_tables() {
    for [(a_kind, a), (b_kind, b), (c_kind, c)] in operands() {
        for choose in [false, true] {
            let mut cs = Cs::new();
            let x = operand(&mut cs, "a", a_kind, a);
            let y = operand(&mut cs, "b", b_kind, b);
            let z = operand(&mut cs, "c", c_kind, c);
            let before = cs.num_constraints();
            let (result, expected) = if choose {
                (Boolean::sha256_ch(&mut cs, &x, &y, &z), (a & b) ^ (!a & c))
            } else {
                (Boolean::sha256_maj(&mut cs, &x, &y, &z), (a & b) ^ (a & c) ^ (b & c))
            };
            let names = ["ch", "maj", "and result", "and not result", "nor result"];
            check(&mut cs, before, &result.unwrap(), expected, &names);
        }
    }
}

#[test]
fn enforce_equal_holds_for_equal_values_alone() {
    for [(a_kind, a), (b_kind, b)] in operands() {
        let mut cs = Cs::new();
        let [left, right] = [operand(&mut cs, "a", a_kind, a), operand(&mut cs, "b", b_kind, b)];
        let result = Boolean::enforce_equal(&mut cs, &left, &right);
        if left.is_constant() && right.is_constant() && a != b {
            assert!(matches!(result, Err(SynthesisError::Unsatisfiable)));
        } else {
            assert!(result.is_ok());
            assert_eq!(cs.is_satisfied(), a == b, "{left:?} {right:?}");
        }
    }
}

#[test]
fn a_bit_is_zero_or_one() {
    let mut cs = Cs::new();
    bit(&mut cs, "a", true);
    for (value, holds) in [(0, true), (1, true), (2, false)] {
        cs.set("a/boolean", Scalar::from(value));
        assert_eq!(cs.is_satisfied(), holds);
    }
}

#[test]
fn a_conditional_bit_is_false_where_it_must_be() {
    for (must_be_false, value, holds) in
        [(false, false, true), (false, true, true), (true, false, true), (true, true, false)]
    {
        let mut cs = Cs::new();
        let condition = bit(&mut cs, "condition", must_be_false);
        let bit = AllocatedBit::alloc_conditionally(&mut cs, Some(value), &condition).unwrap();
        assert_eq!(bit.get_value(), Some(value));
        assert_eq!(cs.is_satisfied(), holds);
    }
}

#[test]
fn an_unknown_bit_is_an_error_where_values_are_kept() {
    let mut cs = Cs::new();
    assert!(matches!(AllocatedBit::alloc(&mut cs, None), Err(SynthesisError::AssignmentMissing)));
    assert!(matches!(u64_into_boolean_vec_le(cs.namespace(|| "u64"), None), Err(SynthesisError::AssignmentMissing)));
    let bits = field_into_boolean_vec_le::<Scalar, _>(cs.namespace(|| "field"), None);
    assert!(matches!(bits, Err(SynthesisError::AssignmentMissing)));
}

#[test]
fn numbers_are_decomposed_least_significant_bit_first() {
    for value in [0, 1, 0x8000_0000_0000_0005, u64::MAX] {
        let bits = u64_into_boolean_vec_le(Cs::new(), Some(value)).unwrap();
        let sum = bits.iter().rev().fold(0, |sum, bit| sum << 1 | u64::from(bit.get_value().unwrap()));
        assert_eq!((bits.len(), sum), (64, value));
    }
    for value in [Scalar::ZERO, Scalar::from(6), -Scalar::ONE] {
        let bits = field_into_allocated_bits_le(Cs::new(), Some(value)).unwrap();
        let bits: Vec<_> = bits.iter().map(|bit| bit.get_value().unwrap()).collect();
        assert_eq!(bits, value.to_le_bits().iter().by_vals().take(255).collect::<Vec<_>>());
    }
}
