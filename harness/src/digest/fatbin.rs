//! The container in which nvcc embeds GPU code in an object.
//!
//! A section holds containers one after another, each padded to 8 bytes. All numbers are little-endian. Found by compiling
//! with nvcc 13.0.88 and one option changed at a time, and checked against what `readelf` says of the code taken out:
//!
//! ```text
//! container   u32 magic 0xba55ed50, u16 version 1, u16 size of this header (16), u64 size of what follows
//! entry       0 u16 kind: 1 PTX, 2 machine code (ELF), 8 code for the link-time optimiser
//!             2 u16 0x0101
//!             4 u32 size of this header, with the text behind it
//!             8 u64 size of the payload, padded
//!            16 u32 size of the payload if compressed, without padding; 0 if not
//!            20 u32 offset of the compiler's options (u32 offset, u32 length, text), 0 if there are none
//!            24 u16 minor, u16 major version of the payload's format
//!            28 u32 architecture: 90 for sm_90 and compute_90
//!            32 u32 offset, u32 length of the source's name, which is there with debug or line information
//!            40 u64 flags: 0x8000 compressed by Zstandard, 0x100000 architecture with `a`, 0x200000 with `f`
//!            56 u64 size of the payload when decompressed; 0 if it is not compressed
//! ```
//!
//! nvcc 13 compresses PTX always, and machine code with `-G` or `--compress-mode=size`. Of earlier versions another
//! compression is reported (flag 0x2000, not tried here); such a payload is compared as it is, which a note tells.

use std::borrow::Cow;
use std::io::Read as _;

/// The sections that containers lie in; the second with relocatable GPU code (`-rdc=true`).
pub(super) const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

const MAGIC: u32 = 0xba55_ed50;
const ENTRY_HEADER: usize = 64;
const COMPRESSED_ZSTD: u64 = 0x8000;
const COMPRESSED_OTHER: u64 = 0x2000;
const ARCHITECTURE_SPECIFIC: u64 = 0x10_0000;
const FAMILY_SPECIFIC: u64 = 0x20_0000;

/// More than any GPU code; what says it is larger is damaged.
const LARGEST_PAYLOAD: u64 = 1 << 31;

/// One entry of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) kind: EntryKind,
    /// `sm_90`, `compute_90`, `lto_90`.
    pub(super) arch: String,
    /// Decompressed where that is known how.
    pub(super) payload: Cow<'a, [u8]>,
    /// Whether the payload is still compressed.
    pub(super) compressed: bool,
}

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Ptx,
    MachineCode,
    /// Anything else, such as code for the link-time optimiser.
    Opaque,
}

/// The entries of all containers of a section. The error is a phrase with the offset.
pub(super) fn entries(section: &[u8]) -> Result<Vec<Entry<'_>>, String> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < section.len() {
        let rest = &section[at..];
        if rest.len() < 16 && rest.iter().all(|&byte| byte == 0) {
            break;
        }
        match u32_at(rest, 0) {
            Some(MAGIC) => at += container(rest, &mut entries).map_err(|problem| format!("{problem} at {at:#x}"))?,
            Some(0) => at += 8,
            _ => return Err(format!("no container starts at {at:#x}")),
        }
    }
    Ok(entries)
}

/// Reads one container and returns its size.
fn container<'a>(bytes: &'a [u8], entries: &mut Vec<Entry<'a>>) -> Result<usize, String> {
    let header = usize::from(u16_at(bytes, 6).ok_or("a container is cut")?);
    let size = u64_at(bytes, 8).and_then(|size| usize::try_from(size).ok()).ok_or("a container is cut")?;
    let end = header.checked_add(size).filter(|&end| header >= 16 && end <= bytes.len()).ok_or("a container is cut")?;
    let mut at = header;
    while at < end {
        let (entry, size) = entry(&bytes[at..end])?;
        entries.push(entry);
        at += size;
    }
    Ok(end)
}

/// Reads one entry and returns its size.
fn entry(bytes: &[u8]) -> Result<(Entry<'_>, usize), String> {
    let cut = || "an entry is cut".to_owned();
    let header = u32_at(bytes, 4).and_then(|size| usize::try_from(size).ok()).ok_or_else(cut)?;
    let padded = u64_at(bytes, 8).and_then(|size| usize::try_from(size).ok()).ok_or_else(cut)?;
    let end = header.checked_add(padded).filter(|&end| header >= ENTRY_HEADER && end <= bytes.len()).ok_or_else(cut)?;
    let padded = &bytes[header..end];
    let kind = match u16_at(bytes, 0) {
        Some(1) => EntryKind::Ptx,
        Some(2) => EntryKind::MachineCode,
        _ => EntryKind::Opaque,
    };
    let number = u32_at(bytes, 28).ok_or_else(cut)?;
    let flags = u64_at(bytes, 40).ok_or_else(cut)?;
    let packed = u32_at(bytes, 16).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    let size = u64_at(bytes, 56).ok_or_else(cut)?;
    let zstd = flags & COMPRESSED_ZSTD != 0 && kind != EntryKind::Opaque;
    let payload = if zstd {
        let packed = padded.get(..packed).ok_or_else(cut)?;
        Cow::Owned(decompress(packed, size)?)
    } else {
        Cow::Borrowed(padded)
    };
    let compressed = !zstd && flags & (COMPRESSED_OTHER | COMPRESSED_ZSTD) != 0;
    Ok((Entry { kind, arch: arch(u16_at(bytes, 0), number, flags), payload, compressed }, end))
}

