//! The text form of a circuit: `sha256:BLOCKS`, `mixed:BLOCKS,HASHES` or `porep:CHALLENGES[:LAYERS]`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// More than this many compressions would not fit a domain of 2^27.
const BLOCKS: RangeInclusive<usize> = 1..=4096;
/// More than this many hashes would not fit a domain of 2^27 either.
const HASHES: RangeInclusive<usize> = 1..=100_000;

/// How deep Filecoin's stack of graphs is: as in its small test sectors, or as in its real ones.
#[cfg(feature = "porep")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layers {
    /// Two layers, the default.
    Two,
    /// Eleven layers.
    Eleven,
}

#[cfg(feature = "porep")]
impl Layers {
    /// How many they are.
    pub const fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Eleven => 11,
        }
    }

    /// The constraints of one challenge.
    const fn constraints(self) -> u64 {
        match self {
            Self::Two => 1_343_675,
            Self::Eleven => 6_080_657,
        }
    }

    /// More than this many challenges would not fit a domain of 2^27.
    const fn challenges(self) -> RangeInclusive<usize> {
        match self {
            Self::Two => 1..=99,
            Self::Eleven => 1..=22,
        }
    }
}

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
    /// Filecoin's proof of replication of a sector of 2 KiB.
    #[cfg(feature = "porep")]
    Porep {
        /// The number of nodes whose labels and encodings are opened.
        challenges: usize,
        /// The depth of the stack of graphs.
        layers: Layers,
    },
}

impl CircuitSpec {
    /// Whether the circuit is made by Filecoin's libraries, which read settings from their surroundings.
    pub const fn is_filecoins(self) -> bool {
        match self {
            Self::Sha256 { .. } | Self::Mixed { .. } => false,
            #[cfg(feature = "porep")]
            Self::Porep { .. } => true,
        }
    }

    /// About how many constraints it has: within 3 %, without building it.
    pub fn about_constraints(self) -> u64 {
        const BLOCK: u64 = 26_700;
        const HASH: u64 = 388;
        match self {
            Self::Sha256 { blocks } => BLOCK * blocks as u64,
            Self::Mixed { blocks, hashes } => BLOCK * blocks as u64 + HASH * hashes as u64,
            #[cfg(feature = "porep")]
            Self::Porep { challenges, layers } => layers.constraints() * challenges as u64,
        }
    }
}

/// Why a text is no circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The part before the colon is unknown.
    #[error(
        "circuit `{text}`: unknown kind `{kind}`; accepted are sha256:BLOCKS, mixed:BLOCKS,HASHES and \
         porep:CHALLENGES[:LAYERS], for example mixed:2,20"
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
        wanted: &'static str,
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
    /// A depth that Filecoin does not have.
    #[cfg(feature = "porep")]
    #[error("circuit `{text}`: LAYERS is `{value}`, not 2 or 11; for example porep:1:11")]
    BadLayers {
        /// What was given.
        text: String,
        /// The depth as it was given.
        value: String,
    },
    /// A circuit that this build leaves out.
    #[cfg(not(feature = "porep"))]
    #[error(
        "circuit `{text}`: this build has no feature `porep`; build the program with it, or choose another circuit"
    )]
    NotBuilt {
        /// What was given.
        text: String,
    },
}

/// One kind of circuit as it is written.
struct Form {
    text: &'static str,
    wanted: &'static str,
    example: &'static str,
    sizes: &'static [(&'static str, RangeInclusive<usize>)],
}

const SHA256: Form = Form { text: "sha256:BLOCKS", wanted: "1", example: "sha256:2", sizes: &[("BLOCKS", BLOCKS)] };
const MIXED: Form = Form {
    text: "mixed:BLOCKS,HASHES",
    wanted: "2",
    example: "mixed:2,20",
    sizes: &[("BLOCKS", BLOCKS), ("HASHES", HASHES)],
};

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
            "porep" => parse_porep(text, sizes),
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
                wanted: self.wanted,
                example: self.example,
            });
        }
        let mut parsed = [0; N];
        for (slot, (value, (name, range))) in parsed.iter_mut().zip(values.into_iter().zip(self.sizes)) {
            *slot = parse_size(value, range).ok_or_else(|| bad_size(text, name, value, range, self.example))?;
        }
        Ok(parsed)
    }
}

