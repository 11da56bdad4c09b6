//! What is too much for this machine as it stands, refused before anything is allocated.
//!
//! The estimates leave out much and so are low: what they refuse cannot run, what they let pass may still be too much.

use std::io::Write;

use anyhow::{Result, bail};
use groth16_prover::circuits::CircuitSpec;
use groth16_prover::worker::memory::available_bytes;

/// Bytes a constraint takes in an assignment: a, b, c, and about one auxiliary variable, each a scalar.
const ASSIGNMENT_BYTES: u64 = 4 * 32;
/// Bytes a constraint takes in the parameters: a point of G1 in each of H, L and A. B is left out.
const PARAMETERS_BYTES: u64 = 3 * 96;
/// Batches of more constraints than this are announced: their synthesis is long, and silent.
const ANNOUNCED: u64 = 1 << 24;

/// What a command keeps in memory at one time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) circuit: CircuitSpec,
    /// Circuits whose assignments are there side by side.
    pub(crate) circuits: usize,
    pub(crate) parameters: bool,
}

impl Work {
    /// One circuit, without parameters.
    pub(crate) fn one(circuit: CircuitSpec) -> Self {
        Self { circuit, circuits: 1, parameters: false }
    }

    /// An error unless it can fit the memory that is available. Says so on standard error where it will take long.
    pub(crate) fn check(self) -> Result<()> {
        if let Some(memory) = available_bytes() {
            self.check_against(memory)?;
        }
        let constraints = self.circuit.about_constraints().saturating_mul(self.circuits as u64);
        if constraints > ANNOUNCED {
            let millions = constraints / 1_000_000;
            // Nobody is there to read it where standard error is closed.
            let _ = writeln!(std::io::stderr(), "note: about {millions} million constraints to synthesize");
        }
        Ok(())
    }

    fn check_against(self, memory: u64) -> Result<()> {
        let Self { circuit, circuits, parameters } = self;
        let constraints = circuit.about_constraints();
        let fixed = if parameters { constraints * PARAMETERS_BYTES } else { 0 };
        let each = constraints * ASSIGNMENT_BYTES;
        let room = memory.saturating_sub(fixed) / each;
        let needed = gibibytes(fixed.saturating_add(each.saturating_mul(circuits as u64)));
        let comparison =
            format!("at least {needed} GiB of memory, and this machine has {} GiB available", gibibytes(memory));
        if room == 0 {
            bail!(
                "--circuit {circuit}: its about {constraints} constraints take {comparison}; choose a smaller circuit"
            );
        }
        if circuits as u64 > room {
            bail!("--circuits {circuits}: so many of {circuit} take {comparison}; choose at most {room}");
        }
        Ok(())
    }
}

/// In tenths, rounded down.
fn gibibytes(bytes: u64) -> String {
    let tenths = bytes / (1 << 30) * 10 + bytes % (1 << 30) * 10 / (1 << 30);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn work(circuit: &str, circuits: usize, parameters: bool) -> Work {
        Work { circuit: circuit.parse().unwrap(), circuits, parameters }
    }

    #[test]
    fn a_batch_that_cannot_fit_is_told_how_many_can() {
        for circuits in [99_999_999_999, usize::MAX] {
            let error = work("mixed:1,1", circuits, true).check_against(8 * GIB).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("--circuits {circuits}: so many of mixed:1,1 take at least ")),
                "{error}"
            );
            let room: usize = error.rsplit_once("choose at most ").unwrap().1.parse().unwrap();
            work("mixed:1,1", room, true).check_against(8 * GIB).unwrap();
            work("mixed:1,1", room + 1, true).check_against(8 * GIB).unwrap_err();
        }
    }

    #[test]
    fn a_circuit_that_cannot_fit_is_named() {
        let error = work("mixed:4096,100000", 1, false).check_against(16 * GIB).unwrap_err().to_string();
        let expected = "--circuit mixed:4096,100000: its about 148163200 constraints take at least 17.6 GiB of memory, and \
                        this machine has 16.0 GiB available; choose a smaller circuit";
        assert_eq!(error, expected);
        work("mixed:4096,100000", 1, false).check_against(32 * GIB).unwrap();
        work("mixed:4096,100000", 1, true).check_against(32 * GIB).unwrap_err();
    }

    #[test]
    fn gibibytes_have_a_decimal() {
        assert_eq!([0, GIB / 2, 3 * GIB - 1, u64::MAX].map(gibibytes), ["0.0", "0.5", "2.9", "17179869183.9"]);
    }
}
