//! How long the GPU's part takes, and of what: `cargo bench -p groth16-cuda --features native -- …`, on a machine with a GPU.
//!
//! ```text
//! gpu phases [CONSTRAINTS [CIRCUITS [REPETITIONS]]]     each phase of a batch, for this build's windows
//! gpu windows [CONSTRAINTS [REPETITIONS]]               each multiplication with every window: the table of toggle D4
//! gpu stream [CONSTRAINTS]                              the same batch with all, some and none of the points resident
//! gpu refuse                                            what is asked for in vain, and that the next call works
//! ```
//!
//! The batch is made up: no circuit is synthesized and no parameter file is needed. The points are known multiples of the
//! generator, so that every sum but that over H is checked in the exponent; those over H must agree with each other. A
//! fifth of the scalars is not trivial and a third is one, as in `mixed:30,500`, whose queries have about the same sizes at
//! CONSTRAINTS = 1048576. Times are milliseconds, from events on the GPU and the CPU's clock. Exits with 1 where a
//! sum is wrong.

#[cfg(feature = "native")]
#[path = "gpu/batch.rs"]
mod batch;
#[cfg(feature = "native")]
#[path = "gpu/report.rs"]
mod report;

#[cfg(feature = "native")]
fn main() -> std::process::ExitCode {
    use report::{phases, refuse, stream, windows};

    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number =
        |at: usize, otherwise: usize| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let million = 1 << 20;
    let done = match arguments.first().map(String::as_str) {
        Some("phases") => phases(number(1, million), number(2, 1), number(3, 5)),
        Some("windows") => windows(number(1, million), number(2, 5)),
        Some("stream") => stream(number(1, million)),
        Some("refuse") => refuse(),
        _ => Err("say what: phases, windows, stream or refuse (see the head of benches/gpu.rs)".to_owned()),
    };
    match done {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "native"))]
fn main() {
    eprintln!("without the feature `native` there is nothing to bench");
}
