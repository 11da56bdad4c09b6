//! Parameters as bytes, in the layout that bellperson writes and supraseal-c2 reads.
//!
//! ```text
//! alpha_g1 beta_g1 beta_g2 gamma_g2 delta_g1 delta_g2        the verifying key's points
//! ic h l a b_g1 b_g2                                         each: a count, then that many points
//! ```
//!
//! Counts are big-endian `u32`. Points are uncompressed, 96 bytes in G1 and 192 in G2, coordinates big-endian, with the three
//! flag bits of the usual BLS12-381 encoding clear. Nothing may follow.
//!
//! Reading is strict: every fault names its section, the point's index and the byte it starts at, and nothing is allocated
//! from a count before the file has been found long enough for it.
//!
//! Every point is checked to be on its curve and not at infinity. That it lies in the prime-order subgroup is checked for the
//! verifying key alone (`ic` included): that is what a verifier relies on. For the other sections it would cost minutes at
//! 2^20 points, and a wrong point there can do no more than make a proof that fails verification, and every proof is verified.
//! Against damage there is the checksum of [`cache`](super::cache).

use std::io::{self, Read, Write};

use blstrs::{G1Affine, G2Affine};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{Parameters, VerifyingKey};

/// The most significant bits of the first byte of a point.
const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const LARGER_Y: u8 = 0x20;

/// Points that one thread encodes or decodes at a time.
const CHUNK: usize = 1 << 12;

/// A part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// α in G1.
    AlphaG1,
    /// β in G1.
    BetaG1,
    /// β in G2.
    BetaG2,
    /// γ in G2.
    GammaG2,
    /// δ in G1.
    DeltaG1,
    /// δ in G2.
    DeltaG2,
    /// The verifying key's points of the public inputs.
    Ic,
    /// The H query.
    H,
    /// The L query.
    L,
    /// The A query.
    A,
    /// The B query in G1.
    BG1,
    /// The B query in G2.
    BG2,
}

impl Section {
    const fn name(self) -> &'static str {
        match self {
            Self::AlphaG1 => "alpha_g1",
            Self::BetaG1 => "beta_g1",
            Self::BetaG2 => "beta_g2",
            Self::GammaG2 => "gamma_g2",
            Self::DeltaG1 => "delta_g1",
            Self::DeltaG2 => "delta_g2",
            Self::Ic => "ic",
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        }
    }

    /// Whether a verifier relies on the points of this section.
    const fn is_verifying_key(self) -> bool {
        !matches!(self, Self::H | Self::L | Self::A | Self::BG1 | Self::BG2)
    }
}

impl std::fmt::Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What is wrong with a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointFault {
    /// The flag of the 48- or 96-byte encoding.
    #[error("the compression bit is set, and points here are uncompressed")]
    Compressed,
    /// The flag of the point at infinity.
    #[error("the point is at infinity")]
    Infinity,
    /// The flag that only a compressed point may carry.
    #[error("the sign bit is set, which only a compressed point may carry")]
    Sign,
    /// A coordinate that is no field element, or coordinates that do not solve the curve's equation.
    #[error("the point is not on its curve")]
    OffCurve,
    /// A point of another order.
    #[error("the point is not in the subgroup of prime order")]
    OffSubgroup,
}

/// Why bytes are no parameters.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file could not be read to its end.
    #[error("reading failed in section {section} at byte {offset}: {source}")]
    Io {
        /// The section that was being read.
        section: Section,
        /// Where the read began.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The file ends too early.
    #[error("cut short: section {section} at byte {offset} needs {needed} bytes, {left} are left")]
    Cut {
        /// The section that does not fit.
        section: Section,
        /// Where it, or its count, starts.
        offset: u64,
        /// The bytes it needs.
        needed: u64,
        /// The bytes that are left.
        left: u64,
    },
    /// A count promises more than the file holds.
    #[error("section {section}: the count at byte {offset} is {count}, for {needed} bytes, but {left} are left")]
    Count {
        /// The section.
        section: Section,
        /// Where the count stands.
        offset: u64,
        /// The count.
        count: u32,
        /// The bytes that many points need.
        needed: u64,
        /// The bytes that are left.
        left: u64,
    },
    /// A point is malformed.
    #[error("section {section}: point {index} at byte {offset}: {fault}")]
    Point {
        /// The section.
        section: Section,
        /// The point's place in it, from 0.
        index: usize,
        /// Where the point starts.
        offset: u64,
        /// What is wrong with it.
        fault: PointFault,
    },
    /// Something follows the last section.
    #[error("{left} bytes follow the last point of section b_g2, which ends at byte {offset}")]
    Trailing {
        /// Where the last section ends.
        offset: u64,
        /// The bytes that follow.
        left: u64,
    },
}

