//! What a circuit asks of the prover, without proving: for `prover info`, and to explain a toggle that has nothing to do.

use serde::Serialize;

use crate::assignment::ProvingAssignment;
use crate::domain::{TooLarge, log_size};
use crate::msm::Split;
use crate::prove::MsmFacts;
use crate::prove::queries::{a_scalars, b_scalars};
use crate::toggles::Toggles;
use crate::windows::{PerMsm, choose};

/// The size of a circuit and of its multiplications.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Info {
    /// Constraints, the additional one of every public input included.
    pub constraints: usize,
    /// Elements of the evaluation domain.
    pub domain: usize,
    /// Public inputs, the constant one included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
    /// Auxiliary variables that occur on a left side.
    pub a_aux_density: usize,
    /// Public inputs that occur on a right side.
    pub b_input_density: usize,
    /// Auxiliary variables that occur on a right side.
    pub b_aux_density: usize,
    /// What each multiplication is made of, and its window. The scalars of H are taken to be all non-trivial.
    pub msms: PerMsm<MsmFacts>,
}

/// Measures a synthesized circuit, for the windows that `prove_batch` would choose.
pub fn info(assignment: &ProvingAssignment, window: Option<u32>, toggles: Toggles) -> Result<Info, TooLarge> {
    let domain = 1 << log_size(assignment.a.len())?;
    let h = MsmFacts { bases: domain - 1, nontrivial: domain - 1, ..MsmFacts::default() };
    let facts = |split: &Split| MsmFacts {
        bases: split.len(),
        zeros: split.zeros(),
        ones: split.ones(),
        nontrivial: split.nontrivial(),
        window: 0,
    };
    let b = facts(&Split::new(&b_scalars(assignment)));
    let (l, a) = (facts(&Split::new(&assignment.aux)), facts(&Split::new(&a_scalars(assignment))));
    let msms = PerMsm { h, l, a, b_g1: b, b_g2: b };
    let windows = choose(window, toggles, &[msms.map(|facts| facts.nontrivial)])[0];
    Ok(Info {
        constraints: assignment.a.len(),
        domain,
        inputs: assignment.inputs.len(),
        aux: assignment.aux.len(),
        a_aux_density: assignment.a_aux_density.count(),
        b_input_density: assignment.b_input_density.count(),
        b_aux_density: assignment.b_aux_density.count(),
        msms: msms.zip(&windows, |facts, window| MsmFacts { window: *window, ..facts }),
    })
}
