//! The structures of `include/groth16_cuda.h`, field by field in its order.
#![forbid(unsafe_code)]

use std::ffi::c_char;

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::Group;

use crate::{Bases, Circuit, Error, MsmFacts, PageChange, PageEvent, PerMsm, Sums};

/// `GROTH16_ABI_VERSION` of the header that this file follows.
pub(crate) const VERSION: u32 = 3;
/// `GROTH16_SPANS_PER_CIRCUIT`.
pub(crate) const SPANS_PER_CIRCUIT: usize = 24;
/// `GROTH16_WHAT_FITS`.
pub(crate) const WHAT_FITS: u64 = u64::MAX;
/// `GROTH16_SATISFIED`.
const SATISFIED: u64 = u64::MAX;
/// `GROTH16_SPANS_PER_BATCH`.
pub(crate) const SPANS_PER_BATCH: usize = 2;

// entry.cpp asserts the same sizes of the header's structures.
const _: () = {
    assert!(size_of::<RawStatus>() == 16 && size_of::<RawDevice>() == 280);
    assert!(size_of::<RawSpan>() == 24 && size_of::<RawSpans>() == 24);
    assert!(size_of::<RawBases>() == 80 && size_of::<RawCircuit>() == 88);
    assert!(size_of::<RawMsmFacts>() == 32 && size_of::<RawSums>() == 1032);
};

#[repr(C)]
pub(crate) struct RawStatus {
    pub(crate) code: i32,
    pub(crate) message: *mut c_char,
}

/// `groth16_srs`, which only the archive looks into.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RawSrs {
    opaque: [u8; 0],
}

#[repr(C)]
pub(crate) struct RawDevice {
    pub(crate) name: [u8; 256],
    pub(crate) memory_bytes: u64,
    pub(crate) compute_major: u32,
    pub(crate) compute_minor: u32,
    pub(crate) driver_version: u32,
    pub(crate) runtime_version: u32,
}

