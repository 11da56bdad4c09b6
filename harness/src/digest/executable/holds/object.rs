//! One object file against the executable that was linked from it.

use super::super::super::elf::{Elf, Kind, Relocation, Section, Symbol};
use super::super::operands;
use super::{Linked, Seen};

/// Compares pieces of one object, each once.
pub(super) struct Comparison<'a, 'b> {
    elf: &'a Elf<'a>,
    linked: &'b Linked<'b>,
    seen: Seen,
}

/// A piece of the object, and where it should be in the executable.
#[derive(Clone, Copy)]
struct Piece {
    /// Index in the object's list of sections.
    section: usize,
    start: u64,
    end: u64,
    /// Section and offset in the executable.
    place: (usize, u64),
}

impl<'a, 'b> Comparison<'a, 'b> {
    pub(super) fn new(elf: &'a Elf<'a>, linked: &'b Linked<'b>) -> Self {
        Self { elf, linked, seen: Seen::new() }
    }

    /// Whether the function or object stands at that place, with everything of this file that it refers to. The error is
    /// a phrase.
    pub(super) fn symbol(&mut self, symbol: &Symbol, place: (usize, u64)) -> Result<(), String> {
        let Some(section) = symbol.section.and_then(|number| self.section(number)) else { return Ok(()) };
        let end = symbol.value.saturating_add(symbol.size);
        let mut pieces = vec![Piece { section, start: symbol.value, end, place }];
        let seen = self.seen.clone();
        let mut first = true;
        while let Some(piece) = pieces.pop() {
            let compared = self.piece(piece, &mut pieces);
            if let Err(how) = compared {
                self.seen = seen;
                let section = String::from_utf8_lossy(self.elf.sections[piece.section].name).into_owned();
                return Err(if first { how } else { format!("refers to {section}, which {how}") });
            }
            first = false;
        }
        Ok(())
    }

    /// The place of a section in the list, by its number in the file.
    fn section(&self, number: usize) -> Option<usize> {
        self.elf.sections.iter().position(|section| section.index == number)
    }

    fn piece(&mut self, piece: Piece, pieces: &mut Vec<Piece>) -> Result<(), String> {
        let section = &self.elf.sections[piece.section];
        let (Ok(start), Ok(end)) = (usize::try_from(piece.start), usize::try_from(piece.end)) else { return Ok(()) };
        // Nothing to compare where the file holds no bytes.
        let Some(wanted) = section.data.get(start..end) else { return Ok(()) };
        let other = || "has another content in the executable".to_owned();
        let found = self.linked.bytes(piece.place, wanted.len()).ok_or_else(other)?;
        let inside = |relocation: &&Relocation| (piece.start..piece.end).contains(&relocation.offset);
        let relocations: Vec<&Relocation> = section.relocations.iter().filter(inside).collect();
        if masked(wanted, &relocations, start) != masked(found, &relocations, start) {
            return Err(other());
        }
        for relocation in relocations {
            self.reference(section, relocation, piece, found, pieces)?;
        }
        Ok(())
    }

    /// Follows a reference that counts from its own place, or that is an address in the file; others lead through tables.
    fn reference(
        &mut self,
        section: &Section,
        relocation: &Relocation,
        piece: Piece,
        found: &[u8],
        pieces: &mut Vec<Piece>,
    ) -> Result<(), String> {
        // PC32 and PLT32, in code alone: in data they are distances from elsewhere.
        if !section.executable || ![2, 4].contains(&relocation.kind) || follows_thread_local(section, relocation) {
            return Ok(());
        }
        let Some(symbol) = relocation.symbol.and_then(|number| self.elf.symbol(number)) else { return Ok(()) };
        let inside = relocation.offset - piece.start;
        let Some(field) = usize::try_from(inside).ok().and_then(|at| found.get(at..at + 4)) else { return Ok(()) };
        let filled = i64::from(i32::from_le_bytes(field.try_into().unwrap_or_default()));
        let field = self.linked.address(piece.place).wrapping_add(inside);
        // The address of what the symbol stands for, were the addend nothing.
        let leads = field.wrapping_add_signed(filled).wrapping_sub(relocation.addend.cast_unsigned());
        if symbol.global {
            return match self.linked.leads_to(symbol.name, leads) {
                true => Ok(()),
                false if symbol.weak => Ok(()),
                false => Err(format!("leads elsewhere than to {}", String::from_utf8_lossy(symbol.name))),
            };
        }
        let code = usize::try_from(relocation.offset).unwrap_or(0);
        let distance = relocation.addend.wrapping_add(operands::to_end(section.data, code));
        self.local(symbol, distance, leads, pieces)
    }

