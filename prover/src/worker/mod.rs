//! The program's side of the worker protocol: a bench that prints JSON lines, as a batch or on request.
//!
//! [`message`] has the lines, [`session`] the order they come in, [`statement`] has the files that proofs go to,
//! [`outputs`] where these may be written, [`memory`] and [`host`] read the machine, [`filecoin`] keeps
//! foreign settings out of the libraries of one circuit, and [`args`] are the arguments that every worker takes. What is measured is a [`Bench`]; the module knows nothing of it. The peers compile
//! this module as it is.
//!
//! Invariants: standard output carries protocol lines and nothing else; nothing is printed, checked or set up while a bench
//! is timed; a session that did not end with `bye` and `ok` has failed.

pub mod args;
pub mod filecoin;
pub mod host;
pub mod memory;
pub mod message;
pub mod outputs;
pub mod session;
pub mod statement;

pub use self::session::{Bench, Checked, Measured, ProofRecord, Session, nanoseconds};
