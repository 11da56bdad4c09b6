//! Toggle A1: where the terms of a linear combination lie. Nothing else in this package looks at the feature.

/// The terms: always on the heap.
#[cfg(not(feature = "smallvec"))]
pub(super) type Terms<Term> = Vec<Term>;

/// The terms: the first [`INLINE`] in the combination itself, on the heap as soon as there are more.
#[cfg(feature = "smallvec")]
pub(super) type Terms<Term> = smallvec::SmallVec<[Term; INLINE]>;

/// Two terms of 40 bytes. In Filecoin's `PoRep` circuit 56 of 100 combinations have one term, and most of the others are
/// `1 - bit` or empty, so two spare nearly every allocation; each further one would be cleared and copied with every
/// combination that is made or moved, needed or not. Instructions of synthesizing bellpepper's SHA-256 and neptune's
/// Poseidon (arity 8), counted with rustc 1.95 against those of 2: 1 takes 11% and 0% more, 3 takes 2% and 2% more.
#[cfg(feature = "smallvec")]
const INLINE: usize = 2;