    /// What a reference to a section of this file leads to must be that section's content.
    fn local(&mut self, symbol: &Symbol, distance: i64, leads: u64, pieces: &mut Vec<Piece>) -> Result<(), String> {
        let Some(index) = symbol.section.and_then(|number| self.section(number)) else { return Ok(()) };
        let section = &self.elf.sections[index];
        let (start, end, address) = if let Some(size) = merged(section) {
            // The linker moves these one by one: compare the one that is meant.
            let at = symbol.value.wrapping_add_signed(if symbol.kind == Kind::Section { distance } else { 0 });
            let Some(end) = size.end(section.data, at) else { return Ok(()) };
            let shift = if symbol.kind == Kind::Section { distance } else { 0 };
            (at, end, leads.wrapping_add_signed(shift))
        } else {
            (0, section.size, leads.wrapping_sub(symbol.value))
        };
        if section.data.is_empty() || !self.seen.insert((index, start, address)) {
            return Ok(());
        }
        let Some(place) = self.linked.place(address) else {
            return Err(format!("leads out of the executable, not to {}", String::from_utf8_lossy(section.name)));
        };
        pieces.push(Piece { section: index, start, end, place });
        Ok(())
    }
}

/// How a section is divided whose pieces the linker merges with others.
enum Merged {
    Strings(usize),
    Constants(u64),
}

fn merged(section: &Section) -> Option<Merged> {
    if let Some(width) = section.strings {
        return Some(Merged::Strings(width));
    }
    let size = section.name.strip_prefix(b".rodata.cst")?;
    let size = std::str::from_utf8(size).ok()?.parse().ok().filter(|&size| size > 0)?;
    Some(Merged::Constants(size))
}

impl Merged {
    /// The end of the piece that starts at `at`.
    fn end(&self, data: &[u8], at: u64) -> Option<u64> {
        match self {
            Self::Constants(size) => (at - at % size).checked_add(*size).filter(|&end| end <= data.len() as u64),
            Self::Strings(width) => {
                let rest = data.get(usize::try_from(at).ok()?..)?;
                let end = rest.chunks_exact(*width).position(|character| character.iter().all(|&byte| byte == 0))?;
                Some(at + ((end + 1) * width) as u64)
            }
        }
    }
}

/// The call behind an address of something thread-local, which the linker replaces together with it.
fn follows_thread_local(section: &Section, relocation: &Relocation) -> bool {
    let before = section.relocations.iter().filter(|other| matches!(other.kind, 19 | 20));
    before.into_iter().any(|other| (5..=12).contains(&relocation.offset.wrapping_sub(other.offset)))
}

/// The bytes without what the linker fills or rewrites. `start` is where they begin in the section.
fn masked(bytes: &[u8], relocations: &[&Relocation], start: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for relocation in relocations {
        let Some(field) = usize::try_from(relocation.offset).ok().and_then(|at| at.checked_sub(start)) else {
            continue;
        };
        // Before and behind the field: instructions that the linker turns into shorter ways to the same place.
        let (before, behind) = match relocation.kind {
            19 => (4, 12),
            20 => (3, 10),
            22 | 34 | 41..=52 => (4, 4),
            kind => (0, operands::width(kind)),
        };
        let range = field.saturating_sub(before)..field.saturating_add(behind).min(bytes.len());
        if let Some(range) = bytes.get_mut(range) {
            range.fill(0);
        }
    }
    bytes
}
