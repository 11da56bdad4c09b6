//! What factors ask of each other: `requires = ["A2"]`, `conflicts = ["B1", "W=12"]`.

use super::error::{Problem, hint};
use super::{Ask, Constraint, Factor, wire};

/// What one factor asks, as written.
pub(super) struct Asked {
    factor: String,
    ask: Ask,
    of: Vec<String>,
}

/// Takes the wishes of each factor from the wire, two for each: what it requires and what it conflicts with.
pub(super) fn asked(factors: &[wire::Factor]) -> Vec<Asked> {
    let both = |factor: &wire::Factor| {
        let asked = |ask, of: &[String]| Asked { factor: factor.id.clone(), ask, of: of.to_vec() };
        [asked(Ask::Requires, &factor.requires), asked(Ask::Conflicts, &factor.conflicts)]
    };
    factors.iter().flat_map(both).collect()
}

/// Checks that each names another factor, and a level that it has.
pub(super) fn constraints(asked: &[Asked], factors: &[Factor]) -> Result<Vec<Constraint>, Problem> {
    let mut constraints: Vec<Constraint> = Vec::new();
    for (at, Asked { factor, ask, of }) in asked.iter().enumerate() {
        for (index, other) in of.iter().enumerate() {
            let word = if *ask == Ask::Requires { "requires" } else { "conflicts" };
            let key = format!("factor[{}].{word}[{index}]", at / 2);
            let constraint =
                constraint(factor, *ask, other, factors).map_err(|text| Problem::new(key.as_str(), text))?;
            let opposite = |known: &&Constraint| {
                known.factor == *factor
                    && known.other == constraint.other
                    && known.level == constraint.level
                    && known.ask != *ask
            };
            if constraints.iter().any(|known| opposite(&known)) {
                return Err(Problem::new(
                    key,
                    format!("`{factor}` cannot both require `{other}` and conflict with it"),
                ));
            }
            constraints.push(constraint);
        }
    }
    Ok(constraints)
}

fn constraint(factor: &str, ask: Ask, other: &str, factors: &[Factor]) -> Result<Constraint, String> {
    let (id, level) = other.split_once('=').map_or((other, None), |(id, level)| (id, Some(level)));
    if id == factor {
        return Err(format!("`{factor}` names itself; name another factor"));
    }
    let Some(found) = factors.iter().find(|factor| factor.id == id) else {
        let ids: Vec<&str> = factors.iter().map(|factor| factor.id.as_str()).collect();
        return Err(format!("no factor has the id `{id}`; {}", hint(id, &ids)));
    };
    let level = match (level, found.lever.named_levels()) {
        (None, _) => None,
        (Some(_), None) => return Err(format!("`{id}` is a feature, off or on: write `{id}` alone")),
        (Some(level), Some(levels)) => match levels.iter().position(|known| known == level) {
            Some(0) => return Err(format!("`{other}` is the level of base; name another, or say the opposite")),
            Some(index) => Some(index),
            None => return Err(format!("factor `{id}` has no level `{level}`; it has {}", levels.join(", "))),
        },
    };
    Ok(Constraint { factor: factor.to_owned(), ask, other: id.to_owned(), level })
}
