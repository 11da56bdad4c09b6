//! The GPU's part of one object: what the fat binary in it holds, per architecture.
//!
//! Machine code is taken function by function: its instructions, what it refers to, its constant bank, its shared memory,
//! and what the driver is told of it (registers, stack, limits of a launch). Data that belongs to no function comes apart
//! into named objects, whose order does not count: ptxas sorts them by size, so a longer path would move others. PTX is
//! taken as text without comments and without the lines that name source files. Debug information is not taken.
//!
//! Blackwell's machine code (`sm_100` and later) carries a second form of itself in sections that are not loaded
//! (`.nv.capmerc`, `.nv.merc`); it is made from the same code and is not taken.

use std::collections::BTreeMap;

use super::attributes;
use super::elf::{Elf, Kind, Relocation, Section};
use super::fatbin::{self, Entry, EntryKind};
use super::hash::Fields;
use super::layout;
use super::names::{self, Roots};
use super::{ImageDigest, NamedDigest};

/// Where the digest of what belongs to no function is put.
const DATA: &str = "data";

/// The images of an object in order, and notes on what could not be looked into.
pub(super) fn digest(elf: &Elf, roots: &Roots) -> (Vec<ImageDigest>, Vec<String>) {
    let mut images = Vec::new();
    let mut notes = Vec::new();
    for section in &elf.sections {
        let name = String::from_utf8_lossy(section.name);
        if !fatbin::SECTIONS.contains(&name.as_ref()) {
            continue;
        }
        match fatbin::entries(section.data) {
            Ok(entries) => images.extend(entries.iter().map(|entry| image(entry, roots, &mut notes))),
            Err(problem) => {
                notes.push(format!("{name} cannot be read, so it is compared byte for byte: {problem}"));
                images.push(opaque("unknown", section.data));
            }
        }
    }
    (images, notes)
}

fn image(entry: &Entry, roots: &Roots, notes: &mut Vec<String>) -> ImageDigest {
    if entry.compressed {
        notes.push(format!("code for {} is compressed in an unknown way, so it is compared as it is", entry.arch));
        return opaque(&entry.arch, &entry.payload);
    }
    match entry.kind {
        EntryKind::Opaque => {
            notes.push(format!("code for {} is of an unknown kind, so it is compared byte for byte", entry.arch));
            opaque(&entry.arch, &entry.payload)
        }
        EntryKind::Ptx => ptx(&entry.arch, &entry.payload, roots),
        EntryKind::MachineCode => match Elf::parse(&entry.payload) {
            Ok(elf) => machine_code(&entry.arch, &elf, roots),
            Err(problem) => {
                notes.push(format!("code for {} cannot be read, so it is compared as it is: {problem}", entry.arch));
                opaque(&entry.arch, &entry.payload)
            }
        },
    }
}

fn opaque(arch: &str, payload: &[u8]) -> ImageDigest {
    let mut hash = Fields::of("opaque");
    hash.bytes(payload);
    ImageDigest { arch: arch.to_owned(), digest: hash.finish(), kernels: Vec::new() }
}

fn ptx(arch: &str, payload: &[u8], roots: &Roots) -> ImageDigest {
    let mut hash = Fields::of("ptx");
    let says_something = |line: &&[u8]| {
        let line = line.trim_ascii();
        !(line.is_empty() || [&b"//"[..], b".file", b".loc"].iter().any(|start| line.starts_with(start)))
    };
    let text = payload.iter().rposition(|&byte| byte != 0).map_or(&[][..], |last| &payload[..=last]);
    for line in text.split(|&byte| byte == b'\n').filter(says_something) {
        hash.bytes(&roots.neutral(line));
    }
    ImageDigest { arch: arch.to_owned(), digest: hash.finish(), kernels: Vec::new() }
}

fn machine_code(arch: &str, elf: &Elf, roots: &Roots) -> ImageDigest {
    let mut parts = Parts::of(elf);
    for section in &elf.sections {
        let name = names::symbol(section.name);
        if name == ".nv.info" {
            parts.shared_attributes(section);
        } else if name.starts_with(".nv.info.") {
            parts.own_attributes(&name, section);
        } else if section.allocated && section.size > 0 {
            match parts.owner(&name) {
                Some(function) => parts.content(&function, &name, section),
                None => parts.data(&name, section, roots),
            }
        }
    }
    parts.finish(arch)
}

/// The functions of an image and its data, each being hashed.
struct Parts<'a> {
    elf: &'a Elf<'a>,
    hashes: BTreeMap<String, Fields>,
}

impl<'a> Parts<'a> {
    fn of(elf: &'a Elf<'a>) -> Self {
        let functions = elf.sections.iter().filter_map(|section| {
            Some(names::symbol(section.name).strip_prefix(".text.")?.to_owned()).filter(|_| section.executable)
        });
        let hashes = functions.map(|name| (name, Fields::of("kernel")));
        Self { elf, hashes: hashes.chain([(DATA.to_owned(), Fields::of("data"))]).collect() }
    }

