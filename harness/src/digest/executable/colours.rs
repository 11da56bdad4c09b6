//! A digest of each atom, from its content, its names, and what it refers to.
//!
//! What has a name is referred to by it. What has none is referred to by its content, and by that of what it refers to in
//! turn: colours are refined over the graph of references, a few rounds, so that cycles end.

use sha2::{Digest as _, Sha256};

use super::super::names::Roots;
use super::atoms::{Atom, slice};
use super::image::{Class, Image};
use super::operands;
use super::references::{Graph, Reference, Target};
use super::type_ids::TypeIds;

/// How deep data without names are followed. Deeper ones still count by themselves: only which of them is meant does not.
const ROUNDS: usize = 4;

/// Half of a SHA-256.
pub(super) type Colour = [u8; 16];

/// Hashes fields with their lengths.
pub(super) struct Mixer(Sha256);

impl Mixer {
    pub(super) fn of(kind: u8) -> Self {
        Self(Sha256::new_with_prefix([kind]))
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(number.to_le_bytes());
        self
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
        self
    }

    pub(super) fn colour(&mut self, colour: &Colour) -> &mut Self {
        self.0.update(colour);
        self
    }

    /// The whole of it.
    pub(super) fn finish_whole(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    pub(super) fn finish(self) -> Colour {
        let mut colour = Colour::default();
        colour.copy_from_slice(&self.0.finalize()[..16]);
        colour
    }
}

/// The colours of a graph's atoms, in their order.
#[derive(Debug)]
pub(super) struct Colours {
    /// What an atom is by itself: what has a name counts by it where it is referred to.
    pub(super) own: Vec<Colour>,
    /// The same, and which of several of one name is referred to.
    pub(super) exact: Vec<Colour>,
}

/// Colours the atoms.
pub(super) fn of(image: &Image, graph: &Graph, roots: &Roots) -> Colours {
    let list = &graph.atoms.list;
    let type_ids = TypeIds::of(image, graph);
    let content: Vec<Colour> = (0..list.len()).map(|index| content(image, graph, index, roots, &type_ids)).collect();
    let names: Vec<Option<Colour>> = list.iter().map(name).collect();
    let refers: Vec<usize> = (0..list.len()).filter(|&index| !graph.references[index].is_empty()).collect();
    let mut own = content.clone();
    for _ in 0..ROUNDS {
        let before = own.clone();
        for &index in refers.iter().filter(|&&index| names[index].is_none()) {
            own[index] = refined(&content[index], &graph.references[index], |atom| names[atom].unwrap_or(before[atom]));
        }
    }
    let before = own.clone();
    for &index in refers.iter().filter(|&&index| names[index].is_some()) {
        own[index] = refined(&content[index], &graph.references[index], |atom| names[atom].unwrap_or(before[atom]));
    }
    let mut exact = own.clone();
    for &index in &refers {
        exact[index] = refined(&own[index], &graph.references[index], |atom| own[atom]);
    }
    Colours { own, exact }
}

fn name(atom: &Atom) -> Option<Colour> {
    (!atom.names.is_empty()).then(|| {
        let mut mixer = Mixer::of(b'n');
        mix_names(atom, &mut mixer);
        mixer.finish()
    })
}

fn mix_names(atom: &Atom, mixer: &mut Mixer) {
    for (place, name) in &atom.names {
        mixer.number(*place).bytes(name.as_bytes());
    }
}

fn refined(content: &Colour, references: &[Reference], colour: impl Fn(usize) -> Colour) -> Colour {
    let mut mixer = Mixer::of(b'r');
    mixer.colour(content);
    for reference in references {
        mixer.number(reference.offset).number(u64::from(reference.kind)).number(reference.distance.cast_unsigned());
        match &reference.target {
            Target::Atom(atom) => mixer.number(1).colour(&colour(*atom)),
            Target::Name(name) => mixer.number(2).bytes(name.as_bytes()),
            Target::Nothing => mixer.number(3),
        };
    }
    mixer.finish()
}

/// Names and bytes, with what the linker filled made zeros.
fn content(image: &Image, graph: &Graph, index: usize, roots: &Roots, type_ids: &TypeIds) -> Colour {
    let atom = &graph.atoms.list[index];
    let section = &image.sections[atom.section];
    let mut mixer = Mixer::of(b'c');
    mixer.number(u64::from(section.class == Class::Code));
    mix_names(atom, &mut mixer);
    let Some(data) = slice(section, atom.start, atom.end) else {
        // Not in the file: zeros, of which only a symbol says how many.
        mixer.number(if atom.sized { atom.end - atom.start } else { 0 });
        return mixer.finish();
    };
    let mut bytes = data.to_vec();
    for reference in &graph.references[index] {
        let field = usize::try_from(reference.offset).unwrap_or(usize::MAX);
        let past = field.saturating_add(operands::width(reference.kind)).min(bytes.len());
        if let Some(field) = bytes.get_mut(field..past) {
            field.fill(0);
        }
        if section.class == Class::Data && reference.kind == operands::ABSOLUTE {
            forget_length(image, graph, reference, past, &mut bytes, roots);
        }
    }
    type_ids.forget(&mut bytes);
    if section.class == Class::Code {
        mixer.bytes(&bytes)
    } else {
        mixer.bytes(&roots.neutral(&bytes))
    };
    mixer.finish()
}

/// A string is a pointer and a length; where it starts with a folder's path, its length is that of the folder.
fn forget_length(image: &Image, graph: &Graph, reference: &Reference, at: usize, bytes: &mut [u8], roots: &Roots) {
    let Target::Atom(target) = reference.target else { return };
    let target = &graph.atoms.list[target];
    let Some(field) = bytes.get_mut(at..at + 8) else { return };
    let length = u64::from_le_bytes(field.try_into().unwrap_or_default());
    let start = target.start.saturating_add_signed(reference.distance);
    if length == 0 || length > target.end.saturating_sub(start) {
        return;
    }
    let text = slice(&image.sections[target.section], start, start + length);
    if text.is_some_and(|text| roots.are_in(text)) {
        field.fill(0xff);
    }
}
