//! The CPU's part of one object: every section that is loaded, and what it refers to.
//!
//! Taken: content and order of the allocated sections, among them `.eh_frame` and `.init_array`; of `.bss` and its like the
//! size; of code the alignment; references as the name of a global symbol, or as section and place of a local one; which global names the object
//! defines where. Not taken: names of local symbols and of the source file, `.comment`, debug information, GPU code, the
//! stamp, and the name of nvcc's module (`__nv_module_id`), which is a hash of the source's path.
//!
//! The order of functions counts: where code lies can be what an experiment measures.

use std::collections::{BTreeMap, HashMap};

use super::NamedDigest;
use super::elf::{Elf, Kind, Relocation, Section, Symbol};
use super::fatbin;
use super::hash::Fields;
use super::layout::{self, Layout};
use super::names::{self, Roots};
use super::strings;

/// The section that holds the stamp, in archive and executable.
pub const STAMP_SECTION: &str = ".ablate.stamp";

/// What one object comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Host {
    pub(super) digest: String,
    /// In file order, then the strings of all sections together, then the global names.
    pub(super) sections: Vec<NamedDigest>,
    /// Functions and data objects by name.
    pub(super) symbols: BTreeMap<String, String>,
}

/// Digests the object's host part.
pub(super) fn digest(elf: &Elf, roots: &Roots) -> Host {
    let object = Object::new(elf, roots);
    let mut hash = Fields::of("host");
    let mut sections = Vec::new();
    for section in object.taken().filter(|section| section.strings.is_none() && section.size > 0) {
        let digest = object.section(section);
        hash.bytes(section_name(section).as_bytes()).text(&digest);
        sections.push(NamedDigest { name: section_name(section), digest });
    }
    if let Some(digest) = object.strings() {
        hash.text("strings").text(&digest);
        sections.push(NamedDigest { name: "strings".to_owned(), digest });
    }
    if let Some(digest) = object.definitions() {
        hash.text("global names").text(&digest);
        sections.push(NamedDigest { name: "global names".to_owned(), digest });
    }
    Host { digest: hash.finish(), sections, symbols: object.symbols() }
}

/// Whether the section is the CPU's, is loaded, and says something about the code.
fn is_taken(section: &Section) -> bool {
    section.allocated
        && !fatbin::SECTIONS.iter().any(|name| name.as_bytes() == section.name)
        && section.name != STAMP_SECTION.as_bytes()
        && section.name != b"__nv_module_id"
        && section.name != b".note.gnu.build-id"
}

fn section_name(section: &Section) -> String {
    names::symbol(section.name)
}

struct Object<'a> {
    elf: &'a Elf<'a>,
    roots: &'a Roots,
    /// Of each section that is taken, by its number: its place among those without strings, and its layout.
    known: HashMap<usize, (&'a Section<'a>, usize, Layout)>,
}

impl<'a> Object<'a> {
    fn new(elf: &'a Elf<'a>, roots: &'a Roots) -> Self {
        let mut ordinal = 0;
        let mut known = HashMap::new();
        for section in elf.sections.iter().filter(|section| is_taken(section)) {
            known.insert(section.index, (section, ordinal, Layout::of(elf, section, roots)));
            ordinal += usize::from(section.strings.is_none());
        }
        Self { elf, roots, known }
    }

    fn taken(&self) -> impl Iterator<Item = &'a Section<'a>> {
        self.elf.sections.iter().filter(|section| self.known.contains_key(&section.index))
    }

    fn section(&self, section: &Section) -> String {
        let mut hash = Fields::of("section");
        hash.number(section.size * u64::from(section.data.is_empty()));
        // That of data follows from the lengths of what is in it, paths among them.
        hash.number(section.alignment * u64::from(section.executable));
        let (_, _, layout) = &self.known[&section.index];
        layout.content(section, self.roots, &mut hash);
        for relocation in &section.relocations {
            layout.place(relocation.offset.cast_signed(), &mut hash);
            self.reference(relocation, &mut hash);
        }
        hash.finish()
    }

    /// All strings of the object; `None` where there are none.
    fn strings(&self) -> Option<String> {
        let mut all: Vec<Vec<u8>> = self
            .taken()
            .filter_map(|section| Some(strings::all(section, section.strings?, self.roots)))
            .flatten()
            .collect();
        all.sort();
        let mut hash = Fields::of("strings");
        for string in &all {
            hash.bytes(string);
        }
        (!all.is_empty()).then(|| hash.finish())
    }

