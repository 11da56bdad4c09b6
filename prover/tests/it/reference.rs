//! A second, naive account of a circuit: dense matrices, Lagrange polynomials multiplied out, everything in the exponent.
//!
//! It shares nothing with the library but the constraint system's interface and the field.

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ff::{Field, PrimeField};
use groth16_prover::prove::Randomness;
use groth16_prover::toxic::ToxicWaste;

/// A circuit's constraints as lists of (variable, coefficient), and its witness.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) inputs: Vec<Scalar>,
    pub(crate) aux: Vec<Scalar>,
    pub(crate) constraints: Vec<[Vec<(Index, Scalar)>; 3]>,
}

impl Recorder {
    /// Records a circuit and the additional constraint of every public input.
    pub(crate) fn of(circuit: impl Circuit<Scalar>) -> Self {
        let mut recorder = Self { inputs: vec![Scalar::ONE], ..Self::default() };
        circuit.synthesize(&mut recorder).unwrap();
        for input in 0..recorder.inputs.len() {
            recorder.constraints.push([vec![(Index::Input(input), Scalar::ONE)], vec![], vec![]]);
        }
        recorder
    }
}

impl ConstraintSystem<Scalar> for Recorder {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
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
        let list = |lc: LinearCombination<Scalar>| -> Vec<_> {
            lc.iter().map(|(variable, coefficient)| (variable.get_unchecked(), *coefficient)).collect()
        };
        let zero = LinearCombination::zero;
        self.constraints.push([list(a(zero())), list(b(zero())), list(c(zero()))]);
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

/// The discrete logarithms of the parameters' points.
pub(crate) struct Exponents {
    pub(crate) ic: Vec<Scalar>,
    pub(crate) h: Vec<Scalar>,
    pub(crate) l: Vec<Scalar>,
    pub(crate) a: Vec<Scalar>,
    pub(crate) b: Vec<Scalar>,
}

/// The discrete logarithms of a proof's points.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProofExponents {
    pub(crate) a: Scalar,
    pub(crate) b: Scalar,
    pub(crate) c: Scalar,
}

/// A circuit with everything evaluated at τ.
pub(crate) struct Reference {
    recorder: Recorder,
    toxic: ToxicWaste,
    size: usize,
    /// u, v and w at τ: public inputs, then auxiliary variables.
    columns: [Vec<Scalar>; 3],
}

impl Reference {
    pub(crate) fn new(circuit: impl Circuit<Scalar>, toxic: &ToxicWaste) -> Self {
        let recorder = Recorder::of(circuit);
        let size = (0..32).map(|log| 1_usize << log).find(|size| *size >= recorder.constraints.len()).unwrap();
        let lagrange = lagrange(size, toxic.tau);
        let inputs = recorder.inputs.len();
        let columns = [0, 1, 2].map(|side| {
            let mut column = vec![Scalar::ZERO; inputs + recorder.aux.len()];
            for (constraint, value) in recorder.constraints.iter().zip(&lagrange) {
                for (index, coefficient) in &constraint[side] {
                    let at = match *index {
                        Index::Input(input) => input,
                        Index::Aux(aux) => inputs + aux,
                    };
                    column[at] += coefficient * value;
                }
            }
            column
        });
        Self { recorder, toxic: toxic.clone(), size, columns }
    }

    fn vanishing(&self) -> Scalar {
        self.toxic.tau.pow([self.size as u64]) - Scalar::ONE
    }

    /// β·u + α·v + w of one variable.
    fn combined(&self, variable: usize) -> Scalar {
        let [u, v, w] = self.columns.each_ref().map(|column| column[variable]);
        self.toxic.beta * u + self.toxic.alpha * v + w
    }

    pub(crate) fn parameters(&self) -> Exponents {
        let (inputs, all) = (self.recorder.inputs.len(), self.columns[0].len());
        let (gamma, delta) = (self.toxic.gamma.invert().unwrap(), self.toxic.delta.invert().unwrap());
        let filtered = |column: &[Scalar]| column.iter().copied().filter(|value| *value != Scalar::ZERO).collect();
        Exponents {
            ic: (0..inputs).map(|input| self.combined(input) * gamma).collect(),
            h: (0..self.size - 1).map(|i| self.toxic.tau.pow([i as u64]) * self.vanishing() * delta).collect(),
            l: (inputs..all).map(|variable| self.combined(variable) * delta).collect(),
            a: filtered(&self.columns[0]),
            b: filtered(&self.columns[1]),
        }
    }

    /// The proof by the paper's formulas; h(τ)·t(τ) is u·v − w at τ, no polynomial is divided.
    pub(crate) fn proof(&self, Randomness { r, s }: &Randomness) -> ProofExponents {
        let toxic = &self.toxic;
        let inputs = self.recorder.inputs.len();
        let witness: Vec<Scalar> = self.recorder.inputs.iter().chain(&self.recorder.aux).copied().collect();
        let [u, v, w] = self
            .columns
            .each_ref()
            .map(|column| -> Scalar { column.iter().zip(&witness).map(|(value, weight)| value * weight).sum() });
        let a = toxic.alpha + u + r * toxic.delta;
        let b = toxic.beta + v + s * toxic.delta;
        let private: Scalar = (inputs..witness.len()).map(|i| witness[i] * self.combined(i)).sum();
        let c = (private + u * v - w) * toxic.delta.invert().unwrap() + a * s + b * r - r * s * toxic.delta;
        ProofExponents { a, b, c }
    }
}

/// Every Lagrange polynomial of the domain at τ, as the product Π (τ − ωᵏ) / (ωʲ − ωᵏ).
fn lagrange(size: usize, tau: Scalar) -> Vec<Scalar> {
    let order = 1_u64 << Scalar::S;
    let omega = Scalar::ROOT_OF_UNITY.pow([order / size as u64]);
    let roots: Vec<Scalar> = (0..size).map(|j| omega.pow([j as u64])).collect();
    let one = |j: usize| -> Scalar {
        let (mut above, mut below) = (Scalar::ONE, Scalar::ONE);
        for k in (0..size).filter(|k| *k != j) {
            above *= tau - roots[k];
            below *= roots[j] - roots[k];
        }
        above * below.invert().unwrap()
    };
    (0..size).map(one).collect()
}