fn arch(kind: Option<u16>, number: u32, flags: u64) -> String {
    let prefix = match kind {
        Some(1) => "compute",
        Some(2) => "sm",
        Some(8) => "lto",
        _ => "unknown",
    };
    let suffix = match (flags & ARCHITECTURE_SPECIFIC != 0, flags & FAMILY_SPECIFIC != 0) {
        (true, _) => "a",
        (false, true) => "f",
        (false, false) => "",
    };
    format!("{prefix}_{number}{suffix}")
}

fn decompress(packed: &[u8], size: u64) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("a payload cannot be decompressed ({error})");
    if size > LARGEST_PAYLOAD {
        return Err(failed(&format_args!("it claims {size} bytes")));
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| failed(&error))?;
    let mut payload = Vec::new();
    decoder.take(size + 1).read_to_end(&mut payload).map_err(|error| failed(&error))?;
    if payload.len() as u64 == size { Ok(payload) } else { Err(failed(&"its size is not the one it claims")) }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry as nvcc writes it, its payload padded to 8 bytes.
    fn raw_entry(kind: u16, arch: u32, flags: u64, packed: u32, size: u64, payload: &[u8]) -> Vec<u8> {
        let padded = payload.len().next_multiple_of(8);
        let mut bytes = [kind.to_le_bytes(), 0x0101_u16.to_le_bytes()].concat();
        bytes.extend(64_u32.to_le_bytes());
        bytes.extend((padded as u64).to_le_bytes());
        bytes.extend(packed.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(arch.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(flags.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(size.to_le_bytes());
        bytes.extend(payload);
        bytes.resize(64 + padded, 0);
        bytes
    }

    fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let body = entries.concat();
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" (32 letters), by `zstd --no-check -c`, version 1.5.4.
    const ZSTD: [u8; 17] =
        [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x45, 0x00, 0x00, 0x10, 0x61, 0x61, 0x01, 0x00, 0x22, 0xc0, 0x02];

    #[test]
    fn entries_of_several_containers_come_in_order() {
        let one = container(&[raw_entry(2, 90, 0x11, 0, 0, b"code"), raw_entry(2, 90, 0x10_0011, 0, 0, b"more code")]);
        let two = container(&[raw_entry(8, 100, 0x11, 0, 0, b"?")]);
        let section = [one, two].concat();
        let found = entries(&section).expect("read");
        let archs: Vec<&str> = found.iter().map(|entry| entry.arch.as_str()).collect();
        assert_eq!(archs, ["sm_90", "sm_90a", "lto_100"]);
        assert_eq!(found[1].payload.as_ref(), b"more code\0\0\0\0\0\0\0");
        assert_eq!(found[2].kind, EntryKind::Opaque);
    }

    #[test]
    fn a_payload_is_decompressed_and_its_size_checked() {
        let section = |size| container(&[raw_entry(1, 90, 0x8011, 17, size, &ZSTD)]);
        let good = section(32);
        let found = entries(&good).expect("read");
        assert_eq!((found[0].arch.as_str(), found[0].payload.as_ref()), ("compute_90", [b'a'; 32].as_slice()));
        for size in [31, 33, u64::MAX] {
            assert!(entries(&section(size)).expect_err("a wrong size").contains("cannot be decompressed"), "{size}");
        }
    }

    #[test]
    fn an_unknown_compression_is_kept_and_told() {
        let section = container(&[raw_entry(2, 80, 0x2011, 4, 100, b"lz4!")]);
        let found = entries(&section).expect("read");
        assert!(found[0].compressed);
    }

    #[test]
    fn damage_is_an_error_at_every_length_and_never_a_panic() {
        let good = container(&[raw_entry(1, 90, 0x8011, 17, 32, &ZSTD), raw_entry(2, 90, 0x11, 0, 0, b"code")]);
        for length in 1..good.len() {
            assert!(entries(&good[..length]).is_err(), "cut at {length}");
        }
        assert_eq!(entries(b"").expect("nothing"), []);
        for at in 0..16 {
            let mut damaged = good.clone();
            damaged[at] ^= 0xff;
            let _ = entries(&damaged);
        }
    }
}
