//! Rules between the tables of an experiment file.

use super::error::Problem;
use super::{Archive, Bench, Change, Factor, Lever, Parse};
use crate::worker::protocol::ITERATIONS_FLAG;

/// What a factor says it changes must be looked at, or nothing is shown of it.
pub(super) fn changes_are_looked_at(factors: &[Factor], archives: &[Archive]) -> Result<(), Problem> {
    let of_archive = |change: &Change| matches!(change, Change::ArchiveHost | Change::ArchiveDevice);
    match factors.iter().position(|factor| factor.changes.iter().any(of_archive)) {
        Some(index) if archives.is_empty() => Err(Problem::new(
            format!("factor[{index}].changes"),
            "there is no archive in which that could be seen; add an [[archive]] with its `package` and `file`, or leave the \
             archive's parts out",
        )),
        _ => Ok(()),
    }
}

/// The harness itself tells a program that speaks the protocol how often to repeat its work.
pub(super) fn iterations_are_left_alone(factors: &[Factor], benches: &[Bench]) -> Result<(), Problem> {
    let problem = |key: String| {
        let text = format!(
            "`{ITERATIONS_FLAG}` is given to every program that speaks the protocol, after all other arguments; write \
             `iterations` in the [[bench]] instead"
        );
        Err(Problem::new(key, text))
    };
    let speaking = || benches.iter().enumerate().filter(|(_, bench)| bench.parse == Parse::Protocol);
    let asks = |word: &String| {
        word == ITERATIONS_FLAG || word.strip_prefix(ITERATIONS_FLAG).is_some_and(|rest| rest.starts_with('='))
    };
    for (index, bench) in speaking() {
        if let Some(at) = bench.args.iter().position(asks) {
            return problem(format!("bench[{index}].args[{at}]"));
        }
    }
    let through = |factor: &Factor| matches!(&factor.lever, Lever::Argument { flag, .. } if asks(flag));
    match factors.iter().position(through) {
        Some(index) if speaking().next().is_some() => problem(format!("factor[{index}].arg")),
        _ => Ok(()),
    }
}
