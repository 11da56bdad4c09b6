//! The arguments that every worker takes, the same for each program.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::circuits::CircuitSpec;

/// Which circuits, and where the parameters lie.
#[derive(Clone, Debug, Args)]
pub struct CircuitArgs {
    /// The circuit: sha256:BLOCKS, mixed:BLOCKS,HASHES or, where it is built in, porep:CHALLENGES[:LAYERS]
    #[arg(long, value_name = "SPEC")]
    pub circuit: CircuitSpec,

    /// Seed of the parameters' secrets: insecure, for benches only
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub setup_seed: u64,

    /// Folder of the cached parameters
    #[arg(long, value_name = "DIR", default_value = ".params")]
    pub params_dir: PathBuf,

    /// Threads, at most 1024; all of the machine's when left out
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// More would only wait for each other, and starting a hundred thousand brings a machine to a halt.
const MOST_THREADS: usize = 1024;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().and_then(NonZeroUsize::new);
    threads.filter(|threads| threads.get() <= MOST_THREADS).ok_or_else(|| format!("choose from 1 to {MOST_THREADS}"))
}

/// Where the parameters come from, when not from the cache.
#[derive(Clone, Debug, Args)]
pub struct ParamsArgs {
    /// Parameter file to use instead of the cached one
    #[arg(long, value_name = "FILE")]
    pub params: Option<PathBuf>,
}

/// What is proved, and how often.
#[derive(Clone, Debug, Args)]
pub struct BatchArgs {
    /// Circuits in the batch
    #[arg(long, value_name = "N", default_value = "1")]
    pub circuits: NonZeroUsize,

    /// Seed of the witnesses and of r and s
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// How a bench is repeated.
#[derive(Clone, Debug, Args)]
pub struct RepeatArgs {
    /// Warm iterations; a cold one, iteration 0, comes first
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "resident")]
    pub iterations: u32,

    /// Run an iteration for each request on standard input
    #[arg(long)]
    pub resident: bool,
}
