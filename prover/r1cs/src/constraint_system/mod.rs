//! What a circuit is written against: [`Circuit`], [`ConstraintSystem`], [`Namespace`], [`SynthesisError`].

mod by_reference;
mod error;
mod namespace;

use ff::PrimeField;

pub use self::error::SynthesisError;
pub use self::namespace::Namespace;
use crate::{Index, LinearCombination, Variable};

/// A computation that can be written down as a rank-1 constraint system.
pub trait Circuit<Scalar: PrimeField> {
    /// Allocates the circuit's variables in `cs` and enforces its constraints, the same ones in the same order whether
    /// or not the values are known.
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError>;
}

/// Something that takes a circuit's variables and constraints.
///
/// Implementations must number the variables in the order of allocation. They may ignore names, values or constraints, and
/// then never call the closures that would give them, so those cost nothing.
pub trait ConstraintSystem<Scalar: PrimeField>: Sized + Send {
    /// The system at the bottom of all namespaces, so that nesting them adds no indirection.
    type Root: ConstraintSystem<Scalar>;

    /// An empty system, in which only the constant one exists. Panics where not implemented.
    fn new() -> Self {
        panic!("this constraint system does not make empty ones: it has no ConstraintSystem::new of its own")
    }

    /// The variable whose value is the constant one.
    #[inline]
    fn one() -> Variable {
        Variable(Index::Input(0))
    }

    /// Allocates a private variable. `value` is called by systems that hold an assignment, `name` by those that keep names.
    fn alloc<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>;

    /// Allocates a public variable, like [`alloc`](Self::alloc).
    fn alloc_input<F, A, AR>(&mut self, name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>;

    /// Enforces a · b = c. Each closure is handed a combination without terms and returns the one to use.
    fn enforce<A, AR, LA, LB, LC>(&mut self, name: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>;

    /// Enters a namespace. Circuits use [`namespace`](Self::namespace), which also leaves it.
    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR;

    /// Leaves the innermost namespace. Circuits use [`namespace`](Self::namespace).
    fn pop_namespace(&mut self);

    /// The system below all namespaces.
    fn get_root(&mut self) -> &mut Self::Root;

    /// Enters a namespace, and leaves it when the returned value is dropped.
    #[inline]
    fn namespace<NR, N>(&mut self, name: N) -> Namespace<'_, Scalar, Self::Root>
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        Namespace::enter(self.get_root(), name)
    }

    /// Whether [`extend`](Self::extend) is implemented.
    fn is_extensible() -> bool {
        false
    }

    /// Appends all of `other`, so that independent parts of a circuit can be synthesized side by side and joined in their
    /// order. Panics where not implemented, which [`is_extensible`](Self::is_extensible) says.
    fn extend(&mut self, _other: &Self) {
        panic!("this constraint system takes no part of another: ask is_extensible() first")
    }

    /// Whether the system only collects the assignment. Gadgets may then skip `enforce` and use the methods below, all of
    /// which panic on other systems.
    #[inline]
    fn is_witness_generator(&self) -> bool {
        false
    }

    /// Appends values of public inputs; for witness generators.
    fn extend_inputs(&mut self, _new_inputs: &[Scalar]) {
        witness_generators_only("extend_inputs", self.is_witness_generator())
    }

    /// Appends values of private variables; for witness generators.
    fn extend_aux(&mut self, _new_aux: &[Scalar]) {
        witness_generators_only("extend_aux", self.is_witness_generator())
    }

    /// Appends `aux_n` private variables and `inputs_n` public inputs, and returns the room for their values (private
    /// ones first); for witness generators.
    fn allocate_empty(&mut self, _aux_n: usize, _inputs_n: usize) -> (&mut [Scalar], &mut [Scalar]) {
        witness_generators_only("allocate_empty", self.is_witness_generator())
    }

    /// Appends `n` public inputs and returns the room for their values; for witness generators.
    fn allocate_empty_inputs(&mut self, _n: usize) -> &mut [Scalar] {
        witness_generators_only("allocate_empty_inputs", self.is_witness_generator())
    }

    /// Appends `n` private variables and returns the room for their values; for witness generators.
    fn allocate_empty_aux(&mut self, _n: usize) -> &mut [Scalar] {
        witness_generators_only("allocate_empty_aux", self.is_witness_generator())
    }

    /// The values of the public inputs, the constant one first; for witness generators.
    fn inputs_slice(&self) -> &[Scalar] {
        witness_generators_only("inputs_slice", self.is_witness_generator())
    }

    /// The values of the private variables; for witness generators.
    fn aux_slice(&self) -> &[Scalar] {
        witness_generators_only("aux_slice", self.is_witness_generator())
    }
}

/// The default of the methods that only a witness generator has.
fn witness_generators_only(method: &str, is_witness_generator: bool) -> ! {
    assert!(
        !is_witness_generator,
        "this witness generator has no ConstraintSystem::{method} of its own, which it needs"
    );
    panic!("ConstraintSystem::{method} is for witness generators only: ask is_witness_generator() first")
}

#[cfg(test)]
mod tests;
