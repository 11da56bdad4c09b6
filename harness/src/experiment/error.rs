//! What can be wrong with an experiment file, said so that its author knows where to look and what to write.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why an experiment could not be read.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file itself could not be read.
    #[error("cannot read experiment {}", file.display())]
    Unreadable {
        /// The file as it was named.
        file: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No Cargo.toml at or above the file, and no root was named.
    #[error("{}: no Cargo.toml here or above, so the project's root is unknown; name it with -C DIR", from.display())]
    NoRoot {
        /// Where the search began.
        from: PathBuf,
    },
    /// The root that `-C` names is no folder.
    #[error("-C {}: not a folder that can be entered", root.display())]
    BadRoot {
        /// The root as it was named.
        root: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The text is not TOML.
    #[error("{place}: not valid TOML: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser says.
        message: String,
    },
    /// A key that no experiment has.
    #[error("{place}: unknown key `{key}` {table}; {hint}")]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key as it was written.
        key: String,
        /// The table it stands in: `in [[bench]]`, `at the top level`.
        table: String,
        /// The nearest known key, or all of them.
        hint: String,
    },
    /// A key whose value is missing or not accepted.
    #[error("{place}: {key}: {text}")]
    Value {
        /// Where.
        place: Place,
        /// Dotted key, such as `bench[1].metric`.
        key: String,
        /// What is wrong and what is accepted.
        text: String,
    },
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// A value that breaks a rule, before it is known on which line it stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// Dotted key.
    pub(super) key: String,
    /// What is wrong and what is accepted.
    pub(super) text: String,
}

impl Problem {
    pub(super) fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into() }
    }
}

/// The candidate nearest to `word`, if one is near enough to be what was meant.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && distance < candidate.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// What to say about a word that is none of `candidates`.
pub(crate) fn hint(word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_word() {
        let known = ["name", "args", "metric", "parse", "timeout"];
        assert_eq!(nearest("metrik", known), Some("metric"));
        assert_eq!(nearest("tiemout", known), Some("timeout"));
        assert_eq!(nearest("arg", known), Some("args"));
    }

    #[test]
    fn a_strange_word_lists_what_is_known() {
        assert_eq!(nearest("colour", ["name", "args"]), None);
        assert_eq!(hint("colour", &["name", "args"]), "known: name, args");
    }
}
