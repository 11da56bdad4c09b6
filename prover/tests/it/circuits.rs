//! Small circuits, each about one thing.

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;
use groth16_prover::toxic::ToxicWaste;

/// The secrets that all tests share.
pub(crate) fn toxic() -> ToxicWaste {
    ToxicWaste::from_seed(11)
}

/// Short names for the allocation of variables, and their values.
pub(crate) struct Allocator<'a, CS> {
    cs: &'a mut CS,
}

impl<CS: ConstraintSystem<Scalar>> Allocator<'_, CS> {
    fn input(&mut self, value: u64) -> Result<Variable, SynthesisError> {
        self.cs.alloc_input(|| "public", || Ok(Scalar::from(value)))
    }

    fn aux(&mut self, name: &'static str, value: u64) -> Result<Variable, SynthesisError> {
        self.cs.alloc(|| name, || Ok(Scalar::from(value)))
    }
}

/// All the small circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Small {
    /// Nothing at all.
    Empty,
    /// One public input in no constraint of the circuit.
    OneInput,
    /// p·p = q, both public.
    OnlyInputs,
    /// a·b = p.
    OneConstraint,
    /// a·(b + 0·a) = p.
    ZeroTimesVariable,
    /// a·(b + 0·ONE) = p.
    ZeroTimesOne,
    /// a·(b + a − a) = p.
    CancelledOnTheRight,
    /// (a + b − b)·b = p.
    CancelledOnTheLeft,
    /// (a + a − a)² = p.
    CancelledTwice,
    /// (a + a)·b = p.
    TwiceInOne,
    /// A private variable, and the constraint 0·0 = 0.
    ZeroConstraint,
    /// Every variable on both sides: densities of one.
    Dense,
    /// Private variables in the third side only: densities of zero.
    Sparse,
    /// A private variable that no constraint has.
    Unused,
    /// a·b = p with values that do not satisfy it.
    Unsatisfied,
}

/// Those that can be proved.
pub(crate) const PROVABLE: [Small; 13] = [
    Small::Empty,
    Small::OneInput,
    Small::OnlyInputs,
    Small::OneConstraint,
    Small::ZeroTimesVariable,
    Small::ZeroTimesOne,
    Small::CancelledOnTheRight,
    Small::CancelledOnTheLeft,
    Small::CancelledTwice,
    Small::TwiceInOne,
    Small::ZeroConstraint,
    Small::Dense,
    Small::Sparse,
];

