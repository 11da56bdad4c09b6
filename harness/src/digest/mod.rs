//! Digests of native archives that say what the code is, not when, where or by which process it was made.
//!
//! A plain hash of an archive differs after every rebuild, so it proves nothing. Here the CPU's code (`host`) and the
//! GPU's (`device`, per architecture) are digested apart. Both are blind to the dates, owners and names of members, to
//! names that nvcc and cc make up, to the names of source files, comments and debug information, and to the folders that
//! the caller names, which asserts put into the data. What is not understood is taken as it is and noted: it can make
//! digests differ without need, never agree without right.
//!
//! Limits: a path whose *length* is compiled into an instruction (`std::string(__FILE__)`) shows. Objects of a link-time
//! optimiser are compared byte for byte. The order of members and functions counts; that of a member's strings and of GPU
//! functions and data does not.
//!
//! It reads no files and runs nothing: from bytes to digests.

mod attributes;
mod device;
mod diff;
mod elf;
pub mod executable;
mod fatbin;
mod hash;
mod host;
mod layout;
mod names;
mod strings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use object::read::archive::ArchiveFile;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use diff::{Difference, differences};
pub use host::STAMP_SECTION;
pub use names::Roots;

use self::elf::Elf;
use self::hash::Fields;

/// What an archive comes to. Digests are SHA-256 in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveDigest {
    /// Of the file as it is.
    pub raw: String,
    /// Of the CPU's code and data.
    pub host: String,
    /// Of the GPU's code, by architecture: `sm_90` for machine code, `compute_90` for PTX.
    pub device: BTreeMap<String, String>,
    /// Of the GPU's code for all architectures together.
    pub device_all: String,
    /// In the archive's order.
    pub members: Vec<MemberDigest>,
    /// The content of the stamp's section, if a member has one.
    pub stamp: Option<String>,
    /// What could not be looked into, and how it was compared instead.
    pub notes: Vec<String>,
}

/// What one member comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberDigest {
    /// Without the hash of its folder that cc puts in front. Not part of any digest.
    pub name: String,
    /// Of its CPU code and data.
    pub host: String,
    /// The loaded sections of the CPU's part, in file order.
    pub sections: Vec<NamedDigest>,
    /// Functions and data objects of the CPU's part, by name. One that only moved has its old digest, unless code in it
    /// refers to a neighbour by distance.
    pub symbols: BTreeMap<String, String>,
    /// The GPU's code, in file order.
    pub images: Vec<ImageDigest>,
}

/// GPU code for one architecture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageDigest {
    /// `sm_90`, `compute_90`.
    pub arch: String,
    /// Of all of it.
    pub digest: String,
    /// Machine code by function, and `data` for what belongs to none.
    pub kernels: Vec<NamedDigest>,
}

/// A part and its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedDigest {
    /// The part's name.
    pub name: String,
    /// Its digest.
    pub digest: String,
}

/// Why an archive has no digest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DigestError {
    /// The file is no archive, or a damaged one.
    #[error("it is no archive that can be read ({0}); build it again")]
    NotAnArchive(String),
    /// The archive holds the names of its members instead of them.
    #[error("it is a thin archive, which holds no code; make it without `T`")]
    Thin,
    /// There is nothing in it.
    #[error("it has no members; whatever made it compiled nothing")]
    Empty,
    /// The file is no executable, or a damaged one.
    #[error("it is no executable that can be read ({0}); build it again")]
    NotAnExecutable(String),
    /// It is for a processor whose relocations are not known here.
    #[error("it is not for x86-64, the only processor whose executables can be looked into")]
    OtherMachine,
    /// It has no symbols.
    #[error(
        "it is stripped of its symbols, by which functions are told apart; take `strip` out of the profile, and `-s` out of the linker's arguments"
    )]
    Stripped,
    /// The linker left none of the relocations of its code.
    #[error(
        "the linker did not keep its relocations, without which an address cannot be told from a number; link it with `-C link-arg=-Wl,--emit-relocs`"
    )]
    NoRelocations,
}

