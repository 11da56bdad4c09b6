//! Text from outside on its way into a page, a table or a file: names, reasons and notices may hold anything.
//!
//! Nothing is dropped and nothing is shown twice. What cannot be seen is made visible, what a format would act on is
//! neutralised in that format's own way, and JSON and CSV can be read back to the very same text.

use std::borrow::Cow;
use std::fmt::Write as _;

use maud::{Escaper, Render};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text from outside, for a page: unseen characters made visible, markup escaped.
pub(super) struct Text<'a>(pub(super) &'a str);

impl Render for Text<'_> {
    fn render_to(&self, buffer: &mut String) {
        // Writing into a string cannot fail.
        let _ = Escaper::new(buffer).write_str(&visible(self.0));
    }
}

/// Replaces what would act on the text around it instead of being seen: control characters by their pictures (`␊`),
/// characters that change direction or have no width by their code (`⟨U+202E⟩`).
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\0'..='\u{1f}' => seen.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
            '\u{7f}' => seen.push('\u{2421}'),
            c if is_unseen(c) => {
                // Writing into a string cannot fail.
                let _ = write!(seen, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => seen.push(c),
        }
    }
    Cow::Owned(seen)
}

fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Makes text visible and cuts it to `width` columns; a cut is marked by `…`.
pub(super) fn clip(text: &str, width: usize) -> String {
    let seen = visible(text);
    if seen.width() <= width {
        return seen.into_owned();
    }
    let mut clipped = String::new();
    let mut used = 1;
    for c in seen.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        clipped.push(c);
    }
    clipped.push('…');
    clipped
}

/// A text cell of a CSV file that no spreadsheet takes for a formula.
///
/// A cell that starts with `=`, `+`, `-`, `@` (also their full-width forms), a tab, a line end or `'` gets one `'` before
/// it; to read a cell back, take one leading `'` away. Plain numbers such as `-3.5` stay as they are.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    let acts = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\'', '＝', '＋', '－', '＠']);
    if acts && !is_plain_number(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'))
        && digits.parse::<f64>().is_ok()
}

/// Text in Markdown, as it is: nothing in it is taken for markup, not even in a table.
pub(super) fn markdown(text: &str) -> String {
    let seen = visible(text);
    let mut safe = String::with_capacity(seen.len());
    let mut chars = seen.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match c {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            // Inside a word an underscore is only an underscore, and phases are full of them.
            '_' if before.is_alphanumeric() && chars.peek().is_some_and(|next| next.is_alphanumeric()) => {
                safe.push('_');
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '>' | '$' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
        before = c;
    }
    safe
}

/// JSON for the inside of a `<script>` element: equal to the value when parsed, and nothing in it can end the element.
/// Numbers that JSON has no word for (NaN, infinities) become null.
pub(super) fn script_json(value: &impl Serialize) -> serde_json::Result<String> {
    let json = serde_json::to_string(value)?;
    // Outside of strings none of these occurs in JSON, inside they may be written as escapes.
    Ok(json
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the comment at [`cell`] tells a reader to do.
    fn read_back(cell: &str) -> &str {
        cell.strip_prefix('\'').unwrap_or(cell)
    }

    #[test]
    fn cells_are_neutral_and_read_back() {
        for text in
            ["=1+2", "@SUM(A1)", "\tx", "+x", "-x", "\r", "'quoted", "''", "-", "plain", "a=b", "-1-1", "+1+cmd"]
        {
            let neutral = cell(text);
            assert!(!neutral.starts_with(['=', '+', '-', '@', '\t', '\r']), "{text:?} -> {neutral:?}");
            assert_eq!(read_back(&neutral), text);
        }
        for number in ["-3.5", "+2", "-1e-9"] {
            assert_eq!(cell(number), number);
        }
    }

    #[test]
    fn unseen_characters_become_visible() {
        assert_eq!(visible("a\nb\u{202e}c\u{7f}"), "a␊b⟨U+202E⟩c␡");
        assert_eq!(visible("a'b a\\ é 漢"), "a'b a\\ é 漢");
    }

    #[test]
    fn clipping_counts_columns() {
        assert_eq!(clip(&"x".repeat(10_000), 8), "xxxxxxx…");
        assert_eq!(clip("漢字漢字", 5), "漢字…");
        assert_eq!(clip("short", 5), "short");
    }

    #[test]
    fn markdown_keeps_text_text() {
        assert_eq!(markdown("a|b <img> msm_b_g1 _x_"), "a\\|b &lt;img\\> msm_b_g1 \\_x\\_");
    }

    #[test]
    fn script_json_round_trips_and_cannot_end_its_element() {
        let text = "</script><script>alert(1)</script>\u{2028}&<!--";
        let json = script_json(&text).unwrap();
        assert!(!json.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        assert_eq!(script_json(&[f64::NAN, f64::INFINITY, 1.0]).unwrap(), "[null,null,1.0]");
    }
}
