//! The library behind `ablate`.
