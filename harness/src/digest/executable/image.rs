//! An x86-64 executable as plain values: the loaded sections that hold code and data, symbols, and the relocations that the
//! linker was asked to keep.
//!
//! Only what a digest needs is read; debug information, which is most of such a file, is never looked at. Places are a
//! section's number and an offset, since thread-local sections share addresses with others.

use object::elf::{
    EM_X86_64, ET_DYN, ET_EXEC, FileHeader64, PT_TLS, SHF_ALLOC, SHF_EXECINSTR, SHN_UNDEF, SHT_FINI_ARRAY,
    SHT_INIT_ARRAY, SHT_NOBITS, SHT_PREINIT_ARRAY, SHT_PROGBITS, SHT_RELA, STT_FILE, STT_FUNC, STT_GNU_IFUNC,
    STT_SECTION, STT_TLS,
};
use object::read::elf::{FileHeader as _, ProgramHeader as _, Rela as _, SectionHeader as _, Sym as _, SymbolTable};
use object::{Endianness, SectionIndex, SymbolIndex};

use super::super::{DigestError, STAMP_SECTION, fatbin};

type Header = FileHeader64<Endianness>;

/// Loaded sections that say nothing about code or data of their own: they tell the loader or the unwinder where what lies,
/// hold copies of addresses, or are told apart.
const LEFT_OUT: [&[u8]; 9] = [
    b".eh_frame",
    b".eh_frame_hdr",
    b".gcc_except_table",
    b".debug_gdb_scripts",
    b".relro_padding",
    b".interp",
    b"__nv_module_id",
    b".tm_clone_table",
    STAMP_SECTION.as_bytes(),
];

/// What is read of an executable.
#[derive(Debug)]
pub(super) struct Image<'a> {
    /// By their number in the file.
    pub(super) sections: Vec<Section<'a>>,
    /// By their number in the symbol table.
    pub(super) symbols: Vec<Symbol<'a>>,
}

/// One section.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) name: &'a [u8],
    /// What is in it.
    pub(super) class: Class,
    /// Whether it is loaded when the program runs.
    pub(super) loaded: bool,
    /// Where it is loaded.
    pub(super) address: u64,
    /// In memory.
    pub(super) size: u64,
    /// Empty where the file holds none of it.
    pub(super) data: &'a [u8],
    /// By offset; read for code and data alone.
    pub(super) relocations: Vec<Relocation>,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Code,
    Data,
    /// GPU code.
    Device,
    /// Nothing that counts.
    Apart,
}

/// One symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a [u8],
    /// Section and offset in it; `None` for one that another file defines.
    pub(super) place: Option<(usize, u64)>,
    /// 0 where unknown.
    pub(super) size: u64,
    /// Stands for the start of a section.
    pub(super) section: bool,
    /// Names code or data, rather than a source file or a section.
    pub(super) names_something: bool,
    pub(super) function: bool,
}

/// A place that the linker filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relocation {
    /// From the section's start.
    pub(super) offset: u64,
    pub(super) kind: u32,
    /// 0 for none.
    pub(super) symbol: usize,
    pub(super) addend: i64,
}

