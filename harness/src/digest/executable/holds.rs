//! Whether an executable holds the code of an archive, and not another of the same names.
//!
//! Every global function and object of the archive that the executable has by name is compared: bytes without what the
//! linker fills, then where each reference leads. A global name must lead to what bears it in the executable; a reference
//! to the object file's own sections (local functions, tables, strings) to a place with their very content, and so on from
//! there. The linker drops what nothing refers to, which is fine; that all of an archive was dropped is not.
//!
//! Weak functions are no evidence: any object may bring them. It takes symbols, no relocations in the executable.

mod object;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use ::object::read::archive::ArchiveFile;

use super::super::elf::{Elf, Kind, Symbol};
use super::super::names::{self, Roots};
use super::super::{DigestError, STAMP_SECTION, device};
use super::image::Image;

use self::object::Comparison;

/// What an executable holds of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Global functions and objects of the archive that are in the executable, as they are in the archive.
    pub found: usize,
    /// Those that the archive has.
    pub all: usize,
    /// Everything that is not the archive's.
    pub foreign: Vec<Foreign>,
}

/// A part of an archive that the executable does not have as the archive has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The archive's member.
    pub member: String,
    /// The function or object, or the architecture of GPU code.
    pub part: String,
    /// How it differs, a phrase.
    pub how: String,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {} {}", self.part, self.member, self.how)
    }
}

/// Looks an archive's code up in an executable.
pub fn holds(executable: &[u8], archive: &[u8]) -> Result<Held, DigestError> {
    let image = Image::read(executable)?;
    let linked = Linked::of(&image);
    let damaged = |error: ::object::Error| DigestError::NotAnArchive(error.to_string());
    let file = ArchiveFile::parse(archive).map_err(damaged)?;
    let mut held = Held::default();
    let mut images = super::gpu(&image, &Roots::default()).0;
    for member in file.members() {
        let member = member.map_err(damaged)?;
        // What is no object has nothing that could be looked up.
        let Ok(elf) = Elf::parse(member.data(archive).map_err(damaged)?) else { continue };
        let name = names::member(member.name());
        let before = held.found + held.foreign.len();
        linked.compare(&elf, &name, &mut held);
        let is_linked = held.found + held.foreign.len() > before;
        for wanted in device::digest(&elf, &Roots::default()).0 {
            let same = images.iter().position(|image| (&image.arch, &image.digest) == (&wanted.arch, &wanted.digest));
            match same {
                Some(at) => drop(images.swap_remove(at)),
                None if is_linked => held.foreign.push(Foreign {
                    member: name.clone(),
                    part: format!("the GPU code for {}", wanted.arch),
                    how: "is not in the executable".to_owned(),
                }),
                None => {}
            }
        }
    }
    Ok(held)
}

/// An executable by names.
#[derive(Debug)]
struct Linked<'a> {
    image: &'a Image<'a>,
    /// Section and offset of everything that bears a name.
    places: HashMap<&'a [u8], Vec<(usize, u64)>>,
}

impl<'a> Linked<'a> {
    fn of(image: &'a Image<'a>) -> Self {
        let mut places: HashMap<&[u8], Vec<(usize, u64)>> = HashMap::new();
        for symbol in image.symbols.iter().filter(|symbol| symbol.names_something) {
            if let Some(place) = symbol.place {
                places.entry(symbol.name).or_default().push(place);
            }
        }
        Self { image, places }
    }

    /// Looks up everything global that an object defines.
    fn compare(&self, elf: &Elf, member: &str, held: &mut Held) {
        let is_wanted = |symbol: &&Symbol| {
            symbol.global
                && !symbol.weak
                && symbol.section.is_some()
                && matches!(symbol.kind, Kind::Function | Kind::Data)
        };
        let stamp = elf.sections.iter().find(|section| section.name == STAMP_SECTION.as_bytes());
        let stamp = stamp.map(|section| section.index);
        let counts = |symbol: &&Symbol| symbol.size > 0 && (stamp.is_none() || symbol.section != stamp);
        let wanted = elf.symbols.values().filter(is_wanted).filter(counts);
        let by_name: BTreeMap<&[u8], &Symbol> = wanted.map(|symbol| (symbol.name, symbol)).collect();
        let mut comparison = Comparison::new(elf, self);
        for (name, symbol) in by_name {
            held.all += 1;
            let Some(places) = self.places.get(name) else { continue };
            let mut problem = None;
            let same = places.iter().any(|&place| match comparison.symbol(symbol, place) {
                Ok(()) => true,
                Err(how) => {
                    problem = Some(how);
                    false
                }
            });
            match problem.filter(|_| !same) {
                None => held.found += 1,
                Some(how) => held.foreign.push(Foreign { member: member.to_owned(), part: names::symbol(name), how }),
            }
        }
    }

    /// Bytes at a place, if the file has them.
    fn bytes(&self, (section, offset): (usize, u64), length: usize) -> Option<&'a [u8]> {
        let section = self.image.sections.get(section)?;
        let start = usize::try_from(offset).ok()?;
        section.data.get(start..start.checked_add(length)?)
    }

    /// The section that an address is in. Sections of other kinds than code and data count too: references lead there.
    fn place(&self, address: u64) -> Option<(usize, u64)> {
        let inside = |section: &super::image::Section| {
            section.address != 0 && (section.address..section.address.saturating_add(section.size)).contains(&address)
        };
        let index =
            self.image.sections.iter().position(|section| inside(section) && !section.name.starts_with(b".tbss"))?;
        Some((index, address - self.image.sections[index].address))
    }

    fn address(&self, (section, offset): (usize, u64)) -> u64 {
        self.image.sections.get(section).map_or(0, |section| section.address.wrapping_add(offset))
    }

    /// Whether the name leads to that address; `true` where it cannot be told.
    fn leads_to(&self, name: &[u8], address: u64) -> bool {
        // Imports go through the tables of the dynamic linker.
        self.places.get(name).is_none_or(|places| places.iter().any(|&place| self.address(place) == address))
    }
}

/// Pieces that were compared: section of the object and place in it, and address in the executable.
type Seen = HashSet<(usize, u64, u64)>;
