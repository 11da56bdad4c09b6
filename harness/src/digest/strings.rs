//! Sections of zero-terminated strings.
//!
//! The compiler chooses a string's section and place by its length, so a string that holds a path moves others when the
//! checkout moves. A string is therefore told by its content alone: references to it are references to that content, and
//! a member's strings are compared as a sorted list.

use super::elf::Section;
use super::hash::Fields;
use super::names::Roots;

/// The strings of a section that are not empty, without their terminators and with paths replaced.
pub(super) fn all(section: &Section, width: usize, roots: &Roots) -> Vec<Vec<u8>> {
    split(section.data, width)
        .map(|(_, string)| neutral(string, width, roots))
        .filter(|text| !text.is_empty())
        .collect()
}

/// Hashes the string that is at `offset`, and how far inside of it that is. Returns whether there is one.
pub(super) fn reference(section: &Section, width: usize, offset: u64, roots: &Roots, hash: &mut Fields) -> bool {
    let Ok(offset) = usize::try_from(offset) else { return false };
    let Some((start, string)) = split(section.data, width).take_while(|&(start, _)| start <= offset).last() else {
        return false;
    };
    if offset > start + string.len() {
        return false;
    }
    hash.text("string").bytes(&neutral(string, width, roots)).number((offset - start) as u64);
    true
}

/// Start and content of each string. What is behind the last terminator counts as a string too.
fn split(data: &[u8], width: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = data.get(start..).filter(|rest| !rest.is_empty())?;
        let characters = rest.chunks_exact(width);
        let length = characters.take_while(|character| character.iter().any(|&byte| byte != 0)).count() * width;
        let found = (start, &rest[..length]);
        start += length + width;
        Some(found)
    })
}

fn neutral(string: &[u8], width: usize, roots: &Roots) -> Vec<u8> {
    if width == 1 { roots.neutral(string).into_owned() } else { string.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(data: &[u8], width: usize) -> Vec<(usize, &[u8])> {
        split(data, width).collect()
    }

    #[test]
    fn strings_end_at_zeros_also_wide_ones() {
        assert_eq!(parts(b"ab\0\0c\0", 1), [(0, &b"ab"[..]), (3, b""), (4, b"c")]);
        assert_eq!(parts(b"a\0\0\0b\0\0\0\0\0\0\0c\0\0\0", 4), [(0, &b"a\0\0\0b\0\0\0"[..]), (12, b"c\0\0\0")]);
        assert_eq!(parts(b"", 1), []);
        assert_eq!(parts(b"open", 1), [(0, &b"open"[..])]);
    }
}
