//! Places in a section of data, told in a way that does not depend on the length of a path.
//!
//! An absolute path in the data, as `assert` leaves it, moves everything behind it when the checkout moves. In a section
//! with such a path, places are told as the number of the object they are in and the offset in that object. In all other
//! sections they are plain offsets.

use super::elf::{Elf, Kind, Section};
use super::hash::Fields;
use super::names::{Roots, same_length};

/// A section's objects, if they are needed to tell places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Start and end of each object, ascending, without overlap. Empty where places are plain offsets.
    objects: Vec<(usize, usize)>,
}

impl Layout {
    /// The layout of a section; by its objects if a path is in it.
    pub(super) fn of(elf: &Elf, section: &Section, roots: &Roots) -> Self {
        let by_objects = !section.executable && roots.are_in(section.data);
        Self { objects: if by_objects { objects(elf, section) } else { Vec::new() } }
    }

    /// Hashes a place by its offset in the section.
    pub(super) fn place(&self, offset: i64, hash: &mut Fields) {
        let before = self.objects.partition_point(|&(start, _)| start as i128 <= i128::from(offset));
        let start = before.checked_sub(1).map_or(0, |index| self.objects[index].0);
        hash.number(before as u64).signed(offset.wrapping_sub_unsigned(start as u64));
    }

    /// Hashes the place that an instruction refers to by its distance, given less the distance from the reference to the
    /// instruction's end: 4 bytes and the size of an operand that follows. Without objects that does not matter.
    /// With them the distance is taken that leads to the start of one, if any does.
    pub(super) fn relative_place(&self, offset: i64, hash: &mut Fields) {
        if self.objects.is_empty() {
            self.place(offset, hash);
            return;
        }
        let is_start =
            |at: i64| self.objects.binary_search_by_key(&i128::from(at), |&(start, _)| start as i128).is_ok();
        let distance = [4, 5, 6, 8].into_iter().find(|&distance| is_start(offset.wrapping_add(distance))).unwrap_or(4);
        hash.signed(distance);
        self.place(offset.wrapping_add(distance), hash);
    }

    /// Hashes the section's content, in order.
    pub(super) fn content(&self, section: &Section, roots: &Roots, hash: &mut Fields) {
        if section.executable {
            hash.bytes(section.data);
            return;
        }
        if self.objects.is_empty() {
            hash.bytes(&roots.neutral(section.data));
            return;
        }
        let mut end = 0;
        for &(start, object_end) in &self.objects {
            between(&section.data[end..start], roots, hash);
            object(&section.data[start..object_end], roots, hash);
            end = object_end;
        }
        between(&section.data[end..], roots, hash);
    }
}

/// An object's bytes; with a path in it the length is left out, since it is the path's.
pub(super) fn object(bytes: &[u8], roots: &Roots, hash: &mut Fields) {
    if roots.are_in(bytes) {
        hash.text("path").bytes(&roots.neutral(bytes));
    } else {
        hash.text("object").bytes(&same_length(bytes));
    }
}

/// What no symbol names. Zeros there are padding, and their number follows from the lengths around them.
fn between(bytes: &[u8], roots: &Roots, hash: &mut Fields) {
    if bytes.iter().any(|&byte| byte != 0) {
        hash.text("between").bytes(&roots.neutral(bytes));
    }
}

/// Ranges of the section that a symbol with a size names. Of those that overlap the first and longest counts.
fn objects(elf: &Elf, section: &Section) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = elf
        .symbols
        .values()
        .filter(|symbol| symbol.section == Some(section.index) && symbol.kind == Kind::Data && symbol.size > 0)
        .filter_map(|symbol| range(section, symbol.value, symbol.size))
        .collect();
    ranges.sort_by_key(|&(start, end)| (start, usize::MAX - end));
    let mut covered = 0;
    ranges.retain(|&(start, end)| {
        let free = start >= covered;
        covered = if free { end } else { covered };
        free
    });
    ranges
}

/// The part of a section's data, if it is one.
pub(super) fn range(section: &Section, start: u64, size: u64) -> Option<(usize, usize)> {
    let end = usize::try_from(start.checked_add(size)?).ok()?;
    (end <= section.data.len()).then_some((usize::try_from(start).ok()?, end))
}
