//! Charts as inline SVG: they take their colours from the page, so they follow light, dark and print.

pub(super) mod forest;
mod scale;
pub(super) mod series;
pub(super) mod timeline;
