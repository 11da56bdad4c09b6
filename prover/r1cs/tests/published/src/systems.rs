//! The traits, namespaces, errors, and the test system's own methods.

use bellpepper_core::{Comparable, ConstraintSystem, Delta, Index, Namespace, SynthesisError, Variable};
use ff::Field;

use crate::report::{Scalar, TestCs, case, outcome};

pub fn print() {
    names();
    methods();
    defaults();
    differences();
    errors();
}

fn names() {
    let taken: [(&str, fn(&mut TestCs)); 7] = [
        ("variable", |cs| drop(cs.alloc(|| "taken", || Ok(Scalar::ONE)))),
        ("input", |cs| drop(cs.alloc_input(|| "taken", || Ok(Scalar::ONE)))),
        ("namespace", |cs| drop(cs.namespace(|| "taken"))),
        ("constraint", |cs| cs.enforce(|| "taken", |lc| lc, |lc| lc, |lc| lc)),
        ("one", |cs| drop(cs.alloc(|| "ONE", || Ok(Scalar::ONE)))),
        ("slash", |cs| drop(cs.alloc(|| "a/b", || Ok(Scalar::ONE)))),
        ("slash in namespace", |cs| drop(cs.namespace(|| "a/b"))),
    ];
    for (name, again) in taken {
        case(&format!("name of {name}"), |cs| {
            drop(cs.namespace(|| "taken"));
            again(cs);
            "done".to_owned()
        });
    }
    case("name in other namespace", |cs| {
        drop(cs.namespace(|| "outer").namespace(|| "inner").alloc(|| "name", || Ok(Scalar::ONE)));
        drop(cs.namespace(|| "other").alloc(|| "name", || Ok(Scalar::ONE)));
        "done".to_owned()
    });
    case("leaving too often", |cs| {
        cs.pop_namespace();
        "done".to_owned()
    });
    case("entering by a namespace", |cs| {
        cs.namespace(|| "outer").push_namespace(|| "inner");
        "done".to_owned()
    });
}

fn sample(cs: &mut TestCs) {
    let mut outer = cs.namespace(|| "outer");
    let private = outer.alloc(|| "private", || Ok(Scalar::from(5))).expect("a known value");
    let public = outer.alloc_input(|| "public", || Ok(Scalar::from(25))).expect("a known value");
    let mut inner = outer.namespace(|| "inner");
    inner.enforce(|| "square", |lc| lc + private, |lc| lc + private, |lc| lc + public);
    inner.enforce(
        || "shifted",
        |lc| lc + private - TestCs::one(),
        |lc| lc - public + (Scalar::from(3), private),
        |lc| lc - (Scalar::from(10), Variable(Index::Input(0))) - private - public,
    );
}

fn methods() {
    let uses: [(&str, fn(&mut TestCs) -> String); 16] = [
        ("get", |cs| format!("{:?} {:?} {:?}", cs.get("outer/private"), cs.get("outer/public"), cs.get("ONE"))),
        ("get nothing", |cs| format!("{:?}", cs.get("private"))),
        ("get namespace", |cs| format!("{:?}", cs.get("outer"))),
        ("get constraint", |cs| format!("{:?}", cs.get("outer/inner/square"))),
        ("get input", |cs| format!("{:?} {:?}", cs.get_input(0, "ONE"), cs.get_input(1, "outer/public"))),
        ("get input by another's name", |cs| format!("{:?}", cs.get_input(1, "ONE"))),
        ("get input too far", |cs| format!("{:?}", cs.get_input(2, "ONE"))),
        ("set private", |cs| format!("{:?} {:?}", cs.set("outer/private", Scalar::ONE), cs.scalar_aux())),
        ("set public", |cs| format!("{:?} {:?}", cs.set("outer/public", Scalar::ONE), cs.scalar_inputs())),
        ("set one", |cs| format!("{:?} {:?}", cs.set("ONE", Scalar::from(3)), cs.scalar_inputs())),
        ("set nothing", |cs| format!("{:?}", cs.set("private", Scalar::ONE))),
        ("set constraint", |cs| format!("{:?}", cs.set("outer/inner/square", Scalar::ONE))),
        ("verify", |cs| format!("{} {}", cs.verify(&[Scalar::from(25)]), cs.verify(&[Scalar::from(24)]))),
        ("verify too few", |cs| format!("{}", cs.verify(&[]))),
        ("verify too many", |cs| format!("{}", cs.verify(&[Scalar::from(25), Scalar::ONE]))),
        ("counts", |cs| {
            format!("{} {} {:?} {}", cs.num_inputs(), cs.num_constraints(), cs.inputs(), cs.is_satisfied())
        }),
    ];
    for (name, use_it) in uses {
        case(name, |cs| {
            sample(cs);
            use_it(cs)
        });
    }
    case("pretty print", |cs| {
        sample(cs);
        format!("{:?} {:?}", cs.pretty_print_list(), cs.pretty_print())
    });
    case("empty", |cs| format!("{:?} {}", cs.pretty_print_list(), cs.is_satisfied()));
}