/// Digests an archive. Paths that start with one of `roots` are taken as if they started with its name.
pub fn archive(bytes: &[u8], roots: &Roots) -> Result<ArchiveDigest, DigestError> {
    let damaged = |error: object::Error| DigestError::NotAnArchive(error.to_string());
    let file = ArchiveFile::parse(bytes).map_err(damaged)?;
    if file.is_thin() {
        return Err(DigestError::Thin);
    }
    let mut read = Reading::default();
    for member in file.members() {
        let member = member.map_err(damaged)?;
        read.add(names::member(member.name()), member.data(bytes).map_err(damaged)?, roots);
    }
    if read.members.is_empty() {
        return Err(DigestError::Empty);
    }
    let device = images_by_arch(read.members.iter().map(|member| member.images.as_slice()));
    Ok(ArchiveDigest {
        raw: hash::plain(bytes),
        host: host(&read.members),
        device_all: all_of("device", &device),
        device,
        members: read.members,
        stamp: read.stamp,
        notes: read.notes,
    })
}

#[derive(Default)]
struct Reading {
    members: Vec<MemberDigest>,
    stamp: Option<String>,
    notes: Vec<String>,
}

impl Reading {
    fn add(&mut self, name: String, bytes: &[u8], roots: &Roots) {
        let read = Elf::parse(bytes).and_then(|elf| {
            let optimiser = elf.sections.iter().any(|section| section.name.starts_with(b".gnu.lto_"));
            if optimiser { Err("it holds code for a link-time optimiser".to_owned()) } else { Ok(elf) }
        });
        let elf = match read {
            Ok(elf) => elf,
            Err(problem) => {
                self.notes.push(format!("{name} is compared byte for byte: {problem}"));
                self.members.push(opaque(name, bytes));
                return;
            }
        };
        self.stamp = self.stamp.take().or_else(|| stamp(&elf));
        let host = host::digest(&elf, roots);
        let (images, notes) = device::digest(&elf, roots);
        self.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        self.members.push(MemberDigest {
            name,
            host: host.digest,
            sections: host.sections,
            symbols: host.symbols,
            images,
        });
    }
}

fn opaque(name: String, bytes: &[u8]) -> MemberDigest {
    let mut hash = Fields::of("opaque");
    hash.bytes(bytes);
    MemberDigest { name, host: hash.finish(), sections: Vec::new(), symbols: BTreeMap::new(), images: Vec::new() }
}

fn host(members: &[MemberDigest]) -> String {
    let mut hash = Fields::of("archive");
    for member in members {
        hash.text(&member.host);
    }
    hash.finish()
}

/// The images of each architecture, in order, with the place of the member that each is in.
fn images_by_arch<'a>(members: impl Iterator<Item = &'a [ImageDigest]>) -> BTreeMap<String, String> {
    let mut hashes: BTreeMap<String, Fields> = BTreeMap::new();
    for (place, images) in members.enumerate() {
        for image in images {
            let hash = hashes.entry(image.arch.clone()).or_insert_with(|| Fields::of("device"));
            hash.number(place as u64).text(&image.digest);
        }
    }
    hashes.into_iter().map(|(arch, hash)| (arch, hash.finish())).collect()
}

fn all_of(kind: &str, digests: &BTreeMap<String, String>) -> String {
    let mut hash = Fields::of(kind);
    for (name, digest) in digests {
        hash.text(name).text(digest);
    }
    hash.finish()
}

/// The text in an object's or executable's stamp section, up to its terminator.
fn stamp(elf: &Elf) -> Option<String> {
    elf.sections.iter().find_map(|section| stamp_text(section.name, section.data))
}

/// The stamp, if it is the stamp's section.
fn stamp_text(section: &[u8], data: &[u8]) -> Option<String> {
    // Beside it may stand the program's label, which is several words.
    let mut texts = data.split(|&byte| byte == 0).filter(|text| !text.is_empty() && !text.contains(&b' '));
    let text = texts.next().filter(|_| section == STAMP_SECTION.as_bytes())?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// The stamp in an executable; `None` where it has none.
pub fn stamp_of_executable(bytes: &[u8]) -> Result<Option<String>, DigestError> {
    let elf = Elf::parse(bytes).map_err(DigestError::NotAnArchive)?;
    Ok(stamp(&elf))
}
