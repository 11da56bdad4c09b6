//! What every atom refers to: relocations, resolved to atoms and names.

use super::atoms::{Atoms, slice};
use super::image::{Class, Image, Relocation};
use super::naming;
use super::operands;

/// A place in an atom that the linker filled.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// From the atom's start.
    pub(super) offset: u64,
    pub(super) kind: u32,
    pub(super) target: Target,
    /// From the target's start.
    pub(super) distance: i64,
}

/// How far a call without a relocation is looked for, in bytes.
const NEARBY: u32 = 1 << 16;

/// What is referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// By its number.
    Atom(usize),
    /// Something of another file, or a section that is not looked into.
    Name(String),
    /// A plain number.
    Nothing,
}

/// Atoms, and the references of each.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) atoms: Atoms,
    /// Of each atom, by offset.
    pub(super) references: Vec<Vec<Reference>>,
}

impl Graph {
    /// Cuts the image into atoms and resolves what they refer to.
    pub(super) fn of(image: &Image) -> Self {
        let mut places = Vec::new();
        for (_, section) in image.taken() {
            let in_code = section.class == Class::Code;
            // A table of distances needs its own start, which is found by what refers to it.
            let counts = |relocation: &&Relocation| in_code || relocation.kind != operands::RELATIVE;
            places.extend(section.relocations.iter().filter(counts).filter_map(|relocation| {
                let distance = if in_code { to_end(section.data, relocation) } else { 0 };
                unnamed_place(image, relocation, distance)
            }));
        }
        let atoms = Atoms::cut(image, places.clone());
        let before = places.len();
        for atom in &atoms.list {
            let section = &image.sections[atom.section];
            let inside = within(&section.relocations, atom.start, atom.end);
            if section.class == Class::Data {
                let tables = inside.iter().filter(|relocation| relocation.kind == operands::RELATIVE);
                places.extend(tables.filter_map(|relocation| {
                    unnamed_place(image, relocation, -(relocation.offset.wrapping_sub(atom.start).cast_signed()))
                }));
            }
        }
        let atoms = if places.len() > before { Atoms::cut(image, places) } else { atoms };
        let references = (0..atoms.list.len()).map(|index| references(image, &atoms, index)).collect();
        Self { atoms, references }
    }
}

/// The relocations between two places.
fn within(relocations: &[Relocation], start: u64, end: u64) -> &[Relocation] {
    let first = relocations.partition_point(|relocation| relocation.offset < start);
    let past = relocations.partition_point(|relocation| relocation.offset < end);
    &relocations[first..past.max(first)]
}

fn to_end(code: &[u8], relocation: &Relocation) -> i64 {
    let relative = operands::is_relative(relocation.kind);
    usize::try_from(relocation.offset).ok().filter(|_| relative).map_or(0, |field| operands::to_end(code, field))
}

/// The place that a relocation refers to by section alone, if it does so.
fn unnamed_place(image: &Image, relocation: &Relocation, distance: i64) -> Option<(usize, u64)> {
    let symbol = image.symbols.get(relocation.symbol).filter(|symbol| symbol.section)?;
    let (section, start) = symbol.place?;
    let place = start.cast_signed().wrapping_add(relocation.addend).wrapping_add(distance);
    let place = u64::try_from(place).ok()?;
    (place < image.sections.get(section)?.size).then_some((section, place))
}

fn references(image: &Image, atoms: &Atoms, index: usize) -> Vec<Reference> {
    let atom = &atoms.list[index];
    let section = &image.sections[atom.section];
    let resolve = |relocation: &Relocation| {
        let offset = relocation.offset - atom.start;
        let distance = match (section.class, relocation.kind) {
            (Class::Code, _) => to_end(section.data, relocation),
            // An entry of a table of distances, counted from the table's start.
            (_, operands::RELATIVE) => -offset.cast_signed(),
            _ => 0,
        };
        let (target, distance) = target(image, atoms, relocation, distance);
        Reference { offset, kind: relocation.kind, target, distance }
    };
    let relocations = within(&section.relocations, atom.start, atom.end);
    let mut references: Vec<Reference> = relocations.iter().map(resolve).collect();
    if section.class == Class::Code {
        references.extend(assembled(image, atoms, index, relocations));
        references.sort_by_key(|reference| reference.offset);
    }
    references
}

/// Calls without a relocation: code is not decoded, so they are known by leading exactly to the start of another function
/// nearby. The chance that other bytes do is one in tens of millions.
fn assembled(image: &Image, atoms: &Atoms, index: usize, relocations: &[Relocation]) -> Vec<Reference> {
    let atom = &atoms.list[index];
    let Some(code) = slice(&image.sections[atom.section], atom.start, atom.end) else { return Vec::new() };
    let is_free = |field: u64| {
        let at = relocations.partition_point(|relocation| relocation.offset.saturating_add(4) <= field);
        relocations.get(at).is_none_or(|relocation| relocation.offset >= field + 4)
    };
    let lead = |(at, distance): (usize, i32)| {
        let field = atom.start + at as u64;
        let target = (field + 4).checked_add_signed(distance.into()).filter(|_| distance.unsigned_abs() < NEARBY)?;
        let (other, inside) = atoms.at(atom.section, target.cast_signed())?;
        let is_function = other != index && inside == 0 && atoms.list[other].function;
        (is_function && is_free(field)).then_some(Reference {
            offset: at as u64,
            kind: operands::ASSEMBLED,
            target: Target::Atom(other),
            distance: 0,
        })
    };
    operands::calls(code).filter_map(lead).collect()
}

fn target(image: &Image, atoms: &Atoms, relocation: &Relocation, distance: i64) -> (Target, i64) {
    let distance = relocation.addend.wrapping_add(distance);
    let Some(symbol) = image.symbols.get(relocation.symbol).filter(|_| relocation.symbol != 0) else {
        return (Target::Nothing, distance);
    };
    let named = || Target::Name(naming::normal(symbol.name, true).unwrap_or_default());
    let Some((section, start)) = symbol.place.filter(|_| !naming::is_linkers(symbol.name)) else {
        return (named(), distance);
    };
    let start = start.cast_signed();
    // What a symbol stands for is known; a place in a section is looked up as a whole.
    let found = if symbol.section {
        atoms.at(section, start.wrapping_add(distance))
    } else {
        atoms.at(section, start).map(|(atom, inside)| (atom, inside.wrapping_add(distance)))
    };
    match (found, image.sections.get(section)) {
        (Some((atom, inside)), _) => (Target::Atom(atom), inside),
        (None, Some(section)) => (Target::Name(String::from_utf8_lossy(section.name).into_owned()), 0),
        (None, None) => (named(), distance),
    }
}