fn defaults() {
    let uses: [(&str, fn(&mut TestCs)); 9] = [
        ("extend", |cs| cs.extend(&TestCs::new())),
        ("extend inputs", |cs| cs.extend_inputs(&[])),
        ("extend aux in a namespace", |cs| cs.namespace(|| "outer").extend_aux(&[])),
        ("allocate empty", |cs| _ = cs.allocate_empty(0, 0).0.len()),
        ("allocate empty inputs", |cs| _ = cs.allocate_empty_inputs(0).len()),
        ("allocate empty aux", |cs| _ = cs.allocate_empty_aux(0).len()),
        ("inputs slice", |cs| _ = cs.inputs_slice().len()),
        ("aux slice", |cs| _ = cs.aux_slice().len()),
        ("new namespace", |_| drop(Namespace::<Scalar, TestCs>::new())),
    ];
    for (name, use_it) in uses {
        case(name, |cs| {
            use_it(cs);
            "done".to_owned()
        });
    }
    let is_extensible = [TestCs::is_extensible(), Namespace::<Scalar, TestCs>::is_extensible()];
    println!("is_extensible {is_extensible:?}, is_witness_generator {}", TestCs::new().is_witness_generator());
    println!("new reference {}", outcome(|| <&mut TestCs>::new().pretty_print()));
}

fn differences() {
    let system = |inputs: usize, constraints: usize, name: &str| {
        let mut cs = TestCs::new();
        for number in 0..inputs {
            cs.alloc_input(|| format!("input {number}"), || Ok(Scalar::ONE)).expect("a known value");
        }
        for number in 0..constraints {
            let weight = (Scalar::from(constraints as u64), TestCs::one());
            cs.enforce(|| format!("{name} {number}"), |lc| lc + TestCs::one(), |lc| lc, |lc| lc + weight);
        }
        cs
    };
    let systems = [(1, 1, "c"), (2, 1, "c"), (1, 2, "c"), (1, 1, "d"), (2, 2, "c"), (1, 0, "c"), (2, 0, "c")];
    for a in systems {
        for b in systems {
            for ignore_counts in [false, true] {
                // The published package reads past the shorter list where all of it agrees.
                if ignore_counts && a.1 != b.1 && a.1.min(b.1) == 0 {
                    continue;
                }
                let delta = system(a.0, a.1, a.2).delta(&system(b.0, b.1, b.2), ignore_counts);
                let shown = match delta {
                    Delta::Equal => "equal".to_owned(),
                    Delta::Different => "different".to_owned(),
                    Delta::InputCountMismatch(a, b) => format!("inputs {a} {b}"),
                    Delta::ConstraintCountMismatch(a, b) => format!("constraints {a} {b}"),
                    Delta::ConstraintMismatch(number, a, b) => format!("constraint {number} {} {}", a.3, b.3),
                };
                println!("delta {a:?} {b:?} {ignore_counts}: {shown}");
            }
        }
    }
}

fn errors() {
    let errors = [
        SynthesisError::AssignmentMissing,
        SynthesisError::DivisionByZero,
        SynthesisError::Unsatisfiable,
        SynthesisError::PolynomialDegreeTooLarge,
        SynthesisError::UnexpectedIdentity,
        SynthesisError::from(std::io::Error::other("inner")),
        SynthesisError::MalformedVerifyingKey,
        SynthesisError::UnconstrainedVariable,
        SynthesisError::MalformedProofs("inner".to_owned()),
        SynthesisError::MalformedSrs,
        SynthesisError::NonPowerOfTwo,
        SynthesisError::IncompatibleLengthVector("inner".to_owned()),
        SynthesisError::InvalidPairing,
    ];
    for error in errors {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        println!("{error:?}: {error} ({source:?})");
    }
}
