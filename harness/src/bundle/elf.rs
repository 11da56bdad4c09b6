//! What an executable asks of the machine that runs it, as its ELF file says: the processor and the C library.

use std::path::Path;

use anyhow::{Context, Result};
use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::FileHeader;

/// Two numbers with a point between them, such as a version of glibc.
pub(super) type Version = (u32, u32);

/// What an executable needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asks {
    /// The processor, in Rust's words: `x86_64`.
    pub(super) arch: String,
    /// The newest version of glibc that it takes a symbol from; `None` for a static one.
    pub(super) glibc: Option<Version>,
}

/// Reads what an executable needs. `None` for a file that is no 64-bit ELF file, such as a script.
pub(super) fn asks(path: &Path) -> Result<Option<Asks>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let Ok(header) = FileHeader64::<Endianness>::parse(bytes.as_slice()) else { return Ok(None) };
    let endian = header.endian().with_context(|| format!("{} is a damaged ELF file", path.display()))?;
    let glibc = newest(&needed(header, endian, &bytes).unwrap_or_default());
    Ok(Some(Asks { arch: arch(header.e_machine(endian)), glibc }))
}

/// The newest version of glibc that a C library offers.
pub(super) fn offers(path: &Path) -> Option<Version> {
    let bytes = std::fs::read(path).ok()?;
    let header = FileHeader64::<Endianness>::parse(bytes.as_slice()).ok()?;
    let endian = header.endian().ok()?;
    newest(&defined(header, endian, &bytes)?)
}

fn arch(machine: elf::Machine) -> String {
    match machine {
        elf::EM_X86_64 => "x86_64".to_owned(),
        elf::EM_AARCH64 => "aarch64".to_owned(),
        other => format!("machine-{}", other.0),
    }
}

/// Names of the symbol versions that are taken from shared libraries.
fn needed(header: &FileHeader64<Endianness>, endian: Endianness, bytes: &[u8]) -> Option<Vec<String>> {
    let sections = header.sections(endian, bytes).ok()?;
    let (mut libraries, link) = sections.gnu_verneed(endian, bytes).ok()??;
    let strings = sections.strings(endian, bytes, link).ok()?;
    let mut names = Vec::new();
    while let Some((_, mut versions)) = libraries.next().ok()? {
        while let Some(version) = versions.next().ok()? {
            names.push(String::from_utf8_lossy(version.name(endian, strings).ok()?).into_owned());
        }
    }
    Some(names)
}

/// Names of the symbol versions that a shared library defines.
fn defined(header: &FileHeader64<Endianness>, endian: Endianness, bytes: &[u8]) -> Option<Vec<String>> {
    let sections = header.sections(endian, bytes).ok()?;
    let (mut versions, link) = sections.gnu_verdef(endian, bytes).ok()??;
    let strings = sections.strings(endian, bytes, link).ok()?;
    let mut names = Vec::new();
    while let Some((_, mut parts)) = versions.next().ok()? {
        if let Some(own) = parts.next().ok()? {
            names.push(String::from_utf8_lossy(own.name(endian, strings).ok()?).into_owned());
        }
    }
    Some(names)
}

fn newest(names: &[String]) -> Option<Version> {
    names.iter().filter_map(|name| version(name.strip_prefix("GLIBC_")?)).max()
}

/// `2.34` or `2.2.5`: the first two numbers.
pub(super) fn version(text: &str) -> Option<Version> {
    let (major, rest) = text.split_once('.')?;
    Some((major.parse().ok()?, rest.split('.').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let names = ["GLIBC_2.9", "GLIBC_2.2.5", "GLIBC_2.34", "GCC_3.0", "GLIBC_PRIVATE"].map(str::to_owned);
        assert_eq!(newest(&names), Some((2, 34)));
        assert_eq!(newest(&[]), None);
    }

    /// This test's own program runs here, so what it asks for is offered.
    #[test]
    fn a_running_program_asks_for_no_more_than_there_is() {
        let asks = asks(&std::env::current_exe().expect("a program")).expect("read").expect("an ELF file");
        assert_eq!(asks.arch, std::env::consts::ARCH);
        if let Some(asked) = asks.glibc {
            let offered = super::super::needs::c_library().and_then(|path| offers(&path)).expect("a C library");
            assert!(asked <= offered, "{asked:?} of {offered:?}");
            assert!(offered >= (2, 17), "{offered:?}");
        }
    }

    #[test]
    fn a_script_is_no_executable_of_any_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("x.sh");
        std::fs::write(&script, "#!/bin/sh\n").expect("written");
        assert_eq!(asks(&script).expect("read"), None);
    }
}
