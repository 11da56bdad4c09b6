//! An experiment: one question, its factors, design, benches and limits, as read from one TOML file.
//!
//! The types here are what the rest of the harness works with; the file's own shape is private to the loader. A value of
//! [`Experiment`] is already checked: every rule that needs nothing but the file holds.

mod benches;
mod choices;
mod constraints;
mod error;
mod factors;
mod load;
mod locate;
#[cfg(test)]
mod tests;
mod together;
mod validate;
mod values;
mod wire;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use error::hint;
pub use error::{LoadError, Place};
pub use load::{find_root, load};
pub(crate) use values::length;

/// The id of the arm with every factor at its first level.
pub const BASE: &str = "base";

/// The id of base's second run in each block.
pub const BASE_AGAIN: &str = "base-again";

/// In a list of arms: every factor at its last level.
pub const ALL: &str = "all";

/// Ids that no factor or command may have.
pub(crate) const RESERVED: [&str; 3] = [BASE, BASE_AGAIN, ALL];

/// One question, ready to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The file it was read from.
    pub file: PathBuf,
    /// The file's text, kept with the run.
    pub source: String,
    /// The project's root: relative paths start here, and results/ and reports/ lie here.
    pub root: PathBuf,
    /// Short name; runs are named after it.
    pub name: String,
    /// What the experiment asks, in one sentence.
    pub question: String,
    /// What its author expects to see.
    pub expect: Option<String>,
    /// What is built; `None` where every arm is a command.
    pub target: Option<Target>,
    /// The CUDA toolchain, where one is needed.
    pub cuda: Option<CudaToolchain>,
    /// The toggles, in file order.
    pub factors: Vec<Factor>,
    /// Arms that are commands instead of builds.
    pub commands: Vec<CommandArm>,
    /// The native archives to be verified.
    pub archives: Vec<Archive>,
    /// Which levels may not stand together, in file order.
    pub constraints: Vec<Constraint>,
    /// Which arms there are.
    pub design: Design,
    /// Run once before the first block.
    pub prepare: Option<Prepare>,
    /// At least one.
    pub benches: Vec<Bench>,
    /// How it is measured and judged.
    pub measure: Measure,
}

/// The package and binary that every built arm is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Absolute path of the Cargo.toml handed to cargo.
    pub manifest: PathBuf,
    /// Package name.
    pub package: String,
    /// Binary name.
    pub bin: String,
    /// Features on in every arm.
    pub features: Vec<String>,
    /// Cargo profile; `release` unless the file says otherwise.
    pub profile: String,
}

/// Where nvcc comes from and what it compiles for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaToolchain {
    /// Toolkit version, such as `13.0`.
    pub version: String,
    /// Architectures, such as `sm_90`.
    pub arch: Vec<String>,
    /// Fetch nvcc as Python wheels when there is none.
    pub provision_python: bool,
}

/// One toggle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Unique, short: `A1`.
    pub id: String,
    /// What the toggle acts through.
    pub lever: Lever,
    /// What must change in the build when the toggle changes; anything else is a finding.
    pub changes: Vec<Change>,
    /// The backend outside of which the factor has no effect.
    pub backend: Option<String>,
    /// The fact by which the program tells what the toggle chose: where it is base's, the toggle had nothing to do.
    pub fact: Option<String>,
}

/// What a factor acts through. Level 0 is that of base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lever {
    /// A Cargo feature: off is level 0, on is level 1.
    Feature(String),
    /// A command-line argument followed by one of the levels.
    Argument {
        /// The flag, such as `--window`.
        flag: String,
        /// At least two distinct values.
        levels: Vec<String>,
    },
    /// An environment variable set to one of the levels.
    Environment {
        /// The variable's name.
        name: String,
        /// At least two distinct values.
        levels: Vec<String>,
    },
}

impl Lever {
    /// How many levels there are.
    pub fn levels(&self) -> usize {
        match self {
            Self::Feature(_) => 2,
            Self::Argument { levels, .. } | Self::Environment { levels, .. } => levels.len(),
        }
    }

    /// The levels' texts; `None` for a feature, which is off or on.
    pub fn named_levels(&self) -> Option<&[String]> {
        match self {
            Self::Feature(_) => None,
            Self::Argument { levels, .. } | Self::Environment { levels, .. } => Some(levels),
        }
    }

    /// What it acts through, as a phrase: `feature smallvec`, `argument --window`.
    fn acts_through(&self) -> String {
        match self {
            Self::Feature(feature) => format!("feature `{feature}`"),
            Self::Argument { flag, .. } => format!("argument `{flag}`"),
            Self::Environment { name, .. } => format!("variable `{name}`"),
        }
    }
}

