//! Which scalar belongs to which point of the parameters.

use blstrs::Scalar;

use super::{MsmFacts, ProveError};
use crate::assignment::ProvingAssignment;
use crate::domain;
use crate::msm::Split;
use crate::params::Parameters;
use crate::quotient::QuotientError;
use crate::windows::PerMsm;

/// The scalars of one circuit's multiplications. Both B queries have the same.
pub(super) struct Splits {
    pub(super) h: Split,
    pub(super) l: Split,
    pub(super) a: Split,
    pub(super) b: Split,
}

impl Splits {
    pub(super) fn nontrivial(&self) -> PerMsm<usize> {
        self.each().map(Split::nontrivial)
    }

    pub(super) fn facts(&self, windows: &PerMsm<u32>) -> PerMsm<MsmFacts> {
        self.each().zip(windows, |split, window| MsmFacts {
            bases: split.len(),
            zeros: split.zeros(),
            ones: split.ones(),
            nontrivial: split.nontrivial(),
            window: *window,
        })
    }

    fn each(&self) -> PerMsm<&Split> {
        PerMsm { h: &self.h, l: &self.l, a: &self.a, b_g1: &self.b, b_g2: &self.b }
    }
}

/// The A query's scalars: all public inputs, then the auxiliary variables that occur on a left side.
pub(crate) fn a_scalars(assignment: &ProvingAssignment) -> Vec<Scalar> {
    let aux = assignment.a_aux_density.iter().map(|index| assignment.aux[index]);
    collect(assignment.inputs.len() + assignment.a_aux_density.count(), assignment.inputs.iter().copied().chain(aux))
}

/// The B queries' scalars: public inputs, then auxiliary variables, that occur on a right side.
pub(crate) fn b_scalars(assignment: &ProvingAssignment) -> Vec<Scalar> {
    let inputs = assignment.b_input_density.iter().map(|index| assignment.inputs[index]);
    let aux = assignment.b_aux_density.iter().map(|index| assignment.aux[index]);
    collect(assignment.b_input_density.count() + assignment.b_aux_density.count(), inputs.chain(aux))
}

fn collect(len: usize, scalars: impl Iterator<Item = Scalar>) -> Vec<Scalar> {
    let mut all = Vec::with_capacity(len);
    all.extend(scalars);
    all
}

/// Whether every query of the parameters has as many points as this circuit has scalars.
pub(super) fn check_sizes(
    circuit: usize,
    assignment: &ProvingAssignment,
    parameters: &Parameters,
) -> Result<(), ProveError> {
    let too_large = |error| ProveError::Quotient { circuit, source: QuotientError::TooLarge(error) };
    let h = (1 << domain::log_size(assignment.a.len()).map_err(too_large)?) - 1;
    let (inputs, b_inputs) = (assignment.inputs.len(), assignment.b_input_density.count());
    let b = b_inputs + assignment.b_aux_density.count();
    let sections = [
        ("ic", inputs, parameters.vk.ic.len()),
        ("h", h, parameters.h.len()),
        ("l", assignment.aux.len(), parameters.l.len()),
        ("a", inputs + assignment.a_aux_density.count(), parameters.a.len()),
        ("b_g1", b, parameters.b_g1.len()),
        ("b_g2", b, parameters.b_g2.len()),
    ];
    match sections.into_iter().find(|(_, needed, found)| needed != found) {
        None => Ok(()),
        Some((section, needed, found)) => Err(ProveError::QuerySize { circuit, section, needed, found }),
    }
}
