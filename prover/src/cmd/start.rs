//! What every bench does before its clock starts: threads, hello, and the choice between a batch and requests.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use groth16_prover::label;
use groth16_prover::worker::args::{CircuitArgs, RepeatArgs};
use groth16_prover::worker::message::{Hello, PROTOCOL};
use groth16_prover::worker::{Bench, Session, filecoin, nanoseconds};

use super::backend::Backend;

/// The stamp of the native archive that the program contains.
#[cfg(feature = "cuda")]
const STAMP: fn() -> Option<String> = || Some(groth16_cuda::stamp().to_owned());

/// This program contains none.
#[cfg(not(feature = "cuda"))]
const STAMP: fn() -> Option<String> = || None;

/// Settles what the circuit's libraries read, and makes the thread pool as large as asked.
pub(crate) fn settle(args: &CircuitArgs) -> Result<()> {
    filecoin::settle(args)?;
    let Some(threads) = args.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .with_context(|| format!("--threads {threads}: the threads could not be started"))
}

/// An error unless the multiplications can run with the window that was asked for.
pub(crate) fn check_window(window: Option<u32>, backend: Backend) -> Result<()> {
    let usable = backend.windows();
    match window {
        Some(window) if !usable.contains(&window) => {
            bail!("--window {window}: choose one from {} to {}", usable.start(), usable.end())
        }
        _ => Ok(()),
    }
}

/// Says hello and runs the bench. Everything that can be wrong with the arguments has been checked before.
pub(crate) fn serve(
    bench: &mut impl Bench,
    backend: Backend,
    repeat: &RepeatArgs,
    load: Option<Duration>,
) -> Result<bool> {
    let hello = Hello {
        protocol: PROTOCOL,
        program: "prover",
        version: label::version(),
        features: label::features(),
        stamp: STAMP(),
        backend: backend.name(),
        device: backend.device()?,
        threads: rayon::current_num_threads(),
    };
    let session = Session::open(std::io::stdout().lock(), &hello, load.map(nanoseconds))?;
    if repeat.resident {
        session.run_resident(bench, std::io::stdin().lock())
    } else {
        session.run_batch(bench, repeat.iterations)
    }
}
