//! The numbers that stand for types, which change with the features and version of a type's crate.
//!
//! A program that asks a value for its type (`dyn Any`, errors) compares such numbers: 16 bytes of a hash over the type's
//! path and its crate's disambiguator. They are learned from the functions that answer with one, `type_id`, and become
//! zeros wherever their halves stand, in constants and instructions. Which type is asked for is then not compared.

use std::collections::HashSet;

use super::atoms::slice;
use super::image::{Class, Image};
use super::references::{Graph, Target};

/// The halves of every number that the program can be asked for.
#[derive(Debug)]
pub(super) struct TypeIds {
    halves: HashSet<[u8; 8]>,
    /// Whether any half starts with these two bytes: most places need no other look.
    starts: Vec<bool>,
}

impl TypeIds {
    /// Learns them from a program.
    pub(super) fn of(image: &Image, graph: &Graph) -> Self {
        let mut halves = HashSet::new();
        for (index, atom) in graph.atoms.list.iter().enumerate() {
            if !atom.function || !atom.names.iter().any(|(_, name)| asks(name)) {
                continue;
            }
            let code = slice(&image.sections[atom.section], atom.start, atom.end).unwrap_or_default();
            halves.extend(immediates(code));
            for reference in &graph.references[index] {
                let Target::Atom(target) = reference.target else { continue };
                halves.extend(constant(image, graph, target));
            }
        }
        // Small numbers are no hashes.
        halves.retain(|half| half[4..] != [0; 4] && half[4..] != [0xff; 4]);
        let mut starts = vec![false; 1 << 16];
        for half in &halves {
            starts[usize::from(u16::from_le_bytes([half[0], half[1]]))] = true;
        }
        Self { halves, starts }
    }

    /// Makes them zeros.
    pub(super) fn forget(&self, bytes: &mut [u8]) {
        let mut at = 0;
        while let Some(&[one, two]) = bytes.get(at..at + 2).and_then(|pair| pair.first_chunk()) {
            if self.starts[usize::from(u16::from_le_bytes([one, two]))]
                && let Some(half) = bytes.get_mut(at..at + 8).filter(|half| self.halves.contains(&half[..]))
            {
                half.fill(0);
                at += 7;
            }
            at += 1;
        }
    }
}

/// Whether a function gives such a number, or compares with one; without optimisation these are there.
fn asks(name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name);
    let of_any = name.starts_with("<dyn core::any::Any") || name.starts_with("<dyn core::error::Error");
    last == "type_id" || name == "core::any::TypeId::of" || of_any && (last == "is" || last.starts_with("downcast"))
}

/// Operands of 8 bytes: `movabs` into any register.
fn immediates(code: &[u8]) -> impl Iterator<Item = [u8; 8]> {
    let loads = |window: &&[u8]| matches!(window, [0x48 | 0x49, 0xb8..=0xbf, ..]);
    code.windows(10).filter(loads).filter_map(|window| window[2..].first_chunk().copied())
}

/// The halves of a constant of 16 bytes without a name.
fn constant(image: &Image, graph: &Graph, index: usize) -> Vec<[u8; 8]> {
    let atom = &graph.atoms.list[index];
    let section = &image.sections[atom.section];
    if section.class != Class::Data || !atom.names.is_empty() || !graph.references[index].is_empty() {
        return Vec::new();
    }
    let bytes = slice(section, atom.start, atom.start.saturating_add(16)).filter(|_| atom.end - atom.start <= 16);
    bytes.map(|bytes| bytes.as_chunks().0.to_vec()).unwrap_or_default()
}
