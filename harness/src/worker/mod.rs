//! Running one sample: a fresh process, what it printed, and whether its numbers may be used.
//!
//! [`process`] starts and ends processes and knows nothing of what they print; [`protocol`] and [`parse`] read what was
//! printed and know nothing of processes. A sample is a number only if everything about it is right; otherwise it is
//! kept as failed, with its reason.

mod cut;
mod leftover;
pub mod parse;
pub mod process;
pub mod protocol;
mod sample;

pub(crate) use leftover::VARIABLE;
pub use leftover::{Mark, end_all_of};
pub use sample::{Reading, Unit, located, take};
