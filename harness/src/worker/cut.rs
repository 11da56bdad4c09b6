//! Whether an expression caught a number whole.
//!
//! `\d+` catches `1` of `1,024,312` and `5` of `-5`; but the comma after `123` of `work,123,456` is no part of the number
//! where the expression asks for it. What decides is whether the expression would have caught the same text had another
//! character stood there: then it does not know where the number ends, and neither does anybody who reads it.

use regex::{Captures, Regex};

/// Fails where the group of that name may have caught a part of a number only. What the expression itself asks for beside
/// the group bounds the number, whatever it is.
pub(super) fn check(expression: &Regex, captures: &Captures, group: &str, line: &str) -> Result<(), String> {
    let (Some(caught), Some(whole)) = (captures.name(group), captures.get(0)) else { return Ok(()) };
    let beside = [before(line, caught.start(), caught.as_str()), after(line, caught.end(), caught.as_str())];
    for at in beside.into_iter().flatten() {
        let indifferent = others(line.as_bytes()[at]).iter().any(|other| {
            let changed = [&line[..at], other, &line[at + 1..]].concat();
            let again = expression.captures_at(&changed, whole.start());
            again.and_then(|again| again.name(group).map(|again| again.range())) == Some(caught.range())
        });
        if indifferent {
            return Err(format!(
                "the group `{group}` caught `{}`, which may be cut from a longer number; let it catch all of the number \
                 (such as `[-\\d.,]+`), or match what stands beside it",
                caught.as_str()
            ));
        }
    }
    Ok(())
}

/// What could stand there instead: a digit for a digit, and no part of a number for everything else.
fn others(byte: u8) -> &'static [&'static str] {
    match byte {
        b'0' => &["9"],
        b'1'..=b'9' => &["0"],
        _ => &["\u{1}", "x"],
    }
}

fn separates(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b',' | b'.' | b'_' | b'\''))
}

fn digit(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_digit)
}

/// The place of the character that makes a longer number of what was caught, together with what stands before it.
fn before(line: &str, start: usize, caught: &str) -> Option<usize> {
    let first = caught.as_bytes().first();
    if !digit(first) && !separates(first) {
        return None;
    }
    let back = |by: usize| start.checked_sub(by).map(|at| &line.as_bytes()[at]);
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let longer = match back(1)? {
        b'0'..=b'9' => true,
        b'-' => !back(2).is_some_and(u8::is_ascii_alphanumeric) || exponent(back(2)) && digit(back(3)),
        b'+' => exponent(back(2)) && digit(back(3)),
        b'e' | b'E' => digit(back(2)),
        b'.' => !letter(back(2)) && back(2) != Some(&b'.'),
        byte => separates(Some(byte)) && digit(back(2)),
    };
    longer.then(|| start - 1)
}

/// The place of the character that makes a longer number of what was caught, together with what stands after it.
fn after(line: &str, end: usize, caught: &str) -> Option<usize> {
    let last = caught.as_bytes().last();
    if !digit(last) && !separates(last) {
        return None;
    }
    let ahead = |by: usize| line.as_bytes().get(end + by);
    let signed = matches!(ahead(1), Some(b'+' | b'-'));
    let longer = digit(ahead(0))
        || separates(ahead(0)) && digit(ahead(1))
        || exponent(ahead(0)) && (digit(ahead(1)) || signed && digit(ahead(2)));
    longer.then_some(end)
}

fn exponent(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'e' | b'E'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the group `n` catches, unless it is refused.
    fn caught(expression: &str, line: &str) -> Result<String, String> {
        let expression = Regex::new(expression).expect("an expression");
        let captures = expression.captures(line).expect("a match");
        check(&expression, &captures, "n", line).map(|()| captures["n"].to_owned())
    }

    #[test]
    fn what_the_expression_asks_for_bounds_the_number() {
        for (expression, line, number) in [
            (r"^\w+,(?<n>\d+),", "work,123,456", "123"),
            (r"^\w+,(?<n>\d+),", "work,123,456,789", "123"),
            (r"work_8_(?<n>\d+)ms", "work_8_120ms", "120"),
            (r"(?<name>\w+)_(?<n>\d+)ms", "work_8_120ms", "120"),
            (r"w2(?<n>\d+)", "w2120", "120"),
            (r"delta=-(?<n>\d+)", "delta=-5", "5"),
            (r"^(?<n>\d+)\.\d+ s", "1.5 s", "1"),
            (r".*,(?<n>\d+)$", "2026,1,120", "120"),
            (r"work: (?<n>[\d,]+)", "work: 1,024,312 ns", "1,024,312"),
            (r"work: (?<n>\d+)", "work: 12, 13.", "12"),
            (r"work: \d+, (?<n>\d+)", "work: 12, 13.", "13"),
            (r"work\W*(?<n>\d+)", "work...5ms", "5"),
            (r"work-(?<n>\d+)", "work-5", "5"),
            (r"é(?<n>\d+)é", "é5é", "5"),
        ] {
            assert_eq!(caught(expression, line).as_deref(), Ok(number), "{expression} on {line}");
        }
    }

    #[test]
    fn a_part_of_a_number_is_refused() {
        for (expression, line) in [
            (r"work: (?<n>\d+)", "work: 250,300,410 ms"),
            (r"work: (?<n>\d+)", "work: 1,024,312 ns"),
            (r"work.*?(?<n>\d+) ns", "work: 1,024,312 ns"),
            (r"work: (?<n>\d+).*", "work: 1,024,312 ns"),
            (r"work: (?<n>\d+)\D", "work: 1,024,312 ns"),
            (r"work: (?<n>\d+)(?:,\d+)*", "work: 1,024,312 ns"),
            (r"work: (?<n>\d+)\w+", "work: 120_300"),
            (r"work: (?<n>\d+)", "work: 1'024'312 ns"),
            (r"work: (?<n>\d+)", "work: 1.5 ms"),
            (r"work: (?<n>\d+\.)", "work: 1.5 ms"),
            (r"work: (?<n>\d)", "work: 15 ms"),
            (r"work=(?<n>\d)", "work=1e999"),
            (r"work=(?<n>\d)", "work=1E-9"),
            (r"work\D*(?<n>\d+)", "work=-1"),
            (r"work\D*(?<n>\d+)", "work=.5"),
            (r"work=.*?(?<n>\d+) ns", "work=1e5 ns"),
            (r"(?<name>\w+) ?(?<n>\d+)", "work1234"),
            (r"work\w*?(?<n>\d+)ms", "work_8_120ms"),
        ] {
            let reason = caught(expression, line).expect_err(line);
            assert!(reason.contains("the group `n` caught"), "{expression} on {line}: {reason}");
        }
    }
}