    /// Hashes what a relocation refers to.
    fn reference(&self, relocation: &Relocation, hash: &mut Fields) {
        hash.number(u64::from(relocation.kind));
        let Some(symbol) = relocation.symbol.and_then(|number| self.elf.symbol(number)) else {
            hash.text("nothing").signed(relocation.addend);
            return;
        };
        match symbol.section.filter(|_| !symbol.global) {
            Some(section) => self.local(symbol, section, relocation, hash),
            None => {
                hash.text("name").text(&names::symbol(symbol.name)).signed(relocation.addend);
            }
        }
    }

    fn local(&self, symbol: &Symbol, section: usize, relocation: &Relocation, hash: &mut Fields) {
        let addend = relocation.addend;
        let Some((section, ordinal, layout)) = self.known.get(&section) else {
            // GPU code: how much of it lies before the place is no concern of the CPU's.
            let name = self.elf.sections.iter().find(|other| other.index == section).map(section_name);
            hash.text("elsewhere").text(&name.unwrap_or_default());
            return;
        };
        if let Some(width) = section.strings {
            // The symbol of a section says nothing of the string, the addend does.
            let (offset, rest) = match symbol.kind {
                Kind::Section => (addend.cast_unsigned(), 0),
                _ => (symbol.value, addend),
            };
            if strings::reference(section, width, offset, self.roots, hash) {
                hash.signed(rest);
                return;
            }
        }
        hash.text("place").number(*ordinal as u64);
        let offset = symbol.value.cast_signed().wrapping_add(addend);
        if self.elf.is_relative(relocation) { layout.relative_place(offset, hash) } else { layout.place(offset, hash) }
    }

    /// Which global names are defined, where, and how they bind; `None` where there are none.
    fn definitions(&self) -> Option<String> {
        let mut hash = Fields::of("definitions");
        let mut defined: Vec<(String, &Symbol)> = self
            .elf
            .symbols
            .values()
            .filter(|symbol| symbol.global && (symbol.section.is_some() || symbol.common))
            .map(|symbol| (names::symbol(symbol.name), symbol))
            .collect();
        defined.sort_by(|(one, _), (other, _)| one.cmp(other));
        let any = !defined.is_empty();
        for (name, symbol) in defined {
            hash.text(&name).number(u64::from(symbol.weak));
            if symbol.common {
                hash.text("common").number(symbol.size).number(symbol.value);
            }
            if let Some((_, ordinal, layout)) = symbol.section.and_then(|section| self.known.get(&section)) {
                hash.number(*ordinal as u64);
                layout.place(symbol.value.cast_signed(), &mut hash);
            }
        }
        any.then(|| hash.finish())
    }

    /// Digests of functions and data objects: their bytes, and the references in them.
    fn symbols(&self) -> BTreeMap<String, String> {
        let mut found: Vec<(String, String)> = self
            .elf
            .symbols
            .values()
            .filter(|symbol| matches!(symbol.kind, Kind::Function | Kind::Data) && symbol.size > 0)
            .filter_map(|symbol| Some((names::symbol(symbol.name), self.symbol(symbol)?)))
            .collect();
        found.sort();
        let mut symbols: BTreeMap<String, String> = BTreeMap::new();
        for (name, digest) in found {
            // Local symbols may share a name: they are then told apart as a group.
            let group = symbols.entry(name).or_default();
            group.push_str(&digest);
        }
        symbols
    }

    fn symbol(&self, symbol: &Symbol) -> Option<String> {
        let (section, _, _) = self.known.get(&symbol.section?)?;
        let mut hash = Fields::of("symbol");
        let Some((start, end)) = layout::range(section, symbol.value, symbol.size) else {
            hash.number(symbol.size);
            return Some(hash.finish());
        };
        layout::object(
            &section.data[start..end],
            if section.executable { Roots::none() } else { self.roots },
            &mut hash,
        );
        let inside = start as u64..end as u64;
        for relocation in section.relocations.iter().filter(|relocation| inside.contains(&relocation.offset)) {
            hash.number(relocation.offset - inside.start);
            self.reference(relocation, &mut hash);
        }
        Some(hash.finish())
    }
}
