//! Halves and quarters of a two-level design.
//!
//! A regular fraction runs the arms in which each *word*, a set of factors, has an even number of them on. So base is always
//! among them, and effects whose factors differ by a word cannot be told apart: they are *aliases*. The length of the
//! shortest word is the *resolution*; at V main effects and two-factor interactions are clear of each other (Box and Hunter,
//! Technometrics 3, 1961, 311–351 and 449–458). Words are chosen for the highest resolution, then for the fewest words of
//! that length, of the next, and so on: minimum aberration (Fries and Hunter, Technometrics 22, 1980, 601–608), by trying all.
//!
//! Factors are bits: bit i of a set is the i-th factor.

use super::{DesignError, MAX_COMBINATIONS};
use crate::experiment::{Choice, Experiment, Factor, Fraction};

/// A set of factors.
pub type Set = u32;

/// A regular fraction: the words that hold together, besides the empty one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regular {
    /// How many factors.
    pub factors: usize,
    /// One word for a half; two and their difference for a quarter.
    pub words: Vec<Set>,
}

impl Regular {
    /// The best fraction of so many factors. `None` where it could not tell the factors apart: a half needs three, a
    /// quarter five. More than 20 factors have none either.
    pub fn best(factors: usize, part: Fraction) -> Option<Self> {
        let all: Set = if (3..=20).contains(&factors) { (1 << factors) - 1 } else { return None };
        let words = match part {
            Fraction::Half => vec![all],
            Fraction::Quarter => best_pair(factors)?,
        };
        Some(Self { factors, words })
    }

    /// The length of the shortest word.
    pub fn resolution(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).min().unwrap_or(0)
    }

    /// Whether the arm with these factors on is in the fraction.
    pub fn holds(&self, on: Set) -> bool {
        self.words.iter().all(|word| (word & on).count_ones().is_multiple_of(2))
    }

    /// Whether it has the arm with every factor on.
    pub fn holds_all(&self) -> bool {
        self.holds((1 << self.factors) - 1)
    }

    /// The effects that cannot be told apart from `effect`, by length, then by their factors' order.
    pub fn aliases(&self, effect: Set) -> Vec<Set> {
        let mut aliases: Vec<Set> = self.words.iter().map(|word| word ^ effect).collect();
        aliases.sort_by_key(|&set| (set.count_ones(), members(set)));
        aliases
    }
}

/// The factors of a set, ascending.
pub fn members(set: Set) -> Vec<usize> {
    (0..32).filter(|bit| set >> bit & 1 == 1).collect()
}

/// The two words that make the best quarter. The last factor but one is in the first word alone of the two last, the last one
/// in the second alone, which only names the factors and loses no design.
fn best_pair(factors: usize) -> Option<Vec<Set>> {
    if factors < 5 {
        return None;
    }
    // By symmetry only lengths matter: how many of the free factors are in the first word alone, in both, in the second alone.
    let free = factors - 2;
    let candidates = (0..=free).flat_map(|first| {
        (0..=free - first).flat_map(move |both| (0..=free - first - both).map(move |second| (first, both, second)))
    });
    let words = |(first, both, second): (usize, usize, usize)| {
        let ones = |from: usize, count: usize| ((1 << count) - 1) << from;
        let one: Set = ones(0, first + both) | 1 << free;
        let other: Set = ones(first, both + second) | 1 << (free + 1);
        vec![one, other, one ^ other]
    };
    candidates.map(words).min_by_key(|words| pattern(words))
}

/// How many words there are of each length from 1 on: the earlier the first, the worse.
fn pattern(words: &[Set]) -> Vec<usize> {
    (1..=20).map(|length| words.iter().filter(|word| word.count_ones() == length).count()).collect()
}

/// The fraction's combinations besides base, and the one with every factor on: in the fraction or beside it, that one shows
/// whether what the fraction says of the parts holds for the whole.
pub(super) fn choices(
    experiment: &Experiment,
    factors: &[&Factor],
    part: Fraction,
) -> Result<Vec<Choice>, DesignError> {
    let refused = |text: String| DesignError::NoFraction { file: experiment.file.clone(), text };
    let Some(regular) = Regular::best(factors.len(), part) else {
        let (name, fewest) = if part == Fraction::Half { ("half", 3) } else { ("quarter", 5) };
        let count = factors.len();
        return Err(refused(if count < fewest {
            format!("a {name} needs at least {fewest} factors, and there are {count}; write \"full\"")
        } else {
            format!("{count} factors are too many; write \"add-and-leave\"")
        }));
    };
    let arms = (1_u128 << factors.len()) / (regular.words.len() as u128 + 1);
    if arms > MAX_COMBINATIONS {
        let text =
            format!("{arms} arms of {} factors, more than {MAX_COMBINATIONS}; write \"add-and-leave\"", factors.len());
        return Err(refused(text));
    }
    let all: Set = (1 << factors.len()) - 1;
    let on = |set: Set| -> Choice {
        let on = |(bit, factor): (usize, &&Factor)| (set >> bit & 1 == 1).then(|| (factor.id.clone(), 1));
        factors.iter().enumerate().filter_map(on).collect()
    };
    Ok((1..=all).filter(|&set| regular.holds(set) || set == all).map(on).collect())
}
