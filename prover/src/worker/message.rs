//! The lines of the protocol.

use serde::{Deserialize, Serialize};

use crate::timeline::Phase;

/// The version of the protocol. A reader refuses another.
pub const PROTOCOL: u32 = 1;

/// One line on standard output.
#[derive(Debug, Serialize)]
#[serde(tag = "ev", rename_all = "snake_case")]
pub enum Event<'a> {
    /// What is about to be measured. Always the first line.
    Hello(&'a Hello),
    /// Where a part of an iteration's time went.
    Phase {
        /// Which iteration.
        iteration: u32,
        /// Whether it only warms up.
        warmup: bool,
        /// Which phase.
        name: Phase,
        /// From the start of the iteration.
        start_ns: u64,
        /// The phase's length.
        ns: u64,
    },
    /// What an iteration took as a whole.
    Total {
        /// Which iteration.
        iteration: u32,
        /// Whether it only warms up.
        warmup: bool,
        /// From the start to the result.
        total_ns: u64,
        /// From the start until all memory is given back.
        span_ns: u64,
        /// The high-water mark of the iteration's memory; `null` where the system does not let it be reset.
        peak_rss_bytes: Option<u64>,
    },
    /// What an iteration proved.
    Proof {
        /// Which iteration.
        iteration: u32,
        /// SHA-256 of the proofs' bytes, one after another.
        digest: &'a str,
        /// Whether every proof verifies.
        verified: bool,
    },
    /// What the program chose or counted.
    Fact {
        /// Of what.
        name: &'a str,
        /// The choice or the count.
        value: &'a serde_json::Value,
    },
    /// The last line: everything that was asked for is above.
    Bye {
        /// Whether all of it is right.
        ok: bool,
    },
}

/// Which program this is, and how it was built and set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The program's name.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The toggles it was built with, by feature name.
    pub features: Vec<&'static str>,
    /// Digest of all native inputs; `null` where nothing native was built.
    pub stamp: Option<String>,
    /// `cpu` or `cuda`.
    pub backend: &'static str,
    /// The name of what computes.
    pub device: String,
    /// How many threads do.
    pub threads: usize,
}

/// One line on the standard input of a resident worker.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The bench to run.
    pub run: String,
    /// The iteration's number in the answer.
    pub iteration: u32,
    /// Repeated in the answer.
    pub warmup: bool,
}