    /// The function that a section belongs to by its name, such as `.nv.constant0.<function>`.
    fn owner(&self, section: &str) -> Option<String> {
        let after = |prefix: &str| section.strip_prefix(prefix);
        let numbered = after(".nv.constant").and_then(|rest| Some(rest.split_once('.')?.1));
        let name = [".text.", ".nv.info.", ".nv.shared.", ".nv.local."].into_iter().find_map(after).or(numbered)?;
        (name != DATA && self.hashes.contains_key(name)).then(|| name.to_owned())
    }

    fn hash(&mut self, part: &str) -> &mut Fields {
        self.hashes.entry(part.to_owned()).or_insert_with(|| Fields::of("kernel"))
    }

    fn content(&mut self, function: &str, name: &str, section: &Section) {
        let elf = self.elf;
        let hash = self.hash(function);
        hash.text(name).number(section.size).bytes(section.data);
        section.relocations.iter().for_each(|relocation| reference(elf, relocation, 0, hash));
    }

    /// Splits a section at its named objects, which are hashed in the order of their names.
    fn data(&mut self, name: &str, section: &Section, roots: &Roots) {
        let elf = self.elf;
        let mut objects: Vec<(String, u64, u64)> = elf
            .symbols
            .values()
            .filter(|symbol| symbol.section == Some(section.index) && symbol.kind != Kind::Section && symbol.size > 0)
            .map(|symbol| (names::symbol(symbol.name), symbol.value, symbol.size))
            .collect();
        objects.sort();
        let hash = self.hash(DATA);
        hash.text(name);
        if objects.is_empty() {
            hash.number(section.size).bytes(section.data);
        }
        let named = |offset: u64| {
            objects.iter().any(|(_, value, size)| (*value..value.saturating_add(*size)).contains(&offset))
        };
        let unnamed = (0u64..).zip(section.data).filter(|&(at, &byte)| byte != 0 && !named(at));
        hash.bytes(&unnamed.map(|(_, &byte)| byte).collect::<Vec<u8>>());
        let outside = section.relocations.iter().filter(|relocation| !named(relocation.offset));
        outside.for_each(|relocation| reference(elf, relocation, 0, hash));
        for (object, value, size) in objects {
            hash.text(&object);
            match layout::range(section, value, size) {
                Some((start, end)) => layout::object(&section.data[start..end], roots, hash),
                None => {
                    hash.number(size);
                }
            }
            let inside = value..value.saturating_add(size);
            let relocations = section.relocations.iter().filter(|relocation| inside.contains(&relocation.offset));
            relocations.for_each(|relocation| reference(elf, relocation, value, hash));
        }
    }

    /// What the driver is told of all functions: each line goes to the function that it names.
    fn shared_attributes(&mut self, section: &Section) {
        for attribute in attributes::read(section.data) {
            let (owner, content) = attribute.owned(self.elf);
            let part = owner.filter(|name| self.hashes.contains_key(name)).unwrap_or_else(|| DATA.to_owned());
            self.hash(&part).text("attribute").bytes(&content);
        }
    }

    /// What the driver is told of one function.
    fn own_attributes(&mut self, name: &str, section: &Section) {
        let part = self.owner(name).unwrap_or_else(|| DATA.to_owned());
        for attribute in attributes::read(section.data) {
            let content = attribute.with_names(self.elf);
            self.hash(&part).text("attribute").bytes(&content);
        }
    }

    fn finish(self, arch: &str) -> ImageDigest {
        let mut hash = Fields::of("machine code");
        let mut kernels = Vec::new();
        for (name, part) in self.hashes {
            let digest = part.finish();
            hash.text(&name).text(&digest);
            kernels.push(NamedDigest { name, digest });
        }
        ImageDigest { arch: arch.to_owned(), digest: hash.finish(), kernels }
    }
}

/// Hashes a reference: where, counted from `start`, how, and the name of what.
fn reference(elf: &Elf, relocation: &Relocation, start: u64, hash: &mut Fields) {
    let target = relocation.symbol.map_or_else(String::new, |number| name_of(elf, number));
    hash.number(relocation.offset - start).number(u64::from(relocation.kind));
    hash.text(&target).signed(relocation.addend);
}

/// A symbol's name; that of its section for a section's symbol.
pub(super) fn name_of(elf: &Elf, number: usize) -> String {
    let Some(symbol) = elf.symbol(number) else { return format!("symbol {number}") };
    if symbol.kind != Kind::Section || !symbol.name.is_empty() {
        return names::symbol(symbol.name);
    }
    let section = elf.sections.iter().find(|section| Some(section.index) == symbol.section);
    section.map_or_else(String::new, |section| names::symbol(section.name))
}
