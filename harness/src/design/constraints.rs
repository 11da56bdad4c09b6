//! What may not stand together: `requires` and `conflicts`, applied to choices of levels.
//!
//! A constraint speaks when its factor is at any level other than base's, so base itself never breaks one.

use crate::experiment::{Ask, Choice, Constraint, Factor};

/// The first constraint that the choice breaks. One that names a factor which is not among `factors` is not asked: a
/// factor that was left out is at base's level everywhere and cannot be required.
pub(super) fn broken<'a>(
    constraints: &'a [Constraint],
    factors: &[&Factor],
    choice: &Choice,
) -> Option<&'a Constraint> {
    let known = |constraint: &&Constraint| factors.iter().any(|factor| factor.id == constraint.other);
    constraints.iter().filter(known).find(|constraint| breaks(constraint, choice))
}

fn breaks(constraint: &Constraint, choice: &Choice) -> bool {
    let there = choice.get(&constraint.other).is_some_and(|level| constraint.level.is_none_or(|meant| meant == *level));
    choice.contains_key(&constraint.factor) && there == (constraint.ask == Ask::Conflicts)
}

/// The choice with everything that its factors require, and what these require in turn: at the level that is meant, or at
/// the first other than base's.
pub(super) fn with_what_it_requires(constraints: &[Constraint], factors: &[&Factor], choice: &Choice) -> Choice {
    let mut whole = choice.clone();
    loop {
        let missing = constraints.iter().find(|constraint| {
            constraint.ask == Ask::Requires
                && !whole.contains_key(&constraint.other)
                && factors.iter().any(|factor| factor.id == constraint.other)
                && breaks(constraint, &whole)
        });
        let Some(missing) = missing else { return whole };
        whole.insert(missing.other.clone(), missing.level.unwrap_or(1));
    }
}

/// The choice without the factors that require what it lacks, and without those that require these in turn.
pub(super) fn without_what_misses(constraints: &[Constraint], choice: &Choice) -> Choice {
    let mut possible = choice.clone();
    let misses = |possible: &Choice| {
        let broken =
            constraints.iter().find(|constraint| constraint.ask == Ask::Requires && breaks(constraint, possible));
        broken.map(|constraint| constraint.factor.clone())
    };
    while let Some(factor) = misses(&possible) {
        possible.remove(&factor);
    }
    possible
}

/// The constraint as a sentence: `A4 requires A2`.
pub(super) fn words(constraint: &Constraint) -> String {
    let verb = if constraint.ask == Ask::Requires { "requires" } else { "conflicts with" };
    let level = constraint.level.map(|_| " at one level").unwrap_or_default();
    format!("{} {verb} {}{level}", constraint.factor, constraint.other)
}

/// Why `count` combinations are gone, of which one breaks `first`.
pub(super) fn reason(first: &Constraint, count: usize) -> String {
    if count == 1 { words(first) } else { format!("{} (the first of the reasons)", words(first)) }
}
