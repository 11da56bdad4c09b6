//! Statistics of comparisons within blocks: functions from numbers to numbers.
//!
//! What is here knows nothing of experiments, arms or samples, reads no clock and opens no file. Everything works on
//! log-ratios, so that "twice as slow" and "twice as fast" are equally far from "the same"; turning
//! logarithms into shares and shares into words is the judge's part. `docs/METHODOLOGY.md` puts the pieces together.
//!
//! The invariant: an input that is too small or not finite gives `None`, an infinite bound or a p-value of 1, never a
//! NaN and never a panic.

pub mod equivalence;
pub mod hodges_lehmann;
pub mod least_squares;
pub mod location;
pub mod multiple;
pub mod normal;
pub mod operating;
#[cfg(test)]
mod oracle;
mod pairwise;
pub mod power;
pub mod predictive;
pub mod quadrature;
pub mod signed_rank;
pub mod spending;
pub mod spread;
pub mod student;
pub mod trend;
