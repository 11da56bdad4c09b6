//! An executable cut into atoms: functions, data objects, and what lies between them.
//!
//! A symbol with a size is an atom; those that overlap are one. What lies between is cut wherever something refers to: the
//! linker puts constants one behind the other without a name, and everything it keeps is referred to at its start. An atom
//! without a size loses its trailing zeros, which are padding as often as not.

use super::image::{Class, Image, Section};
use super::naming;
use super::operands;

/// One function, object, or piece between them.
#[derive(Debug)]
pub(super) struct Atom {
    /// Number of its section.
    pub(super) section: usize,
    pub(super) start: u64,
    pub(super) end: u64,
    /// Whether a symbol says how large it is.
    pub(super) sized: bool,
    pub(super) function: bool,
    /// Its names and where in it they stand, sorted; empty for what the compiler gave no name.
    pub(super) names: Vec<(u64, String)>,
}

/// All atoms, and where each section's are.
#[derive(Debug)]
pub(super) struct Atoms {
    /// By section and start.
    pub(super) list: Vec<Atom>,
    /// First and past the last atom, by section.
    ranges: Vec<(usize, usize)>,
}

impl Atoms {
    /// Cuts at symbols and at the places given: section and offset of each.
    pub(super) fn cut(image: &Image, mut places: Vec<(usize, u64)>) -> Self {
        let mut sized = vec![Vec::new(); image.sections.len()];
        let mut named = vec![Vec::new(); image.sections.len()];
        for symbol in image.symbols.iter().filter(|symbol| symbol.names_something) {
            let Some((section, start)) = symbol.place.filter(|place| place.0 < image.sections.len()) else { continue };
            if symbol.size > 0 {
                sized[section].push((start, start.saturating_add(symbol.size), symbol.function));
            } else {
                places.push((section, start));
            }
            if let Some(name) = naming::normal(symbol.name, symbol.function) {
                named[section].push((start, name));
            }
        }
        places.sort_unstable();
        places.dedup();
        let mut list = Vec::new();
        let mut ranges = vec![(0, 0); image.sections.len()];
        for (number, section) in image.taken() {
            let first = list.len();
            let inside = places.partition_point(|place| *place < (number, 0));
            let past = places.partition_point(|place| *place < (number + 1, 0));
            let starts: Vec<u64> = places[inside..past].iter().map(|place| place.1).collect();
            section_atoms(number, section, merged(&mut sized[number], section.size), &starts, &mut list);
            name_atoms(&mut list[first..], &mut named[number]);
            ranges[number] = (first, list.len());
        }
        Self { list, ranges }
    }

    /// The atom that a place is in, and how far inside; the atom before where the place is in none.
    pub(super) fn at(&self, section: usize, offset: i64) -> Option<(usize, i64)> {
        let &(first, past) = self.ranges.get(section)?;
        let before = self.list[first..past].partition_point(|atom| i128::from(atom.start) <= i128::from(offset));
        let index = (first + before.saturating_sub(1)).min(past.checked_sub(1)?);
        let atom = self.list.get(index).filter(|_| first < past)?;
        Some((index, offset.wrapping_sub_unsigned(atom.start)))
    }
}

/// The ranges of symbols, those that overlap as one.
fn merged(sized: &mut [(u64, u64, bool)], size: u64) -> Vec<(u64, u64, bool)> {
    sized.sort_unstable_by_key(|&(start, end, _)| (start, u64::MAX - end));
    let mut merged: Vec<(u64, u64, bool)> = Vec::new();
    for &(start, end, function) in sized.iter().filter(|range| range.1 <= size) {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end, function)),
        }
    }
    merged
}

fn section_atoms(number: usize, section: &Section, sized: Vec<(u64, u64, bool)>, starts: &[u64], list: &mut Vec<Atom>) {
    let atom = |start, end, sized, function| Atom { section: number, start, end, sized, function, names: Vec::new() };
    let mut at = 0;
    let mut starts = starts.iter().copied().peekable();
    let last = [(section.size, section.size, false)];
    for (start, end, function) in sized.into_iter().chain(last) {
        // What lies before it, cut at each place that something refers to.
        while at < start {
            let mut wanted = false;
            while let Some(place) = starts.next_if(|&place| place <= at) {
                wanted |= place == at;
            }
            let next = starts.peek().copied().filter(|&place| place < start).unwrap_or(start);
            let end = trimmed(section, at, next);
            // One of zeros stays only where something refers to it.
            if end > at || wanted {
                list.push(atom(at, end, false, false));
            }
            at = next;
        }
        if start < end {
            list.push(atom(start, end, true, function));
            at = end;
        }
    }
}

/// The end of a piece without the padding behind it; its start where it is all padding.
fn trimmed(section: &Section, start: u64, end: u64) -> u64 {
    let Some(data) = slice(section, start, end) else { return start };
    let relocated = section.relocations.partition_point(|relocation| relocation.offset < end);
    let relocated = section.relocations[..relocated]
        .last()
        .map(|last| last.offset.saturating_add(operands::width(last.kind) as u64));
    let from = relocated.filter(|&past| past > start).map_or(start, |past| past.min(end));
    let rest = &data[usize::try_from(from - start).unwrap_or(0)..];
    if section.class == Class::Code && operands::is_padding(rest) {
        return from;
    }
    let filler = |byte: &u8| *byte != 0 && !(section.class == Class::Code && [0xcc, 0x90].contains(byte));
    rest.iter().rposition(filler).map_or(from, |last| from + last as u64 + 1)
}

/// The bytes of a range, if the file has them.
pub(super) fn slice<'a>(section: &Section<'a>, start: u64, end: u64) -> Option<&'a [u8]> {
    section.data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// Gives each atom the names that stand in it. Both are in order of their places.
fn name_atoms(atoms: &mut [Atom], named: &mut Vec<(u64, String)>) {
    named.sort_unstable();
    named.dedup();
    let mut index = 0;
    for (place, name) in named.drain(..) {
        while atoms.get(index + 1).is_some_and(|next| next.start <= place) {
            index += 1;
        }
        let Some(atom) = atoms.get_mut(index).filter(|atom| place >= atom.start) else { continue };
        // A name at the end of one atom, where no other starts, marks an end.
        if place < atom.end || place == atom.start {
            atom.names.push((place - atom.start, name));
        }
    }
}
