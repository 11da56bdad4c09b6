//! Bits and booleans: every gate over every kind of operand and every value.

use bellpepper_core::boolean::{
    AllocatedBit, Boolean, field_into_allocated_bits_le, field_into_boolean_vec_le, u64_into_boolean_vec_le,
};
use bellpepper_core::{ConstraintSystem, SynthesisError};
use ff::Field;

use crate::report::{Scalar, TestCs, case, terms};

pub fn print() {
    bits();
    for a in 0..6 {
        lc(a);
        for b in 0..6 {
            two_operands(a, b);
            for c in 0..6 {
                three_operands(a, b, c);
            }
        }
    }
    decompositions();
}

type Gate = fn(&mut TestCs, &AllocatedBit, &AllocatedBit) -> Result<AllocatedBit, SynthesisError>;

fn bits() {
    let gates: [(&str, Gate); 5] = [
        ("bit xor", |cs, a, b| AllocatedBit::xor(cs, a, b)),
        ("bit and", |cs, a, b| AllocatedBit::and(cs, a, b)),
        ("bit and not", |cs, a, b| AllocatedBit::and_not(cs, a, b)),
        ("bit nor", |cs, a, b| AllocatedBit::nor(cs, a, b)),
        ("bit conditionally", |cs, a, b| AllocatedBit::alloc_conditionally(cs, b.get_value(), a)),
    ];
    for (name, gate) in gates {
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            case(&format!("{name} {a} {b}"), |cs| {
                let [a, b] = [("a", a), ("b", b)].map(|(name, value)| bit(cs, name, value));
                show_bit(gate(cs, &a, &b))
            });
        }
    }
    case("bit unknown", |cs| show_bit(AllocatedBit::alloc(cs, None)));
}

fn bit(cs: &mut TestCs, name: &str, value: bool) -> AllocatedBit {
    AllocatedBit::alloc(cs.namespace(|| name.to_owned()), Some(value)).expect("a new name and a known value")
}

/// Each kind with each value: a bit, a negated bit, a constant.
fn operand(cs: &mut TestCs, name: &str, kind: usize) -> Boolean {
    let value = kind % 2 == 1;
    match kind / 2 {
        0 => Boolean::from(bit(cs, name, value)),
        1 => Boolean::from(bit(cs, name, !value)).not(),
        _ => Boolean::constant(value),
    }
}

fn lc(kind: usize) {
    case(&format!("lc {kind}"), |cs| {
        let a = operand(cs, "a", kind);
        let lcs = [Scalar::from(7), Scalar::ZERO].map(|coeff| terms(&a.lc(TestCs::one(), coeff)));
        format!("{lcs:?} {} {:?} not {}", a.is_constant(), a.get_value(), show(Ok(a.not())))
    });
}

fn two_operands(a: usize, b: usize) {
    case(&format!("equal {a} {b}"), |cs| {
        let [a, b] = [("a", a), ("b", b)].map(|(name, kind)| operand(cs, name, kind));
        format!("{:?}", Boolean::enforce_equal(cs, &a, &b))
    });
    case(&format!("xor {a} {b}"), |cs| {
        let [a, b] = [("a", a), ("b", b)].map(|(name, kind)| operand(cs, name, kind));
        show(Boolean::xor(cs, &a, &b))
    });
    case(&format!("and {a} {b}"), |cs| {
        let [a, b] = [("a", a), ("b", b)].map(|(name, kind)| operand(cs, name, kind));
        show(Boolean::and(cs, &a, &b))
    });
}

fn three_operands(a: usize, b: usize, c: usize) {
    case(&format!("ch {a} {b} {c}"), |cs| {
        let [a, b, c] = [("a", a), ("b", b), ("c", c)].map(|(name, kind)| operand(cs, name, kind));
        show(Boolean::sha256_ch(cs, &a, &b, &c))
    });
    case(&format!("maj {a} {b} {c}"), |cs| {
        let [a, b, c] = [("a", a), ("b", b), ("c", c)].map(|(name, kind)| operand(cs, name, kind));
        show(Boolean::sha256_maj(cs, &a, &b, &c))
    });
}

fn decompositions() {
    for value in [None, Some(0), Some(0x8000_0000_0000_0005), Some(u64::MAX)] {
        case(&format!("u64 {value:?}"), |cs| show_all(u64_into_boolean_vec_le(cs, value)));
    }
    for value in [None, Some(Scalar::from(5)), Some(-Scalar::ONE), Some(Scalar::from(2).invert().unwrap())] {
        case(&format!("field {value:?}"), |cs| show_all(field_into_boolean_vec_le(cs, value)));
        case(&format!("field bits {value:?}"), |cs| {
            show_all(field_into_allocated_bits_le(cs, value).map(|bits| bits.into_iter().map(Boolean::from).collect()))
        });
    }
}

pub fn show_all(bits: Result<Vec<Boolean>, SynthesisError>) -> String {
    match bits {
        Ok(bits) => bits.into_iter().map(|bit| show(Ok(bit))).collect::<Vec<_>>().join(" "),
        Err(error) => format!("{error:?}"),
    }
}

fn show(result: Result<Boolean, SynthesisError>) -> String {
    match result {
        Ok(Boolean::Is(bit)) => show_bit(Ok(bit)),
        Ok(Boolean::Not(bit)) => format!("not {}", show_bit(Ok(bit))),
        Ok(Boolean::Constant(value)) => format!("constant {value}"),
        Err(error) => format!("{error:?}"),
    }
}

fn show_bit(result: Result<AllocatedBit, SynthesisError>) -> String {
    result.map_or_else(|error| format!("{error:?}"), |bit| format!("{:?} {:?}", bit.get_variable(), bit.get_value()))
}
