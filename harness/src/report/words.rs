//! Words and signs for the judge's and the record's values, in one place for every surface.

use crate::judge::Verdict;
use crate::record::FindingKind;

impl Verdict {
    /// A sign beside the word, so that a table can be scanned and colour is never alone.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Regression => "▲",
            Self::Improvement => "▼",
            Self::Equivalent => "=",
            Self::Inconclusive => "?",
            Self::Invalid | Self::Stale => "!",
            Self::MeasuredNothing => "∅",
        }
    }

    /// The word as a CSS class.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::MeasuredNothing => "nothing",
            verdict => verdict.word(),
        }
    }

    /// Whether something became slower, faster, larger or smaller.
    pub(super) fn is_change(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement)
    }
}

impl FindingKind {
    /// The word in tables, files and pages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Inert => "inert",
            Self::Leaking => "leaking",
            Self::WrongBinary => "wrong binary",
            Self::BuildFailed => "build failed",
            Self::NotReproducible => "not reproducible",
            Self::InputsMoved => "inputs moved",
        }
    }
}
