//! What the archive tells of a call beside its results: the device, the phases, the facts of each multiplication.
#![forbid(unsafe_code)]

use std::ffi::CStr;

use crate::Error;
use crate::abi::{RawDevice, RawSpan};

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name, such as `NVIDIA H200`.
    pub name: String,
    /// Its memory.
    pub memory_bytes: u64,
    /// Compute capability: major and minor.
    pub compute: (u32, u32),
    /// The newest CUDA that the driver speaks: 1000 · major + 10 · minor.
    pub driver_version: u32,
    /// The CUDA that the archive was linked with, likewise.
    pub runtime_version: u32,
}

impl From<RawDevice> for Device {
    fn from(raw: RawDevice) -> Self {
        let name = CStr::from_bytes_until_nul(&raw.name).map(CStr::to_string_lossy).unwrap_or_default();
        Self {
            name: name.into_owned(),
            memory_bytes: raw.memory_bytes,
            compute: (raw.compute_major, raw.compute_minor),
            driver_version: raw.driver_version,
            runtime_version: raw.runtime_version,
        }
    }
}

/// What page-locking does with a range of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageChange {
    /// It is locked from now on.
    Locked,
    /// It is no longer.
    Unlocked,
    /// It could not be locked.
    Refused,
}

/// One change of locked pages, see [`page_events`](crate::page_events).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEvent {
    /// The step that brought it.
    pub step: usize,
    /// What it is.
    pub change: PageChange,
    /// The first byte.
    pub start: usize,
    /// How many there are.
    pub bytes: usize,
}

/// A timed part. The names are those of the worker protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Locking host pages.
    Pin,
    /// Copies, transforms and the quotient polynomial.
    Ntt,
    /// The multiplication over the H query.
    MsmH,
    /// … over the L query, the splitting of its scalars included.
    MsmL,
    /// … over the A query.
    MsmA,
    /// … over the B query in G1.
    MsmBG1,
    /// … over the B query in G2, on the CPU or (toggle B2) on the GPU.
    MsmBG2,
    /// The sums of the bases whose scalar is one.
    BatchAdd,
    /// Unlocking host pages.
    Unpin,
    /// Giving memory back.
    Free,
}

impl Phase {
    /// All of them, in the order of the header's numbers.
    pub const ALL: [Self; 10] = [
        Self::Pin,
        Self::Ntt,
        Self::MsmH,
        Self::MsmL,
        Self::MsmA,
        Self::MsmBG1,
        Self::MsmBG2,
        Self::BatchAdd,
        Self::Unpin,
        Self::Free,
    ];
}

/// A part as it happened. Parts overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which part.
    pub phase: Phase,
    /// The circuit's place in the batch; none where the part belongs to the whole batch.
    pub circuit: Option<u32>,
    /// From the start of the call to the start of the part, in nanoseconds.
    pub start_ns: u64,
    /// The part's length in nanoseconds.
    pub ns: u64,
}

/// The spans that a call has written.
pub(crate) fn spans(raw: &[RawSpan]) -> Result<Vec<Span>, Error> {
    let span = |raw: &RawSpan| {
        let phase = Phase::ALL.get(raw.phase as usize).copied();
        let phase = phase.ok_or_else(|| Error::Internal(format!("there is no phase {}", raw.phase)))?;
        let circuit = (raw.circuit != u32::MAX).then_some(raw.circuit);
        Ok(Span { phase, circuit, start_ns: raw.start_ns, ns: raw.ns })
    };
    raw.iter().map(span).collect()
}

/// One of something for each of a proof's multiplications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerMsm<T> {
    /// Over the H query.
    pub h: T,
    /// Over the L query.
    pub l: T,
    /// Over the A query.
    pub a: T,
    /// Over the B query in G1.
    pub b_g1: T,
    /// Over the B query in G2.
    pub b_g2: T,
}

/// What one multiplication was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MsmFacts {
    /// Points in the query.
    pub bases: u64,
    /// Scalars that are one.
    pub ones: u64,
    /// Scalars that are neither zero nor one; of H all are taken to be.
    pub nontrivial: u64,
    /// The window, in bits.
    pub window: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_numbered_as_in_the_header() {
        let header = include_str!("../include/groth16_cuda.h");
        let number = |line: &str| line.trim().trim_end_matches(',').rsplit(' ').next()?.parse::<usize>().ok();
        let listed: Vec<(String, usize)> = header
            .lines()
            .filter_map(|line| {
                let name = line.trim().strip_prefix("GROTH16_PHASE_")?.split(' ').next()?;
                Some((name.replace('_', "").to_lowercase(), number(line)?))
            })
            .collect();
        let ours: Vec<(String, usize)> =
            Phase::ALL.iter().enumerate().map(|(at, phase)| (format!("{phase:?}").to_lowercase(), at)).collect();
        assert_eq!(listed, ours);
    }

    #[test]
    fn unknown_phases_are_errors() {
        let raw = |phase, circuit| RawSpan { phase, circuit, start_ns: 1, ns: 2 };
        let expected = Span { phase: Phase::Pin, circuit: None, start_ns: 1, ns: 2 };
        assert_eq!(spans(&[raw(0, u32::MAX)]), Ok(vec![expected]));
        assert_eq!(spans(&[raw(0, 1), raw(10, 1)]), Err(Error::Internal("there is no phase 10".to_owned())));
    }
}
