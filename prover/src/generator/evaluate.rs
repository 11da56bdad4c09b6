//! The circuit's polynomials at τ.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use super::assembly::{Assembly, Matrix};
use crate::domain::{CHUNK, powers, root_of_unity};

/// uᵢ(τ), vᵢ(τ) and wᵢ(τ) for every variable, the public inputs first.
pub(super) struct Evaluations {
    pub(super) a: Vec<Scalar>,
    pub(super) b: Vec<Scalar>,
    pub(super) c: Vec<Scalar>,
}

/// Evaluates every variable's polynomials, given a domain of `size` that does not contain τ.
pub(super) fn evaluate(assembly: &Assembly, size: usize, tau: Scalar) -> Evaluations {
    let lagrange = lagrange(assembly.constraints(), size, tau);
    let column_sums = |matrix: &Matrix| {
        let mut sums = vec![Scalar::ZERO; assembly.inputs() + assembly.aux()];
        for (row, value) in matrix.rows().zip(&lagrange) {
            for (variable, coefficient) in row {
                let sum = &mut sums[variable.position(assembly.inputs())];
                if *coefficient == Scalar::ONE { *sum += value } else { *sum += *coefficient * value }
            }
        }
        sums
    };
    let (a, (b, c)) = rayon::join(
        || column_sums(&assembly.a),
        || rayon::join(|| column_sums(&assembly.b), || column_sums(&assembly.c)),
    );
    Evaluations { a, b, c }
}

/// The first `count` Lagrange polynomials of the domain at τ: Lⱼ(τ) = ωʲ·(τⁿ − 1) / (n·(τ − ωʲ)).
fn lagrange(count: usize, size: usize, tau: Scalar) -> Vec<Scalar> {
    let omega = root_of_unity(size.trailing_zeros());
    let n_inverse = Scalar::from(size as u64).invert().expect("n is a power of two");
    let factor = (tau.pow([size as u64]) - Scalar::ONE) * n_inverse;
    let mut values = vec![Scalar::ZERO; count];
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(at, chunk)| {
        let mut roots = vec![Scalar::ZERO; chunk.len()];
        powers(omega.pow([(at * CHUNK) as u64]), omega, &mut roots);
        let mut product = Scalar::ONE;
        for (value, root) in chunk.iter_mut().zip(&roots) {
            *value = product;
            product *= tau - root;
        }
        let mut inverse = product.invert().expect("τ is not in the domain");
        for (value, root) in chunk.iter_mut().zip(&roots).rev() {
            *value *= inverse * root * factor;
            inverse *= tau - root;
        }
    });
    values
}
