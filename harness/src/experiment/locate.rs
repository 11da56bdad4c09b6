//! From a dotted key to the line it stands on.
//!
//! Rules are checked on plain values; only when one is broken is the text parsed again, with positions, to find the line.

use toml::de::{DeTable, DeValue};

/// The line, from 1, of the value at a dotted key such as `bench[1].metric`. Where the key is missing, the line of the
/// innermost table that is there.
pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    line_at(text, offset_of_key(text, key).unwrap_or(0))
}

/// The line, from 1, of a byte offset.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

fn offset_of_key(text: &str, key: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut offset = 0;
    for step in key.split('.') {
        let (name, index) = split_index(step);
        let Some(mut value) = table.get(name) else { break };
        if let (Some(index), DeValue::Array(items)) = (index, value.get_ref()) {
            let Some(item) = items.get(index) else { break };
            value = item;
        }
        offset = value.span().start;
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    Some(offset)
}

/// `bench[1]` is `bench` and 1.
fn split_index(step: &str) -> (&str, Option<usize>) {
    match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
        Some((name, index)) => (name, index.parse().ok()),
        None => (step, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a = 1\n\n[[bench]]\nname = 'x'\n\n[[bench]]\nname = 'y'\nargs = [\n'p',\n'q',\n]\n\n[toolchain.cuda]\nversion = '1'\n";

    #[test]
    fn keys_have_lines() {
        let lines = [
            ("a", 1),
            ("bench[0]", 3),
            ("bench[1].name", 7),
            ("bench[1].args[1]", 10),
            ("toolchain.cuda", 13),
            ("toolchain.cuda.version", 14),
        ];
        for (key, line) in lines {
            assert_eq!(line_of_key(TEXT, key), line, "{key}");
        }
    }

    #[test]
    fn a_missing_key_is_at_its_table() {
        assert_eq!(line_of_key(TEXT, "bench[1].metric"), 6);
        assert_eq!(line_of_key(TEXT, "measure.looks"), 1);
    }
}
