//! What a run leaves on disk: the types of `run.json` and `samples.jsonl`, and the folder that holds them.
//!
//! Samples are the source of truth and never dropped; every table is computed from them again. Times are integer
//! nanoseconds and sizes integer bytes, the unit last in the name.

mod bundled;
mod check;
mod folder;
mod gpu;
mod lock;
mod parts;
mod provenance;
mod samples;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::experiment::Metric;

pub use bundled::{Bundled, Stay};
pub use check::of_experiment;
pub use folder::{Recorded, RunFolder, check_writable, locate, read};
pub use gpu::{GpuConditions, GpuState};
pub use parts::ArchiveParts;
pub use provenance::{Control, Inputs, Provenance};

/// The version of the folder's format. A reader refuses another major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// Changes when an old reader would misread.
    pub major: u32,
    /// Changes when something is added.
    pub minor: u32,
}

impl Format {
    /// What this program writes.
    pub const CURRENT: Self = Self { major: 1, minor: 3 };
}

/// `run.json`: everything about a run but its samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Version of the folder's format.
    pub format: Format,
    /// The folder's name.
    pub id: String,
    /// The experiment's name.
    pub experiment: String,
    /// SHA-256 of `experiment.toml`: what is asked is fixed before the first sample. `None` where an earlier version recorded
    /// the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// When the run was made.
    pub created: Timestamp,
    /// How far it got.
    pub state: State,
    /// The machine.
    pub host: Host,
    /// The project's commit, where it lies in a git repository.
    pub git: Option<Git>,
    /// Names and versions: `rustc`, `cargo`, and `nvcc` where the experiment has a CUDA toolkit.
    pub toolchains: BTreeMap<String, String>,
    /// Orders the arms within blocks.
    pub seed: u64,
    /// In design order, base first, then its A/A twin.
    pub arms: Vec<RunArm>,
    /// One for each distinct build.
    pub builds: Vec<Build>,
    /// What was wrong with the builds.
    pub findings: Vec<Finding>,
    /// Things the reader should know: a factor left out, arms merged.
    pub notices: Vec<String>,
    /// Where it was built and measured, if these are two places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Bundled>,
    /// Where the builds come from; `None` where there are none, or an earlier version recorded the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// How far a run got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum State {
    /// Blocks are missing; `--resume` goes on.
    Measuring,
    /// Every planned block, or every block up to the look that decided.
    Complete,
    /// Given up for the reason, which says how to go on.
    Stopped {
        /// Why.
        reason: String,
    },
}

/// The machine a run was measured on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Host name.
    pub name: String,
    /// Kernel name and release.
    pub os: String,
    /// The CPU's own name.
    pub cpu: String,
    /// Logical CPUs this process may use.
    pub cpus: u32,
    /// Main memory.
    pub memory_bytes: u64,
    /// GPU names; empty where there are none.
    pub gpus: Vec<String>,
    /// GPU driver version.
    pub driver: Option<String>,
}

/// The state of the project's repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Git {
    /// HEAD.
    pub commit: String,
    /// SHA-256 over the uncommitted changes; `None` for a clean tree.
    pub dirty_digest: Option<String>,
}

/// An arm as it was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunArm {
    /// `base`, `base-again`, `A1`, `A1+A2`, `W=12`, or a command's id.
    pub id: String,
    /// What the arm is.
    pub role: Role,
    /// Factor id to the level's text (`on` for a feature), only those that differ from base's.
    pub levels: BTreeMap<String, String>,
    /// Features asked for, sorted.
    pub features: Vec<String>,
    /// Features of the target that the program need not know of: those that `default` or another turned on, and those
    /// that turn on others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub implied: Vec<String>,
    /// Arguments from factors, put after the bench's.
    pub args: Vec<String>,
    /// Environment from factors.
    pub env: BTreeMap<String, String>,
    /// Program and leading arguments of a command arm; empty for a build.
    pub command: Vec<String>,
    /// Digest of the binary in the store; `None` for a command.
    pub binary: Option<String>,
    /// SHA-256 of a command's program when the run began; `None` for a build, and for a program looked up in `PATH`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The arm that was measured in this one's stead because executable, arguments and environment are all equal.
    pub same_as: Option<String>,
    /// The stamp of the native archive in the build; the program must say the same. `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
}

impl RunArm {
    /// An arm that is nothing yet but its name and its part.
    pub fn new(id: impl Into<String>, role: Role) -> Self {
        Self {
            id: id.into(),
            role,
            levels: BTreeMap::new(),
            features: Vec::new(),
            implied: Vec::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            command: Vec::new(),
            binary: None,
            program: None,
            same_as: None,
            stamp: None,
        }
    }
}

/// What part an arm plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Every factor at its first level; what the others are compared with.
    Base,
    /// Base under a second name: its difference from base is noise.
    BaseAgain,
    /// A combination of levels.
    Combination,
    /// A command that is no build.
    Command,
}

/// One build of the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The arms that use it.
    pub arms: Vec<String>,
    /// Features on, sorted.
    pub features: Vec<String>,
    /// Packages that cargo compiled.
    pub compiled: Vec<String>,
    /// Packages that cargo found up to date.
    pub fresh_count: u32,
    /// Whether the executable itself was rebuilt.
    pub rebuilt: bool,
    /// SHA-256 of the executable as it is; its name in the store.
    pub raw: String,
    /// Digest of the executable's code and data, the same wherever and under whatever names it was built; `None` where it
    /// could not be looked into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// Size of the executable.
    pub size_bytes: u64,
    /// How long cargo took.
    pub ns: u64,
    /// The command that built it.
    pub command: Vec<String>,
    /// The native archives in it, in the experiment's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub archives: Vec<BuiltArchive>,
}

