//! A proof and its 192 canonical bytes.

use blstrs::{G1Affine, G2Affine};

/// A Groth16 proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// A in G1.
    pub a: G1Affine,
    /// B in G2.
    pub b: G2Affine,
    /// C in G1.
    pub c: G1Affine,
}

impl Proof {
    /// The length of [`Proof::to_bytes`].
    pub const BYTES: usize = 192;

    /// Compressed A (48 bytes), B (96 bytes) and C (48 bytes).
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..48].copy_from_slice(&self.a.to_compressed());
        bytes[48..144].copy_from_slice(&self.b.to_compressed());
        bytes[144..].copy_from_slice(&self.c.to_compressed());
        bytes
    }

    /// Reads what [`Proof::to_bytes`] wrote. `None` where a point is malformed, off its curve or outside its subgroup.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (a, rest) = bytes.split_first_chunk::<48>()?;
        let (b, rest) = rest.split_first_chunk::<96>()?;
        let c = rest.first_chunk::<48>()?;
        Some(Self {
            a: Option::from(G1Affine::from_compressed(a))?,
            b: Option::from(G2Affine::from_compressed(b))?,
            c: Option::from(G1Affine::from_compressed(c))?,
        })
    }
}