impl Default for RawDevice {
    fn default() -> Self {
        Self {
            name: [0; 256],
            memory_bytes: 0,
            compute_major: 0,
            compute_minor: 0,
            driver_version: 0,
            runtime_version: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawSpan {
    pub(crate) phase: u32,
    pub(crate) circuit: u32,
    pub(crate) start_ns: u64,
    pub(crate) ns: u64,
}

#[repr(C)]
pub(crate) struct RawSpans {
    out: *mut RawSpan,
    capacity: usize,
    pub(crate) len: usize,
}

impl RawSpans {
    pub(crate) fn new(room: &mut [RawSpan]) -> Self {
        Self { out: room.as_mut_ptr(), capacity: room.len(), len: 0 }
    }
}

#[repr(C)]
pub(crate) struct RawBases {
    h: *const G1Affine,
    h_len: usize,
    l: *const G1Affine,
    l_len: usize,
    a: *const G1Affine,
    a_len: usize,
    b_g1: *const G1Affine,
    b_g1_len: usize,
    b_g2: *const G2Affine,
    b_g2_len: usize,
}

impl From<&Bases<'_>> for RawBases {
    fn from(bases: &Bases<'_>) -> Self {
        Self {
            h: bases.h.as_ptr(),
            h_len: bases.h.len(),
            l: bases.l.as_ptr(),
            l_len: bases.l.len(),
            a: bases.a.as_ptr(),
            a_len: bases.a.len(),
            b_g1: bases.b_g1.as_ptr(),
            b_g1_len: bases.b_g1.len(),
            b_g2: bases.b_g2.as_ptr(),
            b_g2_len: bases.b_g2.len(),
        }
    }
}

#[repr(C)]
pub(crate) struct RawCircuit {
    a: *const Scalar,
    b: *const Scalar,
    c: *const Scalar,
    constraints: usize,
    inputs: *const Scalar,
    inputs_len: usize,
    aux: *const Scalar,
    aux_len: usize,
    a_aux: *const u64,
    b_inputs: *const u64,
    b_aux: *const u64,
}

impl RawCircuit {
    /// Fails unless all lists have the lengths that the archive takes them to have.
    pub(crate) fn new(circuit: &Circuit<'_>) -> Result<Self, Error> {
        let constraints = circuit.a.len();
        if circuit.b.len() != constraints || circuit.c.len() != constraints {
            return Err(Error::BadArgument(format!(
                "a, b and c have {constraints}, {} and {} values",
                circuit.b.len(),
                circuit.c.len()
            )));
        }
        check_set("a_aux", circuit.a_aux, circuit.aux.len())?;
        check_set("b_inputs", circuit.b_inputs, circuit.inputs.len())?;
        check_set("b_aux", circuit.b_aux, circuit.aux.len())?;
        Ok(Self {
            a: circuit.a.as_ptr(),
            b: circuit.b.as_ptr(),
            c: circuit.c.as_ptr(),
            constraints,
            inputs: circuit.inputs.as_ptr(),
            inputs_len: circuit.inputs.len(),
            aux: circuit.aux.as_ptr(),
            aux_len: circuit.aux.len(),
            a_aux: circuit.a_aux.as_ptr(),
            b_inputs: circuit.b_inputs.as_ptr(),
            b_aux: circuit.b_aux.as_ptr(),
        })
    }
}

/// One bit for each of `len` variables in whole words, and none beyond.
pub(crate) fn check_set(name: &str, words: &[u64], len: usize) -> Result<(), Error> {
    let beyond = if len.is_multiple_of(64) { 0 } else { words.last().map_or(0, |word| word >> (len % 64)) };
    if words.len() != len.div_ceil(64) || beyond != 0 {
        return Err(Error::BadArgument(format!("the set {name} is not one of {len} variables")));
    }
    Ok(())
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawPageEvent {
    step: u64,
    change: u64,
    start: usize,
    bytes: usize,
}

impl TryFrom<RawPageEvent> for PageEvent {
    type Error = Error;

    fn try_from(raw: RawPageEvent) -> Result<Self, Error> {
        let change = match raw.change {
            0 => PageChange::Locked,
            1 => PageChange::Unlocked,
            2 => PageChange::Refused,
            other => return Err(Error::Internal(format!("{other} is no change of pages"))),
        };
        let step = usize::try_from(raw.step).map_err(|_| Error::Internal(format!("step {} of pages", raw.step)))?;
        Ok(Self { step, change, start: raw.start, bytes: raw.bytes })
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawMsmFacts {
    bases: u64,
    ones: u64,
    nontrivial: u64,
    window: u32,
    reserved: u32,
}

impl From<RawMsmFacts> for MsmFacts {
    fn from(raw: RawMsmFacts) -> Self {
        Self { bases: raw.bases, ones: raw.ones, nontrivial: raw.nontrivial, window: raw.window }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawSums {
    h: G1Projective,
    l: G1Projective,
    a: G1Projective,
    b_g1: G1Projective,
    b_g2: G2Projective,
    h_facts: RawMsmFacts,
    l_facts: RawMsmFacts,
    a_facts: RawMsmFacts,
    b_g1_facts: RawMsmFacts,
    b_g2_facts: RawMsmFacts,
    unsatisfied: u64,
}

impl RawSums {
    /// What the archive overwrites.
    pub(crate) fn infinity() -> Self {
        let (g1, g2, facts) = (G1Projective::identity(), G2Projective::identity(), RawMsmFacts::default());
        Self {
            h: g1,
            l: g1,
            a: g1,
            b_g1: g1,
            b_g2: g2,
            h_facts: facts,
            l_facts: facts,
            a_facts: facts,
            b_g1_facts: facts,
            b_g2_facts: facts,
            unsatisfied: SATISFIED,
        }
    }
}

impl From<RawSums> for Sums {
    fn from(raw: RawSums) -> Self {
        let facts = PerMsm {
            h: raw.h_facts.into(),
            l: raw.l_facts.into(),
            a: raw.a_facts.into(),
            b_g1: raw.b_g1_facts.into(),
            b_g2: raw.b_g2_facts.into(),
        };
        let unsatisfied = (raw.unsatisfied != SATISFIED).then_some(raw.unsatisfied);
        Self { h: raw.h, l: raw.l, a: raw.a, b_g1: raw.b_g1, b_g2: raw.b_g2, facts, unsatisfied }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header's text, with one space between words.
    fn header() -> String {
        include_str!("../include/groth16_cuda.h").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn constants_are_the_headers() {
        let constants = [
            ("ABI_VERSION", u64::from(VERSION)),
            ("SPANS_PER_CIRCUIT", SPANS_PER_CIRCUIT as u64),
            ("SPANS_PER_BATCH", SPANS_PER_BATCH as u64),
            ("MIN_WINDOW", u64::from(*crate::WINDOWS.start())),
            ("MAX_WINDOW", u64::from(*crate::WINDOWS.end())),
        ];
        for name in ["WHAT_FITS", "SATISFIED"] {
            assert!(header().contains(&format!("#define GROTH16_{name} UINT64_MAX ")), "{name}");
        }
        assert_eq!([WHAT_FITS, SATISFIED], [u64::MAX; 2]);
        for (name, value) in constants {
            assert!(header().contains(&format!("#define GROTH16_{name} {value} ")), "{name} {value}");
        }
    }

    #[test]
    fn sets_have_a_bit_for_each_variable_and_none_beyond() {
        for (words, len) in [(&[][..], 0), (&[1], 1), (&[u64::MAX], 64), (&[u64::MAX, 1], 65)] {
            assert_eq!(check_set("s", words, len), Ok(()), "{len}");
        }
        for (words, len) in [(&[][..], 1), (&[0], 0), (&[2], 1), (&[u64::MAX], 65), (&[0, 2], 65), (&[1 << 63], 63)] {
            let error = check_set("s", words, len).unwrap_err();
            assert_eq!(error.to_string(), format!("the set s is not one of {len} variables"));
        }
    }

    #[test]
    fn codes_are_the_headers() {
        let codes = [
            ("BAD_ARGUMENT", 1, Error::BadArgument(String::new())),
            ("NO_DEVICE", 2, Error::NoDevice(String::new())),
            ("OUT_OF_MEMORY", 3, Error::OutOfMemory(String::new())),
            ("CUDA_ERROR", 4, Error::Cuda(String::new())),
            ("INTERNAL", 5, Error::Internal(String::new())),
        ];
        for (name, code, error) in codes {
            assert!(header().contains(&format!("GROTH16_{name} = {code}")), "{name} {code}");
            assert_eq!(Error::from_status(code, String::new()), Err(error));
        }
        assert_eq!(Error::from_status(0, String::new()), Ok(()));
    }
}