impl Build {
    /// Whether cargo found everything up to date.
    pub fn is_fresh(&self) -> bool {
        !self.rebuilt && self.compiled.is_empty()
    }
}

/// A native archive as it was right after the build that it belongs to. Digests are SHA-256 in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltArchive {
    /// The package whose build script made it.
    pub package: String,
    /// File name.
    pub file: String,
    /// Where it was: in the folder that cargo named for this build.
    pub path: String,
    /// Of the file as it is.
    pub raw: String,
    /// Of its CPU code.
    pub host: String,
    /// Of its GPU code, by architecture.
    pub device: BTreeMap<String, String>,
    /// Of its GPU code for all architectures.
    pub device_all: String,
    /// Digest of everything that went into it, as its own section says.
    pub stamp: Option<String>,
}

/// Something wrong with a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Which kind.
    pub kind: FindingKind,
    /// The arm it was found in.
    pub arm: String,
    /// The evidence, in one or two sentences.
    pub evidence: String,
    /// The likely cause and what mends it.
    pub remedy: String,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An input changed, what was built from it did not.
    Stale,
    /// A toggle was switched and nothing changed.
    Inert,
    /// A toggle changed what it must not change, or was on where it must be off.
    Leaking,
    /// The program says it is another build than its label says.
    WrongBinary,
    /// The build failed; the other arms go on.
    BuildFailed,
    /// Base, built a second time from the same inputs, came out different.
    NotReproducible,
    /// An input changed while the builds were being made.
    InputsMoved,
}

/// One line of `samples.jsonl`: one process, one bench, one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// From 0.
    pub block: u32,
    /// Place within the block, from 0.
    pub position: u32,
    /// Arm id.
    pub arm: String,
    /// Bench name.
    pub bench: String,
    /// UTC.
    pub started: Timestamp,
    /// Digest of the executable; `None` for a command.
    pub binary: Option<String>,
    /// Whether the numbers may be used.
    pub status: Status,
    /// Why they may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The process's first iteration.
    pub cold: Option<Measurement>,
    /// Its further iterations, in order.
    pub warm: Vec<Measurement>,
    /// What the program chose.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, serde_json::Value>,
    /// Digest of the result; equal seeds must give equal ones in every arm.
    pub proof: Option<String>,
    /// What the machine did meanwhile.
    pub conditions: Conditions,
    /// How the process ended.
    pub exit: Exit,
}

/// Whether a sample's numbers may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// They may.
    Ok,
    /// They may not; the sample has a reason.
    Failed,
}

/// One iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// To the result.
    pub total_ns: Option<u64>,
    /// To the moment all memory is given back.
    pub span_ns: Option<u64>,
    /// High-water mark of resident memory.
    pub peak_rss_bytes: Option<u64>,
    /// In order of their start.
    pub phases: Vec<Phase>,
}

/// A named part of an iteration. A name may occur several times; its time is then the sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// One of the vocabulary's, or the program's own.
    pub name: String,
    /// From the iteration's start.
    pub start_ns: u64,
    /// Length.
    pub ns: u64,
}

/// What the machine did during a sample. Absent values could not be read here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// Process start to exit.
    pub wall_ns: u64,
    /// CPU time in user mode, children included.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel, children included.
    pub system_ns: Option<u64>,
    /// One-minute load average at the start.
    pub load: Option<f64>,
    /// Faults that needed the disk.
    pub major_faults: Option<u64>,
    /// Faults that did not.
    pub minor_faults: Option<u64>,
    /// Switches that the process asked for.
    pub voluntary_switches: Option<u64>,
    /// Switches that it did not.
    pub involuntary_switches: Option<u64>,
    /// What each GPU did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuConditions>,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Exit {
    /// By itself, with a code.
    Code {
        /// The code.
        code: i32,
    },
    /// By a signal.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// It outlasted its limit and was ended.
    Timeout {
        /// The limit.
        limit_ns: u64,
    },
    /// It never ran.
    NotStarted,
}

impl Measurement {
    /// What it has for a metric, in nanoseconds or bytes. Of phases that overlap, `total-PHASE` takes off the sum, and
    /// there is nothing where that is more than the total.
    pub fn value(&self, metric: &Metric) -> Option<u64> {
        match metric {
            Metric::Total => self.total_ns,
            Metric::Span => self.span_ns,
            Metric::PeakRss => self.peak_rss_bytes,
            Metric::Phase(name) => self.phase_ns(name),
            Metric::Rest(name) => self.total_ns?.checked_sub(self.phase_ns(Metric::left_out(name)?)?),
        }
    }

    /// The time of all phases of that name, if there are any. A sum that does not fit is the largest number that does;
    /// no sample that is a number has one.
    pub fn phase_ns(&self, name: &str) -> Option<u64> {
        let mut times = self.phases.iter().filter(|phase| phase.name == name).map(|phase| phase.ns).peekable();
        times.peek()?;
        Some(times.fold(0, u64::saturating_add))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_the_total_needs_the_phase_and_never_falls_below_nothing() {
        let phase = |ns| Phase { name: "synthesis".into(), start_ns: 0, ns };
        let with = |phases| Measurement { total_ns: Some(10), phases, ..Measurement::default() };
        let rest = Metric::Rest("total-synthesis".into());
        assert_eq!(with(vec![phase(3), phase(4)]).value(&rest), Some(3));
        assert_eq!(with(vec![]).value(&rest), None);
        assert_eq!(with(vec![phase(11)]).value(&rest), None);
    }
}
