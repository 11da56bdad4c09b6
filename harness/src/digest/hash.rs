//! Hashing of structured values without ambiguity: every field goes in with its length.

use sha2::{Digest, Sha256};

use crate::build::store::hex;

/// SHA-256 over a sequence of fields. Two sequences that differ in any field, or in where one ends, differ as a whole.
#[derive(Clone, Debug)]
pub(super) struct Fields(Sha256);

impl Fields {
    /// Starts with a word that says what is hashed, so that equal bytes of different meaning differ.
    pub(super) fn of(kind: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.bytes(kind.as_bytes());
        fields
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    pub(super) fn signed(&mut self, number: i64) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    /// The digest in lower-case hexadecimal.
    pub(super) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// SHA-256 of bytes as they are.
pub(super) fn plain(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_field_ends_counts() {
        let digest = |fields: &[&str]| {
            let mut hash = Fields::of("test");
            for field in fields {
                hash.text(field);
            }
            hash.finish()
        };
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["ab"]), digest(&["ab", ""]));
    }

    #[test]
    fn plain_is_sha_256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(plain(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