impl Factor {
    /// The Cargo feature that it switches, if it is one.
    pub fn feature(&self) -> Option<&str> {
        match &self.lever {
            Lever::Feature(feature) => Some(feature),
            Lever::Argument { .. } | Lever::Environment { .. } => None,
        }
    }
}

/// What a toggle may change in a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// The executable.
    Binary,
    /// CPU code in an archive.
    ArchiveHost,
    /// GPU code in an archive.
    ArchiveDevice,
}

/// An arm that is a command of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandArm {
    /// Unique among arms.
    pub id: String,
    /// Program and leading arguments; the bench's arguments follow.
    pub command: Vec<String>,
    /// Program and arguments that make what `command` runs, once per run; empty: it is there already.
    pub build: Vec<String>,
}

/// A native archive whose digests are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The package whose build script makes it.
    pub package: String,
    /// File name in that package's `out_dir`.
    pub file: String,
}

/// Which arms there are, besides base and the commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Design {
    /// Every combination of levels.
    Full,
    /// A half or a quarter of the combinations of factors of two levels, chosen so that what matters can be told apart.
    Fraction(Fraction),
    /// Each level other than base's, one factor at a time.
    AddOne,
    /// Every factor at its last level, and from there each factor back at base's, one at a time.
    LeaveOneOut,
    /// Both of these.
    AddAndLeave,
    /// The arms that the file lists, each as a choice of level for some factors.
    List(Vec<Choice>),
}

impl Design {
    /// Whether factors are judged by contrasts over all arms, not arms one by one.
    pub fn is_factorial(&self) -> bool {
        matches!(self, Self::Full | Self::Fraction(_) | Self::AddAndLeave)
    }
}

/// How much of a full design is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fraction {
    /// Every other arm.
    Half,
    /// One in four.
    Quarter,
}

/// What a factor at any level but base's asks of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Factor id.
    pub factor: String,
    /// What it asks.
    pub ask: Ask,
    /// Id of the other factor.
    pub other: String,
    /// The level meant; `None` for any but base's.
    pub level: Option<usize>,
}

/// The two kinds of constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The other must be there.
    Requires,
    /// The other may not be there.
    Conflicts,
}

/// A level other than base's for each of some factors: factor id to level.
pub type Choice = BTreeMap<String, usize>;

/// A command that makes what the benches need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepare {
    /// Arguments of base's binary.
    pub args: Vec<String>,
}

/// A command of the built binary.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// Unique: `synth`, `prove`.
    pub name: String,
    /// Arguments.
    pub args: Vec<String>,
    /// What is compared.
    pub metric: Metric,
    /// How the program's output is read.
    pub parse: Parse,
    /// Warm iterations a sample.
    pub iterations: u32,
    /// A sample that takes longer has failed.
    pub timeout: Option<Duration>,
    /// The arms that run it; empty: all.
    pub arms: Vec<String>,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// From the start of the work to its result.
    Total,
    /// To the moment all memory is given back.
    Span,
    /// High-water mark of resident memory.
    PeakRss,
    /// The time of a phase.
    Phase(String),
    /// The total without the time of a phase; holds the whole name, `total-PHASE`.
    Rest(String),
}

impl Metric {
    /// The name in files, tables and pages: `total`, `span`, `peak_rss`, the phase's, or `total-PHASE`.
    pub fn name(&self) -> &str {
        match self {
            Self::Total => "total",
            Self::Span => "span",
            Self::PeakRss => "peak_rss",
            Self::Phase(name) | Self::Rest(name) => name,
        }
    }

    /// The phase that `total-PHASE` leaves out.
    pub fn left_out(name: &str) -> Option<&str> {
        name.strip_prefix("total-")
    }
}

/// How a program's output is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parse {
    /// JSON lines of the worker protocol.
    Protocol,
    /// Lines that match a regular expression with the groups `name` and one of `ns`, `us`, `ms`, `s`.
    Regex(String),
    /// Nothing: `span` is the process from start to exit.
    Process,
}

/// How the experiment is measured and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The planned numbers of blocks at which a verdict may be given; ascending, not empty.
    pub looks: Vec<u32>,
    /// Family-wise error rate.
    pub alpha: f64,
    /// The smallest change that matters, as a share: 0.01 for 1%.
    pub min_effect: f64,
    /// No block starts after this time.
    pub max_time: Option<Duration>,
    /// Orders the arms within blocks.
    pub seed: u64,
}
