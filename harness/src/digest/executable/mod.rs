//! Digests of executables that say what the program does, not how the linker laid it out or what symbols were called.
//!
//! One more feature on a dependency renames every symbol of its crate, and with the names the order of functions changes
//! and every address: a plain hash of the executable says "changed" though not one function did. Here an executable is a
//! multiset of functions and data objects. Each is its name without hashes, its bytes without what the linker filled, and
//! what it refers to: by name where that has one, by content where it has none (constants, strings, tables of jumps).
//!
//! Not taken: where anything lies, `.eh_frame` and the unwinder's tables, the tables of the dynamic linker, notes, comments
//! and debug information; the section of the stamp; the numbers that stand for types; the length of padding and of zeros that no symbol measures.
//! GPU code is compared as in an archive, and counts.
//!
//! It takes symbols, and the relocations that a linker keeps with `--emit-relocs`; without them an executable is refused.
//! It reads no files and runs nothing.

mod atoms;
mod colours;
mod diff;
mod holds;
mod image;
mod naming;
mod operands;
mod references;
mod type_ids;

use std::collections::BTreeMap;

use super::elf::Elf;
use super::names::Roots;
use super::{DigestError, ImageDigest, all_of, device, hash, stamp_text};
use crate::build::store::hex;

pub use diff::differences;
pub use holds::{Foreign, Held, holds};

use self::colours::{Colour, Colours, Mixer};
use self::image::{Class, Image};
use self::references::Graph;

/// Changes with every change of what a digest is made of: digests of two versions are not comparable.
pub const VERSION: u32 = 1;

/// What an executable comes to. Digests are hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutableDigest {
    /// SHA-256 of the file as it is.
    pub raw: String,
    /// Of everything that is loaded, byte for byte and address for address: where it is equal, so is the running program.
    pub loaded: String,
    /// Of code and data, the GPU's among them: equal exactly where these are.
    pub binary: String,
    /// Functions and data that have a name. Several may share one: an instance of a generic function for each type.
    pub parts: Vec<Part>,
    /// GPU code, in file order.
    pub images: Vec<ImageDigest>,
    /// Of the GPU's code by architecture.
    pub device: BTreeMap<String, String>,
    /// The stamp, where there is one.
    pub stamp: Option<String>,
    /// What could not be looked into, and how it was compared instead.
    pub notes: Vec<String>,
}

/// One function or data object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Without hashes; several, where the linker or compiler made one of several equal ones. Empty for data without a name.
    pub name: String,
    /// Whether it is code.
    pub function: bool,
    /// In bytes.
    pub size_bytes: u64,
    /// Of its bytes and what it refers to.
    digest: Colour,
}

/// Digests an executable. Paths in data that start with one of `roots` are taken as if they started with its name.
pub fn executable(bytes: &[u8], roots: &Roots) -> Result<ExecutableDigest, DigestError> {
    let image = Image::read(bytes)?;
    image.check_relocations()?;
    let graph = Graph::of(&image);
    let colours = colours::of(&image, &graph, roots);
    let (images, notes) = gpu(&image, roots);
    let device = super::images_by_arch([images.as_slice()].into_iter());
    Ok(ExecutableDigest {
        raw: hash::plain(bytes),
        loaded: loaded(&image),
        binary: whole(&graph, &colours, &all_of("device", &device)),
        parts: parts(&image, &graph, &colours),
        images,
        device,
        stamp: image.sections.iter().find_map(|section| stamp_text(section.name, section.data)),
        notes,
    })
}

/// All but the build's identifier, which is a hash of the whole file.
fn loaded(image: &Image) -> String {
    let mut mixer = Mixer::of(b'l');
    let sections = image.sections.iter().filter(|section| section.loaded && section.name != b".note.gnu.build-id");
    for section in sections {
        mixer.bytes(section.name).number(section.address).number(section.size).bytes(section.data);
    }
    hex(&mixer.finish_whole())
}

/// Functions and named data count as often as they occur; data without a name once.
fn whole(graph: &Graph, colours: &Colours, device: &str) -> String {
    let (mut named, mut unnamed) = (Vec::new(), Vec::new());
    for (atom, colour) in graph.atoms.list.iter().zip(&colours.exact) {
        if atom.names.is_empty() { unnamed.push(colour) } else { named.push(colour) }
    }
    named.sort_unstable();
    unnamed.sort_unstable();
    unnamed.dedup();
    let mut mixer = Mixer::of(b'x');
    mixer.number(u64::from(VERSION)).bytes(device.as_bytes());
    for colours in [named, unnamed] {
        mixer.number(colours.len() as u64);
        for colour in colours {
            mixer.colour(colour);
        }
    }
    hex(&mixer.finish_whole())
}

fn parts(image: &Image, graph: &Graph, colours: &Colours) -> Vec<Part> {
    let mut parts: Vec<Part> = graph
        .atoms
        .list
        .iter()
        .zip(&colours.own)
        .map(|(atom, digest)| {
            let names: Vec<&str> = atom.names.iter().map(|(_, name)| name.as_str()).collect();
            Part {
                name: names.join(", "),
                function: image.sections[atom.section].class == Class::Code,
                size_bytes: atom.end - atom.start,
                digest: *digest,
            }
        })
        .collect();
    parts.sort_unstable();
    // Data without a name stand together, and count once.
    parts.dedup_by(|one, other| one.name.is_empty() && one == other);
    parts
}

fn gpu(image: &Image, roots: &Roots) -> (Vec<ImageDigest>, Vec<String>) {
    let sections = image.sections.iter().filter(|section| section.class == Class::Device);
    let (mut images, mut notes) = (Vec::new(), Vec::new());
    for section in sections {
        let elf = Elf::of_section(section.name, section.data);
        let (found, said) = device::digest(&elf, roots);
        images.extend(found);
        notes.extend(said);
    }
    (images, notes)
}