fn bad_size(
    text: &str,
    name: &'static str,
    value: &str,
    range: &RangeInclusive<usize>,
    example: &'static str,
) -> SpecError {
    let (text, value, from, to) = (text.to_owned(), value.to_owned(), *range.start(), *range.end());
    SpecError::BadSize { text, name, value, from, to, example }
}

#[cfg(feature = "porep")]
fn parse_porep(text: &str, sizes: &str) -> Result<CircuitSpec, SpecError> {
    let parts: Vec<&str> = if sizes.is_empty() { Vec::new() } else { sizes.split(':').collect() };
    let (challenges, layers) = match parts[..] {
        [challenges] => (challenges, Layers::Two),
        [challenges, "2"] => (challenges, Layers::Two),
        [challenges, "11"] => (challenges, Layers::Eleven),
        [_, value] => return Err(SpecError::BadLayers { text: text.to_owned(), value: value.to_owned() }),
        _ => {
            let (found, form) = (phrase(parts.len()), "porep:CHALLENGES[:LAYERS]");
            return Err(SpecError::WrongCount {
                text: text.to_owned(),
                found,
                form,
                wanted: "1 or 2",
                example: "porep:1",
            });
        }
    };
    let range = layers.challenges();
    let bad = || bad_size(text, "CHALLENGES", challenges, &range, "porep:1");
    Ok(CircuitSpec::Porep { challenges: parse_size(challenges, &range).ok_or_else(bad)?, layers })
}

#[cfg(not(feature = "porep"))]
fn parse_porep(text: &str, _: &str) -> Result<CircuitSpec, SpecError> {
    Err(SpecError::NotBuilt { text: text.to_owned() })
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
            #[cfg(feature = "porep")]
            Self::Porep { challenges, layers: Layers::Two } => write!(f, "porep:{challenges}"),
            #[cfg(feature = "porep")]
            Self::Porep { challenges, layers } => write!(f, "porep:{challenges}:{}", layers.count()),
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
        let accepted =
            "accepted are sha256:BLOCKS, mixed:BLOCKS,HASHES and porep:CHALLENGES[:LAYERS], for example mixed:2,20";
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

    #[cfg(feature = "porep")]
    #[test]
    fn porep_has_a_depth_that_may_be_left_out() {
        for (text, canonical) in [("porep:1", "porep:1"), ("porep:4:2", "porep:4"), ("porep:22:11", "porep:22:11")] {
            assert_eq!(text.parse::<CircuitSpec>().unwrap().to_string(), canonical);
        }
        let range = |to| format!("not a whole number from 1 to {to}; for example porep:1");
        assert_eq!(error("porep:0"), format!("circuit `porep:0`: CHALLENGES is `0`, {}", range(99)));
        assert_eq!(error("porep:23:11"), format!("circuit `porep:23:11`: CHALLENGES is `23`, {}", range(22)));
        assert_eq!(error("porep:1:3"), "circuit `porep:1:3`: LAYERS is `3`, not 2 or 11; for example porep:1:11");
        let count = "where porep:CHALLENGES[:LAYERS] wants 1 or 2; for example porep:1";
        assert_eq!(error("porep"), format!("circuit `porep`: no size {count}"));
        assert_eq!(error("porep:1:2:3"), format!("circuit `porep:1:2:3`: 3 sizes {count}"));
    }

    #[cfg(not(feature = "porep"))]
    #[test]
    fn porep_is_refused_where_it_is_not_built() {
        let expected = "circuit `porep:1`: this build has no feature `porep`; build the program with it, or choose \
                        another circuit";
        assert_eq!(error("porep:1"), expected);
    }
}
