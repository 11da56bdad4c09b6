//! Reports of a run: a page, six tables, a summary, and the table on the terminal.
//!
//! Everything is drawn from one view model of the judgement, so page, tables, summary and exit code agree. No statistic is
//! computed here, nothing is measured, and no text from outside reaches a file without being neutralised for it.

mod csv;
mod factors;
mod files;
mod format;
mod html;
mod summary;
pub mod terminal;
mod text;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub use files::write;
