use blstrs::Scalar;
use ff::Field;

use super::TestConstraintSystem;
use crate::{Comparable, ConstraintSystem, Delta};

type Cs = TestConstraintSystem<Scalar>;

/// private · private = public, two namespaces deep.
fn square(private: u64, public: u64) -> Cs {
    let mut cs = Cs::new();
    let mut outer = cs.namespace(|| "outer");
    let a = outer.alloc(|| "private", || Ok(Scalar::from(private))).unwrap();
    let b = outer.alloc_input(|| "public", || Ok(Scalar::from(public))).unwrap();
    outer.namespace(|| "inner").enforce(|| "square", |lc| lc + a, |lc| lc + a, |lc| lc + b);
    drop(outer);
    cs
}

#[test]
fn names_are_paths() {
    let cs = square(3, 9);
    let names = ["INPUT ONE", "INPUT outer/public", "AUX outer/private", "outer/inner/square"];
    assert_eq!(cs.pretty_print_list(), names);
    assert_eq!(cs.pretty_print(), names.join("\n"));
    assert_eq!((cs.inputs(), cs.aux()), (vec!["ONE".into(), "outer/public".into()], vec!["outer/private".into()]));
}

#[test]
fn the_constraint_that_fails_is_named() {
    let mut cs = square(3, 9);
    assert!(cs.is_satisfied());
    cs.set("outer/private", Scalar::from(4));
    assert_eq!(cs.which_is_unsatisfied(), Some("outer/inner/square"));
    cs.set("outer/public", Scalar::from(16));
    assert!(cs.is_satisfied());
}

#[test]
fn values_are_found_by_name_and_number() {
    let mut cs = square(3, 9);
    assert_eq!([cs.get("outer/private"), cs.get("outer/public"), cs.get("ONE")], [3, 9, 1].map(Scalar::from));
    assert_eq!(cs.get_input(1, "outer/public"), Scalar::from(9));
    assert_eq!((cs.scalar_inputs(), cs.scalar_aux()), ([1, 9].map(Scalar::from).to_vec(), vec![Scalar::from(3)]));
    assert_eq!((cs.num_inputs(), cs.num_constraints()), (2, 1));
    assert!(cs.verify(&[Scalar::from(9)]) && !cs.verify(&[Scalar::from(3)]));
}

#[test]
#[should_panic(expected = "this path is taken: outer")]
fn a_name_is_given_once() {
    square(3, 9).namespace(|| "outer");
}

#[test]
#[should_panic(expected = "a name must not hold '/'")]
fn a_name_has_no_slash() {
    Cs::new().enforce(|| "a/b", |lc| lc, |lc| lc, |lc| lc);
}

#[test]
#[should_panic(expected = "`outer/inner` is no variable but a Namespace")]
fn a_namespace_has_no_value() {
    square(3, 9).get("outer/inner");
}

#[test]
#[should_panic(expected = "there is no variable at inner")]
fn an_unknown_name_has_no_value() {
    square(3, 9).set("inner", Scalar::ONE);
}

#[test]
fn digests_tell_constraints_apart_but_not_values_or_names() {
    let digest = |weight: u64, name: &'static str, value: u64| {
        let mut cs = Cs::new();
        let a = cs.alloc(|| name, || Ok(Scalar::from(value))).unwrap();
        cs.enforce(|| name.to_owned() + "!", |lc| lc + a, |lc| lc + (Scalar::from(weight), a), |lc| lc);
        cs.hash()
    };
    assert_eq!(digest(1, "a", 1), digest(1, "b", 2));
    assert_ne!(digest(1, "a", 1), digest(2, "a", 1));
    // Printed by the published package.
    assert_eq!(Cs::new().hash(), "958191931feaed50efb8195a7e9084aba2c230e2886c2f11a2cff90a9117095e");
}

#[test]
fn differences_are_found_in_their_order() {
    let three = |inputs: u64, name: &'static str, constraints: usize| {
        let mut cs = Cs::new();
        for number in 0..inputs {
            cs.alloc_input(|| format!("input {number}"), || Ok(Scalar::ONE)).unwrap();
        }
        for number in 0..constraints {
            cs.enforce(|| format!("{name} {number}"), |lc| lc, |lc| lc, |lc| lc);
        }
        cs
    };
    let base = three(1, "c", 2);
    assert_eq!(base.delta(&three(1, "c", 2), false), Delta::Equal);
    assert_eq!(base.delta(&three(2, "d", 3), false), Delta::InputCountMismatch(2, 3));
    assert_eq!(base.delta(&three(1, "d", 3), false), Delta::ConstraintCountMismatch(2, 3));
    assert_eq!(base.delta(&three(1, "c", 1), true), Delta::Different);
    let other = three(2, "d", 3);
    let [ours, theirs] = [&base, &other].map(|cs| cs.constraints()[0].clone());
    assert_eq!(base.delta(&other, true), Delta::ConstraintMismatch(0, ours, theirs));
}
