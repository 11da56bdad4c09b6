//! Set-up: the parameters of a circuit from known secrets.
//!
//! The result is, byte for byte, what bellperson makes of the same circuit and secrets: the same additional constraint for every
//! public input, the same domain, the same points left out. Every multiplication is by one of two fixed bases.

mod assembly;
mod evaluate;
mod names;

use bellpepper_core::{Circuit, SynthesisError};
use blstrs::{G1Affine, G2Affine, Scalar};
use ff::Field;
use group::Curve;
use group::prime::PrimeCurveAffine;

use self::assembly::Assembly;
use self::evaluate::{Evaluations, evaluate};
use crate::domain::{self, TooLarge};
use crate::fixed_base::Table;
use crate::params::{Parameters, VerifyingKey};
use crate::toxic::ToxicWaste;

/// Why there are no parameters.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// The circuit could not be synthesized.
    #[error("synthesis failed")]
    Synthesis(#[from] SynthesisError),
    /// An auxiliary variable is in no constraint: a prover could choose it freely.
    #[error("auxiliary variable {index}, \"{name}\", is in no constraint: constrain it or leave it out")]
    Unconstrained {
        /// Its index among the auxiliary variables, from 0.
        index: usize,
        /// The namespaces and the annotation it was allocated with, joined by `/`.
        name: String,
    },
    /// The circuit is too large for the field.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The secrets cannot be used with this circuit.
    #[error("{0}: choose other secrets")]
    Secret(&'static str),
}

/// Makes the parameters of a circuit. Only the circuit's shape counts; values are not asked for.
pub fn generate<C: Circuit<Scalar>>(circuit: C, toxic: &ToxicWaste) -> Result<Parameters, GeneratorError> {
    let assembly = Assembly::of(circuit)?;
    let size = 1 << domain::log_size(assembly.constraints())?;
    let inverse = |secret: Scalar, what| Option::<Scalar>::from(secret.invert()).ok_or(GeneratorError::Secret(what));
    let gamma_inverse = inverse(toxic.gamma, "gamma is zero")?;
    let delta_inverse = inverse(toxic.delta, "delta is zero")?;
    let vanishing = toxic.tau.pow([size as u64]) - Scalar::ONE;
    inverse(vanishing, "tau is in the evaluation domain")?;

    let Evaluations { a, b, c } = evaluate(&assembly, size, toxic.tau);
    let inputs = assembly.inputs();
    let combined = |factor: Scalar, range: std::ops::Range<usize>| -> Vec<Scalar> {
        range.map(|i| (toxic.beta * a[i] + toxic.alpha * b[i] + c[i]) * factor).collect()
    };
    let l = combined(delta_inverse, inputs..a.len());
    if let Some(index) = l.iter().position(|value| *value == Scalar::ZERO) {
        return Err(GeneratorError::Unconstrained { index, name: assembly.aux_name(index) });
    }
    drop(assembly);
    let ic = combined(gamma_inverse, 0..inputs);
    let mut h = vec![Scalar::ZERO; size - 1];
    domain::powers(vanishing * delta_inverse, toxic.tau, &mut h);
    Ok(points(toxic, &ic, &h, &l, &nonzero(a), &nonzero(b)))
}

fn nonzero(mut scalars: Vec<Scalar>) -> Vec<Scalar> {
    scalars.retain(|scalar| *scalar != Scalar::ZERO);
    scalars
}

/// From discrete logarithms to points.
fn points(toxic: &ToxicWaste, ic: &[Scalar], h: &[Scalar], l: &[Scalar], a: &[Scalar], b: &[Scalar]) -> Parameters {
    let g1 = Table::new(G1Affine::generator(), ic.len() + h.len() + l.len() + a.len() + b.len());
    let g2 = Table::new(G2Affine::generator(), b.len());
    let in_g1 = |scalar: Scalar| (G1Affine::generator() * scalar).to_affine();
    let in_g2 = |scalar: Scalar| (G2Affine::generator() * scalar).to_affine();
    let vk = VerifyingKey {
        alpha_g1: in_g1(toxic.alpha),
        beta_g1: in_g1(toxic.beta),
        beta_g2: in_g2(toxic.beta),
        gamma_g2: in_g2(toxic.gamma),
        delta_g1: in_g1(toxic.delta),
        delta_g2: in_g2(toxic.delta),
        ic: g1.multiply(ic),
    };
    let (h, l, a, b_g1) = (g1.multiply(h), g1.multiply(l), g1.multiply(a), g1.multiply(b));
    Parameters { vk, h, l, a, b_g1, b_g2: g2.multiply(b) }
}
