//! An ELF object as plain values: sections with their relocations, and symbols.
//!
//! Only 64-bit objects are read. Nothing is interpreted here; bad input is an error, never a panic.

use std::collections::HashMap;

use object::elf::STB_GNU_UNIQUE;
use object::read::elf::{ElfFile64, SectionHeader as _};
use object::{
    Architecture, Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
    SymbolFlags, SymbolKind,
};

/// The sections and symbols of one object.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    /// Whether the code is for x86-64.
    pub(super) x86_64: bool,
    /// In file order.
    pub(super) sections: Vec<Section<'a>>,
    /// By their number in the symbol table.
    pub(super) symbols: HashMap<usize, Symbol<'a>>,
}

/// One section.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// Its number in the file, which symbols refer to.
    pub(super) index: usize,
    pub(super) name: &'a [u8],
    /// Empty for a section without content in the file, such as `.bss`.
    pub(super) data: &'a [u8],
    /// In memory, in bytes.
    pub(super) size: u64,
    /// Its address is a multiple of this.
    pub(super) alignment: u64,
    /// Whether it is loaded when the program runs.
    pub(super) allocated: bool,
    pub(super) executable: bool,
    /// Zero-terminated strings that the linker may merge; the size of a character in bytes.
    pub(super) strings: Option<usize>,
    /// By offset.
    pub(super) relocations: Vec<Relocation>,
}

/// A place that the linker fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relocation {
    /// From the section's start.
    pub(super) offset: u64,
    /// The machine's number for how the place is filled.
    pub(super) kind: u32,
    /// Number of the symbol that it refers to, if any.
    pub(super) symbol: Option<usize>,
    /// Added to the symbol's value.
    pub(super) addend: i64,
}

/// One symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a [u8],
    /// The section that it is defined in.
    pub(super) section: Option<usize>,
    /// Offset in its section.
    pub(super) value: u64,
    /// In bytes; 0 where unknown.
    pub(super) size: u64,
    /// Room for it is made by the linker: its value is then an alignment.
    pub(super) common: bool,
    /// Seen by other objects.
    pub(super) global: bool,
    /// Gives way to another of its name, or is one of several of which the linker keeps one.
    pub(super) weak: bool,
    pub(super) kind: Kind,
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Data,
    /// The start of a section.
    Section,
    Other,
}

impl Elf<'_> {
    /// Whether the reference counts from the end of the instruction that it is in, which is 4 to 8 bytes behind it.
    pub(super) fn is_relative(&self, relocation: &Relocation) -> bool {
        // R_X86_64_PC32, PLT32, GOTPCREL, GOTPCRELX and REX_GOTPCRELX.
        self.x86_64 && [2, 4, 9, 41, 42].contains(&relocation.kind)
    }
}

impl<'a> Elf<'a> {
    /// Reads an object. The error is a phrase.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|error| error.to_string())?;
        let sections = file.sections().map(|section| read_section(&file, &section)).collect::<Result<_, _>>()?;
        let symbols = file.symbols().map(|symbol| Ok((symbol.index().0, read_symbol(&symbol)?)));
        Ok(Self {
            x86_64: file.architecture() == Architecture::X86_64,
            sections,
            symbols: symbols.collect::<Result<_, String>>()?,
        })
    }

    /// One section of a linked file, which needs no symbols.
    pub(super) fn of_section(name: &'a [u8], data: &'a [u8]) -> Self {
        let section = Section {
            index: 0,
            name,
            data,
            size: data.len() as u64,
            alignment: 1,
            allocated: true,
            executable: false,
            strings: None,
            relocations: Vec::new(),
        };
        Self { x86_64: true, sections: vec![section], symbols: HashMap::new() }
    }

    pub(super) fn symbol(&self, number: usize) -> Option<&Symbol<'a>> {
        self.symbols.get(&number)
    }
}

type File<'a> = ElfFile64<'a, Endianness>;

fn read_section<'a>(
    file: &File<'a>,
    section: &object::read::elf::ElfSection64<'a, '_, Endianness>,
) -> Result<Section<'a>, String> {
    let header = section.elf_section_header();
    let endian = file.endian();
    let flags = header.sh_flags(endian);
    let has = |flag: object::elf::SectionFlags| flags.0 & flag.0 != 0;
    let name = file
        .elf_section_table()
        .section_name(endian, header)
        .map_err(|error| format!("section {}: {error}", section.index().0))?;
    let data = section.data().map_err(|error| format!("section {}: {error}", String::from_utf8_lossy(name)))?;
    let width = usize::try_from(header.sh_entsize(endian)).unwrap_or(1).max(1);
    let mut relocations: Vec<Relocation> =
        section.relocations().map(|(offset, relocation)| read_relocation(offset, &relocation)).collect();
    relocations.sort_by_key(|relocation| relocation.offset);
    Ok(Section {
        index: section.index().0,
        name,
        data,
        size: section.size(),
        alignment: section.align(),
        allocated: has(object::elf::SHF_ALLOC),
        executable: has(object::elf::SHF_EXECINSTR),
        strings: has(object::elf::SHF_STRINGS).then_some(width),
        relocations,
    })
}

fn read_relocation(offset: u64, relocation: &object::Relocation) -> Relocation {
    let kind = match relocation.flags() {
        RelocationFlags::Elf { r_type } => r_type.0,
        _ => 0,
    };
    let symbol = match relocation.target() {
        RelocationTarget::Symbol(index) => Some(index.0),
        _ => None,
    };
    Relocation { offset, kind, symbol, addend: relocation.addend() }
}

/// Whether the linker keeps one of all symbols of that name, as with weak ones.
fn is_unique(symbol: &object::read::elf::ElfSymbol64<'_, '_, Endianness>) -> bool {
    matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info.st_bind() == STB_GNU_UNIQUE)
}

fn read_symbol<'a>(symbol: &object::read::elf::ElfSymbol64<'a, '_, Endianness>) -> Result<Symbol<'a>, String> {
    let kind = match symbol.kind() {
        SymbolKind::Text => Kind::Function,
        SymbolKind::Data | SymbolKind::Tls => Kind::Data,
        SymbolKind::Section => Kind::Section,
        _ => Kind::Other,
    };
    Ok(Symbol {
        name: symbol.name_bytes().map_err(|error| format!("symbol {}: {error}", symbol.index().0))?,
        section: symbol.section_index().map(|index| index.0),
        value: symbol.address(),
        size: symbol.size(),
        common: symbol.is_common(),
        global: symbol.is_global(),
        weak: symbol.is_weak() || is_unique(symbol),
        kind,
    })
}