/// A point of one of the two groups, as it stands in the file.
trait Point: PrimeCurveAffine {
    const BYTES: usize;

    fn encode(&self, bytes: &mut [u8]);

    /// `None` where the point is not on its curve. `bytes` has no flag set.
    fn decode_on_curve(bytes: &[u8]) -> Option<Self>;

    fn is_in_subgroup(&self) -> bool;
}

impl Point for G1Affine {
    const BYTES: usize = 96;

    fn encode(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_uncompressed());
    }

    fn decode_on_curve(bytes: &[u8]) -> Option<Self> {
        Option::<Self>::from(Self::from_uncompressed_unchecked(bytes.try_into().ok()?))
            .filter(|point| bool::from(point.is_on_curve()))
    }

    fn is_in_subgroup(&self) -> bool {
        self.is_torsion_free().into()
    }
}

impl Point for G2Affine {
    const BYTES: usize = 192;

    fn encode(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_uncompressed());
    }

    fn decode_on_curve(bytes: &[u8]) -> Option<Self> {
        Option::<Self>::from(Self::from_uncompressed_unchecked(bytes.try_into().ok()?))
            .filter(|point| bool::from(point.is_on_curve()))
    }

    fn is_in_subgroup(&self) -> bool {
        self.is_torsion_free().into()
    }
}

/// Reads parameters from `reader`, which holds `length` bytes, and returns them with the SHA-256 of these bytes.
pub fn read(reader: impl Read, length: u64) -> Result<(Parameters, [u8; 32]), FileError> {
    let mut source = Source { reader, offset: 0, left: length, hasher: Sha256::new() };
    let vk = VerifyingKey {
        alpha_g1: source.point(Section::AlphaG1)?,
        beta_g1: source.point(Section::BetaG1)?,
        beta_g2: source.point(Section::BetaG2)?,
        gamma_g2: source.point(Section::GammaG2)?,
        delta_g1: source.point(Section::DeltaG1)?,
        delta_g2: source.point(Section::DeltaG2)?,
        ic: source.query(Section::Ic)?,
    };
    let parameters = Parameters {
        vk,
        h: source.query(Section::H)?,
        l: source.query(Section::L)?,
        a: source.query(Section::A)?,
        b_g1: source.query(Section::BG1)?,
        b_g2: source.query(Section::BG2)?,
    };
    Ok((parameters, source.finish()?))
}

/// The bytes that are still to be read, and the hash of those that were.
struct Source<R> {
    reader: R,
    offset: u64,
    left: u64,
    hasher: Sha256,
}

impl<R: Read> Source<R> {
    fn point<P: Point>(&mut self, section: Section) -> Result<P, FileError> {
        let needed = P::BYTES as u64;
        if self.left < needed {
            return Err(FileError::Cut { section, offset: self.offset, needed, left: self.left });
        }
        let points = self.points(section, needed)?;
        Ok(points[0])
    }

    fn query<P: Point>(&mut self, section: Section) -> Result<Vec<P>, FileError> {
        let offset = self.offset;
        if self.left < 4 {
            return Err(FileError::Cut { section, offset, needed: 4, left: self.left });
        }
        let count = self.bytes(section, 4)?;
        self.hasher.update(&count);
        let count = count.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
        let needed = u64::from(count) * P::BYTES as u64;
        if self.left < needed {
            return Err(FileError::Count { section, offset, count, needed, left: self.left });
        }
        self.points(section, needed)
    }

    /// Reads `needed` bytes of whole points. One thread hashes what the others decode.
    fn points<P: Point>(&mut self, section: Section, needed: u64) -> Result<Vec<P>, FileError> {
        let offset = self.offset;
        let bytes = self.bytes(section, needed)?;
        let (points, ()) = rayon::join(|| decode_all(section, offset, &bytes), || self.hasher.update(&bytes));
        points
    }

