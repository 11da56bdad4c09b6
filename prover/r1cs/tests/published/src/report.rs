//! How cases are printed: short ones in full, long ones as a digest.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bellpepper_core::test_cs::TestConstraintSystem;
use bellpepper_core::{Comparable, LinearCombination};
use ff::{Field, PrimeField};

pub type Scalar = blstrs::Scalar;
pub type TestCs = TestConstraintSystem<Scalar>;

/// More lines than this are printed as their number and digest.
const IN_FULL: usize = 12;

/// The result of what panicked.
const PANIC: &str = "panic";

/// Runs a case in a fresh test system and prints its result and everything that the system then holds.
pub fn case(name: &str, run: impl FnOnce(&mut TestCs) -> String) {
    let mut cs = TestCs::new();
    let result = outcome(|| run(&mut cs));
    println!("{name} -> {result}");
    // How far a call came before it panicked is nobody's interface.
    if result != PANIC {
        print_lines(&describe(&cs));
    }
}

/// The text that `run` returns, or that it panicked.
pub fn outcome(run: impl FnOnce() -> String) -> String {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| PANIC.to_owned())
}

pub fn print_lines(lines: &[String]) {
    if lines.len() <= IN_FULL {
        lines.iter().for_each(|line| println!("    {line}"));
        return;
    }
    let mut hasher = DefaultHasher::new();
    lines.hash(&mut hasher);
    println!("    {} lines {:016x}, last: {}", lines.len(), hasher.finish(), lines[lines.len() - 1]);
}

fn describe(cs: &TestCs) -> Vec<String> {
    let inputs = cs.get_inputs().iter().skip(1).map(|(value, name)| format!("input {name} = {}", scalar(value)));
    let aux = cs.aux().into_iter().zip(cs.scalar_aux()).map(|(name, value)| format!("aux {name} = {}", scalar(&value)));
    let constraints = cs.constraints().iter().map(|(a, b, c, name)| format!("{name}: {}", product(a, b, c)));
    let summary = [format!("unsatisfied {:?} digest {}", cs.which_is_unsatisfied(), cs.hash())];
    inputs.chain(aux).chain(constraints).chain(summary).collect()
}

pub fn product(a: &LinearCombination<Scalar>, b: &LinearCombination<Scalar>, c: &LinearCombination<Scalar>) -> String {
    format!("({}) * ({}) = ({})", terms(a), terms(b), terms(c))
}

/// A combination's terms in the order in which it gives them.
pub fn terms(lc: &LinearCombination<Scalar>) -> String {
    let terms: Vec<_> = lc.iter().map(|(variable, coeff)| format!("{} {:?}", scalar(coeff), variable.0)).collect();
    terms.join(", ")
}

/// A short decimal where the value is near zero, else big-endian hexadecimal.
pub fn scalar(value: &Scalar) -> String {
    let small = |value: &Scalar| (0..64).find(|small| Scalar::from(*small) == *value);
    match (small(value), small(&-*value)) {
        (Some(small), _) => small.to_string(),
        (_, Some(small)) => format!("-{small}"),
        _ => value.to_repr().as_ref().iter().rev().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// A value as far away from its neighbours as any.
pub fn spread(seed: u64) -> Scalar {
    (Scalar::from(seed) + Scalar::MULTIPLICATIVE_GENERATOR).pow([0x9e37_79b9_7f4a_7c15])
}