impl Circuit<Scalar> for Small {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let zero = Scalar::ZERO;
        let mut vars = Allocator { cs };
        match self {
            Self::Empty => {}
            Self::OneInput => {
                vars.input(5)?;
            }
            Self::OnlyInputs => {
                let (p, q) = (vars.input(5)?, vars.input(25)?);
                cs.enforce(|| "p² = q", |lc| lc + p, |lc| lc + p, |lc| lc + q);
            }
            Self::OneConstraint | Self::Unsatisfied => {
                let p = vars.input(if self == Self::Unsatisfied { 16 } else { 15 })?;
                let (a, b) = (vars.aux("a", 3)?, vars.aux("b", 5)?);
                cs.enforce(|| "a·b = p", |lc| lc + a, |lc| lc + b, |lc| lc + p);
            }
            Self::ZeroTimesVariable => {
                let (p, a, b) = (vars.input(15)?, vars.aux("a", 3)?, vars.aux("b", 5)?);
                cs.enforce(|| "", |lc| lc + a, |lc| lc + b + (zero, a), |lc| lc + p);
            }
            Self::ZeroTimesOne => {
                let (p, a, b) = (vars.input(15)?, vars.aux("a", 3)?, vars.aux("b", 5)?);
                cs.enforce(|| "", |lc| lc + a, |lc| lc + b + (zero, CS::one()), |lc| lc + p);
            }
            Self::CancelledOnTheRight => {
                let (p, a, b) = (vars.input(15)?, vars.aux("a", 3)?, vars.aux("b", 5)?);
                cs.enforce(|| "", |lc| lc + a, |lc| lc + b + a - a, |lc| lc + p);
            }
            Self::CancelledOnTheLeft => {
                let (p, a, b) = (vars.input(15)?, vars.aux("a", 3)?, vars.aux("b", 5)?);
                cs.enforce(|| "", |lc| lc + a + b - b, |lc| lc + b, |lc| lc + p);
            }
            Self::CancelledTwice => {
                let (p, a) = (vars.input(9)?, vars.aux("a", 3)?);
                cs.enforce(|| "", |lc| lc + a + a - a, |lc| lc + a + a - a, |lc| lc + p);
            }
            Self::TwiceInOne => {
                let (p, a, b) = (vars.input(30)?, vars.aux("a", 3)?, vars.aux("b", 5)?);
                cs.enforce(|| "", |lc| lc + a + a, |lc| lc + b, |lc| lc + p);
            }
            Self::ZeroConstraint => {
                let (p, a) = (vars.input(9)?, vars.aux("a", 3)?);
                cs.enforce(|| "", |lc| lc + a, |lc| lc + a, |lc| lc + p);
                cs.enforce(|| "0·0 = 0", |lc| lc, |lc| lc, |lc| lc);
            }
            Self::Dense => {
                let (p, a, b) = (vars.input(2)?, vars.aux("a", 3)?, vars.aux("b", 49)?);
                let all = |lc| lc + CS::one() + CS::one() + p + a;
                cs.enforce(|| "", all, all, |lc| lc + b);
                cs.enforce(|| "", |lc| lc + b, |lc| lc + CS::one() + b, |lc| lc + (Scalar::from(50), b));
            }
            Self::Sparse => {
                let (p, a, b) = (vars.input(9)?, vars.aux("a", 3)?, vars.aux("b", 6)?);
                cs.enforce(|| "", |lc| lc, |lc| lc, |lc| lc + p - a - b);
                cs.enforce(|| "", |lc| lc, |lc| lc, |lc| lc + a + a - b);
            }
            Self::Unused => {
                let p = vars.input(9)?;
                cs.enforce(|| "", |lc| lc + p, |lc| lc + CS::one(), |lc| lc + p);
                cs.namespace(|| "outer").alloc(|| "forgotten", || Ok(Scalar::ONE))?;
            }
        }
        Ok(())
    }
}

/// A random circuit of a seed: each constraint multiplies two random combinations into a new variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    pub(crate) seed: u64,
    pub(crate) inputs: usize,
    pub(crate) constraints: usize,
}

impl Circuit<Scalar> for Random {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut state = self.seed;
        let mut next = move |below: usize| {
            // Knuth's MMIX generator; its upper bits are good enough to choose a shape.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let mut known = vec![(CS::one(), Scalar::ONE)];
        for _ in 0..self.inputs {
            let value = Scalar::from(next(4) as u64);
            known.push((cs.alloc_input(|| "", || Ok(value))?, value));
        }
        for index in 0..self.constraints {
            let mut side = || -> Vec<(Scalar, Variable, Scalar)> {
                (0..next(4))
                    .map(|_| {
                        let (variable, value) = known[next(known.len())];
                        let coefficient = Scalar::from(next(3) as u64) - Scalar::from(next(2) as u64);
                        (coefficient, variable, value)
                    })
                    .collect()
            };
            let (left, right) = (side(), side());
            let value = |side: &[(Scalar, Variable, Scalar)]| -> Scalar {
                side.iter().map(|(coefficient, _, value)| coefficient * value).sum()
            };
            let product = value(&left) * value(&right);
            let variable = cs.alloc(|| format!("product {index}"), || Ok(product))?;
            cs.enforce(
                || format!("constraint {index}"),
                |lc| left.iter().fold(lc, |lc, (coefficient, variable, _)| lc + (*coefficient, *variable)),
                |lc| right.iter().fold(lc, |lc, (coefficient, variable, _)| lc + (*coefficient, *variable)),
                |lc| lc + variable,
            );
            known.push((variable, product));
        }
        Ok(())
    }
}
