//! `--threads` for libraries that take it from the environment alone.

use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};
use shared::worker::args::CircuitArgs;
use shared::worker::filecoin;

/// bellperson's two settings: for synthesis, and for transforms and multiplications.
const VARIABLES: [&str; 2] = ["RAYON_NUM_THREADS", "EC_GPU_NUM_THREADS"];

/// Starts this program anew with the settings that the circuit and the arguments ask for, unless it was started so; then
/// returns.
pub fn settle(args: &CircuitArgs) -> Result<()> {
    filecoin::settle(args)?;
    use_threads(args.threads)
}

/// The settings are read once, before anything could change them from inside, so a new start is the way.
fn use_threads(threads: Option<NonZeroUsize>) -> Result<()> {
    let Some(threads) = threads.map(|threads| threads.to_string()) else { return Ok(()) };
    if VARIABLES.iter().all(|name| std::env::var(name).is_ok_and(|value| value == threads)) {
        return Ok(());
    }
    let program = std::env::current_exe().context("this program's own path is unknown")?;
    let settings = VARIABLES.map(|name| (name, &threads));
    let error = Command::new(program).args(std::env::args_os().skip(1)).envs(settings).exec();
    Err(error).with_context(|| format!("--threads {threads}: starting anew failed"))
}

/// The threads that the transforms and multiplications use.
pub fn count() -> usize {
    let set = std::env::var("EC_GPU_NUM_THREADS").ok().and_then(|value| value.parse().ok());
    set.or_else(|| std::thread::available_parallelism().ok().map(NonZeroUsize::get)).unwrap_or(1)
}
