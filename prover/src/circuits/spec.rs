//! The text form of a circuit: `sha256:BLOCKS` or `mixed:BLOCKS,HASHES`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// More than this many compressions would not fit a domain of 2^27.
const BLOCKS: RangeInclusive<usize> = 1..=4096;
/// More than this many hashes would not fit a domain of 2^27 either.
const HASHES: RangeInclusive<usize> = 1..=100_000;

/// Which circuit, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CircuitSpec {
    /// The SHA-256 digest of a private message that takes `blocks` compressions, padding included.
    Sha256 {
        /// The number of compressions.
        blocks: usize,
    },
    /// The same, and a chain of `hashes` Poseidon hashes of arity 8.
    Mixed {
        /// The number of compressions.
        blocks: usize,
        /// The length of the chain.
        hashes: usize,
    },
}

impl CircuitSpec {
    /// About how many constraints it has: within 3 %, without building it.
    pub fn about_constraints(self) -> u64 {
        const BLOCK: u64 = 26_700;
        const HASH: u64 = 388;
        match self {
            Self::Sha256 { blocks } => BLOCK * blocks as u64,
            Self::Mixed { blocks, hashes } => BLOCK * blocks as u64 + HASH * hashes as u64,
        }
    }
}

/// Why a text is no circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The part before the colon is unknown.
    #[error(
        "circuit `{text}`: unknown kind `{kind}`; accepted are sha256:BLOCKS and mixed:BLOCKS,HASHES, for example mixed:2,20"
    )]
    UnknownKind {
        /// What was given.
        text: String,
        /// The part before the colon.
        kind: String,
    },
    /// Too few or too many sizes.
    #[error("circuit `{text}`: {found} where {form} wants {wanted}; for example {example}")]
    WrongCount {
        /// What was given.
        text: String,
        /// How many sizes were given, as a phrase.
        found: String,
        /// The form of this kind.
        form: &'static str,
        /// How many sizes it wants.
        wanted: usize,
        /// A specification that is accepted.
        example: &'static str,
    },
    /// A size that is no number, or out of range.
    #[error("circuit `{text}`: {name} is `{value}`, not a whole number from {from} to {to}; for example {example}")]
    BadSize {
        /// What was given.
        text: String,
        /// Which size.
        name: &'static str,
        /// The size as it was given.
        value: String,
        /// The smallest size accepted.
        from: usize,
        /// The largest size accepted.
        to: usize,
        /// A specification that is accepted.
        example: &'static str,
    },
}

/// One kind of circuit as it is written.
struct Form {
    text: &'static str,
    example: &'static str,
    sizes: &'static [(&'static str, RangeInclusive<usize>)],
}

const SHA256: Form = Form { text: "sha256:BLOCKS", example: "sha256:2", sizes: &[("BLOCKS", BLOCKS)] };
const MIXED: Form =
    Form { text: "mixed:BLOCKS,HASHES", example: "mixed:2,20", sizes: &[("BLOCKS", BLOCKS), ("HASHES", HASHES)] };

impl FromStr for CircuitSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (kind, sizes) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "sha256" => {
                let [blocks] = SHA256.parse(text, sizes)?;
                Ok(Self::Sha256 { blocks })
            }
            "mixed" => {
                let [blocks, hashes] = MIXED.parse(text, sizes)?;
                Ok(Self::Mixed { blocks, hashes })
            }
            _ => Err(SpecError::UnknownKind { text: text.to_owned(), kind: kind.to_owned() }),
        }
    }
}

impl Form {
    fn parse<const N: usize>(&self, text: &str, sizes: &str) -> Result<[usize; N], SpecError> {
        let values: Vec<&str> = if sizes.is_empty() { Vec::new() } else { sizes.split(',').collect() };
        if values.len() != N {
            return Err(SpecError::WrongCount {
                text: text.to_owned(),
                found: phrase(values.len()),
                form: self.text,
                wanted: N,
                example: self.example,
            });
        }
        let mut parsed = [0; N];
        for (slot, (value, (name, range))) in parsed.iter_mut().zip(values.into_iter().zip(self.sizes)) {
            *slot = parse_size(value, range).ok_or_else(|| SpecError::BadSize {
                text: text.to_owned(),
                name,
                value: value.to_owned(),
                from: *range.start(),
                to: *range.end(),
                example: self.example,
            })?;
        }
        Ok(parsed)
    }
}

/// Plain digits only: `str::parse` would also take `+2`, and a circuit has one name, not two.
fn parse_size(value: &str, range: &RangeInclusive<usize>) -> Option<usize> {
    let plain = value.bytes().all(|byte| byte.is_ascii_digit()) && (value == "0" || !value.starts_with('0'));
    value.parse().ok().filter(|size| plain && range.contains(size))
}

fn phrase(count: usize) -> String {
    match count {
        0 => "no size".to_owned(),
        1 => "1 size".to_owned(),
        more => format!("{more} sizes"),
    }
}

impl fmt::Display for CircuitSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sha256 { blocks } => write!(f, "sha256:{blocks}"),
            Self::Mixed { blocks, hashes } => write!(f, "mixed:{blocks},{hashes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<CircuitSpec>().unwrap_err().to_string()
    }

    #[test]
    fn texts_round_trip() {
        for text in ["sha256:1", "sha256:38", "mixed:30,500", "mixed:4096,100000"] {
            assert_eq!(text.parse::<CircuitSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn unknown_kinds_are_named() {
        let accepted = "accepted are sha256:BLOCKS and mixed:BLOCKS,HASHES, for example mixed:2,20";
        assert_eq!(error("sha3:2"), format!("circuit `sha3:2`: unknown kind `sha3`; {accepted}"));
        assert_eq!(error(""), format!("circuit ``: unknown kind ``; {accepted}"));
        assert_eq!(error("Mixed:2,20"), format!("circuit `Mixed:2,20`: unknown kind `Mixed`; {accepted}"));
    }

    #[test]
    fn a_wrong_number_of_sizes_is_named() {
        assert_eq!(error("sha256"), "circuit `sha256`: no size where sha256:BLOCKS wants 1; for example sha256:2");
        assert_eq!(
            error("mixed:2"),
            "circuit `mixed:2`: 1 size where mixed:BLOCKS,HASHES wants 2; for example mixed:2,20"
        );
        assert_eq!(
            error("sha256:2,3"),
            "circuit `sha256:2,3`: 2 sizes where sha256:BLOCKS wants 1; for example sha256:2"
        );
    }

    #[test]
    fn a_bad_size_is_named_with_its_range() {
        assert_eq!(
            error("sha256:0"),
            "circuit `sha256:0`: BLOCKS is `0`, not a whole number from 1 to 4096; for example sha256:2"
        );
        for value in ["-1", "x", "1.5", "+2", "02", " 2", "100001", "18446744073709551616", ""] {
            let expected = format!("HASHES is `{value}`, not a whole number from 1 to 100000; for example mixed:2,20");
            assert!(error(&format!("mixed:2,{value}")).ends_with(&expected), "{value:?}");
        }
    }
}
