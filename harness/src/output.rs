//! What the program prints. A reader who has gone away is no error: neither a run nor its verdict depends on being read.
//!
//! Invariant: nothing here panics, and no control character of somebody else's text reaches a terminal.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

/// Prints an answer on stdout. Fails where it cannot be written, as on a full disk, but not where whoever read it has
/// seen enough, as in `ablate list | head -1`.
pub fn answer(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to stdout"),
        _ => Ok(()),
    }
}

/// Says something on stderr, lines kept as lines. Where nobody can hear it there is nobody left to tell.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// The text with what would act on a terminal made harmless; its lines and tabs stay.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(c),
            '\r' => {}
            c if c.is_control() => {
                // Writing into a string cannot fail.
                let _ = write!(safe, "{}", c.escape_unicode());
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal_and_lines_stay() {
        assert_eq!(printable("a\r\n\tb \u{1b}[31mé\u{9b}"), "a\n\tb \\u{1b}[31mé\\u{9b}");
    }
}
