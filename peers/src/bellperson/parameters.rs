//! bellperson's parameters: made from the seed, written, and read from the cache that our prover uses.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};

use anyhow::Result;
use bellpepper_core::{Circuit, SynthesisError};
use bellperson::groth16::generate_parameters;
use blstrs::{G1Projective, G2Projective, Scalar};
use group::Group;
use sha2::{Digest, Sha256};
use shared::params::cache::{Cache, Key, Sizes, load_file};
use shared::toxic::ToxicWaste;
use shared::worker::args::{CircuitArgs, ParamsArgs};

use super::Parameters;

/// Makes the parameters of a circuit from the same secrets as our prover does.
pub fn generate(circuit: impl Circuit<Scalar>, toxic: ToxicWaste) -> Result<Parameters, SynthesisError> {
    let ToxicWaste { alpha, beta, gamma, delta, tau } = toxic;
    let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
    generate_parameters(circuit, g1, g2, alpha, beta, gamma, delta, tau)
}

/// The cache and the key that the arguments name.
pub fn cached(args: &CircuitArgs) -> (Cache, Key) {
    (Cache::new(&args.params_dir), Key { circuit: args.circuit.to_string(), setup_seed: args.setup_seed })
}

/// Loads parameters and holds them to their checksum.
pub fn load(circuit: &CircuitArgs, params: &ParamsArgs) -> Result<Parameters> {
    let (cache, key) = cached(circuit);
    Ok(match &params.params {
        Some(path) => load_file(path, read)?,
        None => cache.load(&key, read)?,
    })
}

/// Reads parameters; what the checksum vouches for need not be checked point by point.
fn read(file: File, _length: u64) -> io::Result<(Parameters, [u8; 32])> {
    let mut reader = Hashed::new(BufReader::with_capacity(1 << 20, file));
    let parameters = Parameters::read(&mut reader, false)?;
    // What follows the parameters belongs to the checksum, too.
    io::copy(&mut reader, &mut io::sink())?;
    Ok((parameters, reader.sha256()))
}

/// Writes parameters and returns the SHA-256 of their bytes.
pub fn write(parameters: &Parameters, writer: impl Write) -> io::Result<[u8; 32]> {
    let mut writer = io::BufWriter::with_capacity(1 << 20, Hashed::new(writer));
    parameters.write(&mut writer)?;
    Ok(writer.into_inner()?.sha256())
}

/// How many points each section has.
pub fn sizes(parameters: &Parameters) -> Sizes {
    Sizes {
        ic: parameters.vk.ic.len(),
        h: parameters.h.len(),
        l: parameters.l.len(),
        a: parameters.a.len(),
        b_g1: parameters.b_g1.len(),
        b_g2: parameters.b_g2.len(),
    }
}

/// A reader or writer that hashes what passes.
pub struct Hashed<T> {
    inner: T,
    hasher: Sha256,
}

impl<T> Hashed<T> {
    /// Nothing has passed yet.
    pub fn new(inner: T) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The hash of what passed.
    pub fn sha256(self) -> [u8; 32] {
        self.hasher.finalize().into()
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(bytes)?;
        self.hasher.update(&bytes[..length]);
        Ok(length)
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