impl<'a> Image<'a> {
    /// Reads an executable. Refuses one without symbols.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, DigestError> {
        let broken = |error: object::Error| DigestError::NotAnExecutable(error.to_string());
        let header = Header::parse(bytes).map_err(broken)?;
        let endian = header.endian().map_err(broken)?;
        if ![ET_DYN, ET_EXEC].contains(&header.e_type(endian)) {
            return Err(DigestError::NotAnExecutable("it is an ELF file of another type".to_owned()));
        }
        if header.e_machine(endian) != EM_X86_64 {
            return Err(DigestError::OtherMachine);
        }
        let table = header.sections(endian, bytes).map_err(broken)?;
        let names = table.symbols(endian, bytes, object::elf::SHT_SYMTAB).map_err(broken)?;
        if names.is_empty() {
            return Err(DigestError::Stripped);
        }
        let mut sections = Vec::with_capacity(table.len());
        for header in table.iter() {
            let name = table.section_name(endian, header).map_err(broken)?;
            let data = header.data(endian, bytes).map_err(broken)?;
            sections.push(Section {
                name,
                class: class(header, endian, name),
                loaded: header.sh_flags(endian).0 & SHF_ALLOC.0 != 0,
                address: header.sh_addr(endian),
                size: header.sh_size(endian),
                data,
                relocations: Vec::new(),
            });
        }
        for header in table.iter().filter(|header| header.sh_type(endian) == SHT_RELA) {
            let of = header.sh_info(endian) as usize;
            let section = sections.get_mut(of).filter(|section| matches!(section.class, Class::Code | Class::Data));
            let Some(section) = section.filter(|_| header.link(endian) == names.section()) else { continue };
            if let Some((entries, _)) = header.rela(endian, bytes).map_err(broken)? {
                section.relocations = relocations(entries, endian, section.address);
            }
        }
        let thread_local = header.program_headers(endian, bytes).map_err(broken)?.iter();
        let thread_local = thread_local.filter(|segment| segment.p_type(endian) == PT_TLS);
        let base = thread_local.map(|segment| segment.p_vaddr(endian)).next().unwrap_or(0);
        let symbols = symbols(&names, endian, &sections, base).map_err(broken)?;
        Ok(Self { sections, symbols })
    }

    /// Refuses an executable whose code has lost its relocations.
    pub(super) fn check_relocations(&self) -> Result<(), DigestError> {
        let lost = |section: &Section| section.name == b".text" && section.size > 0 && section.relocations.is_empty();
        if self.sections.iter().any(lost) { Err(DigestError::NoRelocations) } else { Ok(()) }
    }

    /// The sections that hold code and data, with their numbers.
    pub(super) fn taken(&self) -> impl Iterator<Item = (usize, &Section<'a>)> {
        self.sections.iter().enumerate().filter(|(_, section)| matches!(section.class, Class::Code | Class::Data))
    }
}

fn class(header: &object::elf::SectionHeader64<Endianness>, endian: Endianness, name: &[u8]) -> Class {
    let flags = header.sh_flags(endian);
    let loaded = flags.0 & SHF_ALLOC.0 != 0;
    let kinds = [SHT_PROGBITS, SHT_NOBITS, SHT_INIT_ARRAY, SHT_FINI_ARRAY, SHT_PREINIT_ARRAY];
    let linkers_own = [&b".got"[..], b".plt", b".iplt", b".igot"].iter().any(|start| name.starts_with(start));
    if loaded && fatbin::SECTIONS.iter().any(|device| device.as_bytes() == name) {
        Class::Device
    } else if !loaded || linkers_own || LEFT_OUT.contains(&name) || !kinds.contains(&header.sh_type(endian)) {
        Class::Apart
    } else if flags.0 & SHF_EXECINSTR.0 != 0 {
        Class::Code
    } else {
        Class::Data
    }
}

fn relocations(entries: &[object::elf::Rela64<Endianness>], endian: Endianness, address: u64) -> Vec<Relocation> {
    let mut read: Vec<Relocation> = entries
        .iter()
        .filter(|entry| entry.r_type(endian, false).0 != 0)
        .map(|entry| Relocation {
            offset: entry.r_offset(endian).wrapping_sub(address),
            kind: entry.r_type(endian, false).0,
            symbol: entry.symbol(endian, false).map_or(0, |index| index.0),
            addend: entry.r_addend(endian),
        })
        .collect();
    read.sort_by_key(|relocation| relocation.offset);
    read
}

fn symbols<'a>(
    table: &SymbolTable<'a, Header>,
    endian: Endianness,
    sections: &[Section],
    thread_local: u64,
) -> object::Result<Vec<Symbol<'a>>> {
    let mut read = Vec::with_capacity(table.len());
    for (number, symbol) in table.iter().enumerate() {
        let kind = symbol.st_type();
        let base = if kind == STT_TLS { thread_local } else { 0 };
        let defined = symbol.st_shndx(endian) != SHN_UNDEF;
        let section = table.symbol_section(endian, symbol, SymbolIndex(number))?.map(|SectionIndex(index)| index);
        let place = section.filter(|_| defined).and_then(|index| {
            let offset = symbol.st_value(endian).wrapping_add(base).wrapping_sub(sections.get(index)?.address);
            Some((index, offset))
        });
        read.push(Symbol {
            name: table.symbol_name(endian, symbol)?,
            place,
            size: symbol.st_size(endian),
            section: kind == STT_SECTION,
            names_something: kind != STT_SECTION && kind != STT_FILE,
            function: kind == STT_FUNC || kind == STT_GNU_IFUNC,
        });
    }
    Ok(read)
}