    /// The next `needed` bytes; the caller has checked that they are there.
    fn bytes(&mut self, section: Section, needed: u64) -> Result<Vec<u8>, FileError> {
        let io_error = |offset, source| FileError::Io { section, offset, source };
        let length = usize::try_from(needed).map_err(|e| io_error(self.offset, io::Error::other(e)))?;
        let mut bytes = Vec::with_capacity(length);
        let read = self.reader.by_ref().take(needed).read_to_end(&mut bytes).map_err(|e| io_error(self.offset, e))?;
        if read < length {
            return Err(FileError::Cut { section, offset: self.offset, needed, left: read as u64 });
        }
        self.offset += needed;
        self.left -= needed;
        Ok(bytes)
    }

    fn finish(self) -> Result<[u8; 32], FileError> {
        if self.left > 0 {
            return Err(FileError::Trailing { offset: self.offset, left: self.left });
        }
        Ok(self.hasher.finalize().into())
    }
}

/// Decodes whole points; of several faults the first in the file is told.
fn decode_all<P: Point>(section: Section, offset: u64, bytes: &[u8]) -> Result<Vec<P>, FileError> {
    let decode = |(index, bytes): (usize, &[u8])| {
        decode(section, bytes).map_err(|fault| {
            let offset = offset + (index * P::BYTES) as u64;
            FileError::Point { section, index, offset, fault }
        })
    };
    let points = bytes.par_chunks_exact(P::BYTES).with_min_len(CHUNK).enumerate();
    let decoded: Result<Vec<P>, FileError> = points.map(decode).collect();
    // A parallel collect gives any of the errors; go over the points once more, in order, for the first one.
    decoded.or_else(|_| bytes.chunks_exact(P::BYTES).enumerate().map(decode).collect())
}

fn decode<P: Point>(section: Section, bytes: &[u8]) -> Result<P, PointFault> {
    if bytes[0] & COMPRESSED != 0 {
        return Err(PointFault::Compressed);
    }
    if bytes[0] & INFINITY != 0 {
        return Err(PointFault::Infinity);
    }
    if bytes[0] & LARGER_Y != 0 {
        return Err(PointFault::Sign);
    }
    let point = P::decode_on_curve(bytes).ok_or(PointFault::OffCurve)?;
    if bool::from(point.is_identity()) {
        return Err(PointFault::Infinity);
    }
    if section.is_verifying_key() && !point.is_in_subgroup() {
        return Err(PointFault::OffSubgroup);
    }
    Ok(point)
}

/// Writes `parameters` to `writer`, which need not be buffered, and returns the SHA-256 of the bytes.
pub fn write(parameters: &Parameters, writer: impl Write) -> io::Result<[u8; 32]> {
    let mut sink = Sink { writer, hasher: Sha256::new() };
    let vk = &parameters.vk;
    sink.points(&[vk.alpha_g1, vk.beta_g1])?;
    sink.points(&[vk.beta_g2, vk.gamma_g2])?;
    sink.points(&[vk.delta_g1])?;
    sink.points(&[vk.delta_g2])?;
    sink.query(&vk.ic)?;
    sink.query(&parameters.h)?;
    sink.query(&parameters.l)?;
    sink.query(&parameters.a)?;
    sink.query(&parameters.b_g1)?;
    sink.query(&parameters.b_g2)?;
    sink.writer.flush()?;
    Ok(sink.hasher.finalize().into())
}

struct Sink<W> {
    writer: W,
    hasher: Sha256,
}

impl<W: Write> Sink<W> {
    fn query<P: Point>(&mut self, points: &[P]) -> io::Result<()> {
        let count = u32::try_from(points.len()).map_err(io::Error::other)?;
        self.bytes(&count.to_be_bytes())?;
        self.points(points)
    }

    fn points<P: Point>(&mut self, points: &[P]) -> io::Result<()> {
        for points in points.chunks(CHUNK * rayon::current_num_threads()) {
            let mut bytes = vec![0; points.len() * P::BYTES];
            bytes.par_chunks_mut(P::BYTES).zip(points).for_each(|(bytes, point)| point.encode(bytes));
            self.bytes(&bytes)?;
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.writer.write_all(bytes)
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
