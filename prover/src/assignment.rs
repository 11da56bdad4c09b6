//! The prover's side of synthesis: the witness, and the three sides of every constraint evaluated at it.
//!
//! No constraint is kept, only its values a, b, c. The checks are the quotient's (see [`crate::quotient`]), which
//! multiplies these values anyway.

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::density::Density;
use crate::params::Parameters;
use crate::timeline::{Phase, Timeline};

/// How large an assignment is going to be (toggle A2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapacityHint {
    /// Constraints, the additional one of every public input included.
    pub constraints: usize,
    /// Public inputs, the constant one included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
}

impl From<&Parameters> for CapacityHint {
    /// Exact for the variables; for the constraints the size of the domain, which is what the transforms need.
    fn from(parameters: &Parameters) -> Self {
        let (constraints, inputs, aux) = (parameters.h.len() + 1, parameters.vk.ic.len(), parameters.l.len());
        Self { constraints, inputs, aux }
    }
}

/// The witness of one circuit, and what the prover has to know of its constraints.
#[derive(Clone, Debug, Default)]
pub struct ProvingAssignment {
    /// The left sides, one for each constraint.
    pub a: Vec<Scalar>,
    /// The right sides.
    pub b: Vec<Scalar>,
    /// What the products must be.
    pub c: Vec<Scalar>,
    /// The public inputs, the constant one first.
    pub inputs: Vec<Scalar>,
    /// The auxiliary variables.
    pub aux: Vec<Scalar>,
    /// Auxiliary variables that occur on a left side. (Public inputs all do.)
    pub a_aux_density: Density,
    /// Public inputs that occur on a right side.
    pub b_input_density: Density,
    /// Auxiliary variables that occur on a right side.
    pub b_aux_density: Density,
}

impl ProvingAssignment {
    /// An assignment with the constant one only. Its memory is allocated now where there is a hint, else as it grows.
    pub fn with_hint(hint: Option<CapacityHint>) -> Self {
        let mut assignment = match hint {
            None => Self::default(),
            Some(CapacityHint { constraints, inputs, aux }) => Self {
                a: Vec::with_capacity(constraints),
                b: Vec::with_capacity(constraints),
                c: Vec::with_capacity(constraints),
                inputs: Vec::with_capacity(inputs),
                aux: Vec::with_capacity(aux),
                a_aux_density: Density::with_capacity(aux),
                b_input_density: Density::with_capacity(inputs),
                b_aux_density: Density::with_capacity(aux),
            },
        };
        assignment.push_input(Scalar::ONE);
        assignment
    }

    /// Synthesizes a circuit, with the additional constraint of every public input at the end.
    pub fn synthesize<C: Circuit<Scalar>>(circuit: C, hint: Option<CapacityHint>) -> Result<Self, SynthesisError> {
        let mut assignment = Self::with_hint(hint);
        circuit.synthesize(&mut assignment)?;
        constrain_inputs(&mut assignment, |assignment| assignment.inputs.len());
        Ok(assignment)
    }

    /// The public inputs as a verifier takes them: without the constant one.
    pub fn public_inputs(&self) -> &[Scalar] {
        &self.inputs[1..]
    }

    fn push_input(&mut self, value: Scalar) {
        self.inputs.push(value);
        self.b_input_density.push();
    }
}

/// Adds `input · 0 = 0` for every public input, the constant one included.
///
/// It makes the inputs' polynomials linearly independent, without which a proof could be moved to other inputs
/// (Ben-Sasson et al., *Succinct Non-Interactive Zero Knowledge for a von Neumann Architecture*, appendix E). Set-up and
/// prover must both do it.
pub(crate) fn constrain_inputs<CS: ConstraintSystem<Scalar>>(cs: &mut CS, inputs: impl Fn(&CS) -> usize) {
    for input in 0..inputs(cs) {
        let variable = Variable::new_unchecked(Index::Input(input));
        cs.enforce(|| "", |lc| lc + variable, |lc| lc, |lc| lc);
    }
}

/// Synthesizes the circuits of a batch in parallel, as the phase `synthesis`.
///
/// `hint` holds for each of them; pass `None` for memory that grows with the circuit (toggle A2 off).
pub fn synthesize<C: Circuit<Scalar> + Send>(
    circuits: Vec<C>,
    hint: Option<CapacityHint>,
    timeline: &Timeline,
) -> Result<Vec<ProvingAssignment>, SynthesisError> {
    timeline.record(Phase::Synthesis, || {
        circuits.into_par_iter().map(|circuit| ProvingAssignment::synthesize(circuit, hint)).collect()
    })
}

/// coefficient · value; most coefficients are one or minus one, and most values are bits.
fn add_product(sum: &mut Scalar, coefficient: &Scalar, value: &Scalar) {
    if *coefficient == Scalar::ONE {
        *sum += value;
    } else if *value == Scalar::ONE {
        *sum += coefficient;
    } else if *value != Scalar::ZERO {
        *sum += *coefficient * value;
    }
}

/// The value of a combination. Tells `input` and `aux` which variables have a coefficient other than zero.
fn evaluate(
    combination: &LinearCombination<Scalar>,
    assignment: (&[Scalar], &[Scalar]),
    mut input: impl FnMut(usize),
    mut aux: impl FnMut(usize),
) -> Scalar {
    let mut sum = Scalar::ZERO;
    for (&index, coefficient) in combination.iter_inputs().filter(|(_, c)| **c != Scalar::ZERO) {
        input(index);
        add_product(&mut sum, coefficient, &assignment.0[index]);
    }
    for (&index, coefficient) in combination.iter_aux().filter(|(_, c)| **c != Scalar::ZERO) {
        aux(index);
        add_product(&mut sum, coefficient, &assignment.1[index]);
    }
    sum
}

impl ConstraintSystem<Scalar> for ProvingAssignment {
    type Root = Self;

    fn new() -> Self {
        Self::with_hint(None)
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        self.a_aux_density.push();
        self.b_aux_density.push();
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.push_input(value()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let a = a(LinearCombination::zero());
        let b = b(LinearCombination::zero());
        let c = c(LinearCombination::zero());
        let values = (&self.inputs[..], &self.aux[..]);
        self.a.push(evaluate(&a, values, |_| (), |aux| self.a_aux_density.insert(aux)));
        let (b_input, b_aux) = (&mut self.b_input_density, &mut self.b_aux_density);
        self.b.push(evaluate(&b, values, |input| b_input.insert(input), |aux| b_aux.insert(aux)));
        self.c.push(evaluate(&c, values, |_| (), |_| ()));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
