//! The design, and the arms of a list: `A1`, `A2+A4`, `W=12`, `all`.

use super::error::{Problem, hint};
use super::{ALL, BASE, BASE_AGAIN, Choice, Design, Factor, Fraction, wire};

/// Reads `[design]`; without one, each factor is tried alone.
pub(super) fn design(wire: Option<wire::Design>, factors: &[Factor]) -> Result<Design, Problem> {
    let Some(wire) = wire else { return Ok(Design::AddOne) };
    let kind = wire.kind.as_str();
    if kind != "list" && wire.arms.is_some() && KINDS.contains(&kind) {
        return Err(Problem::new("design.arms", "only kind = \"list\" names its arms; leave the key out"));
    }
    if kind != "fraction" && wire.fraction.is_some() && KINDS.contains(&kind) {
        return Err(Problem::new("design.fraction", "only kind = \"fraction\" has one; leave the key out"));
    }
    match (kind, wire.arms) {
        ("list", Some(arms)) if !arms.is_empty() || factors.is_empty() => list(&arms, factors),
        ("list", None) if factors.is_empty() => Ok(Design::List(Vec::new())),
        ("list", _) => Err(Problem::new("design.arms", "name the arms to run, such as [\"A1\", \"A2+A4\", \"all\"]")),
        ("full", _) => Ok(Design::Full),
        ("fraction", _) => fraction(wire.fraction.as_deref(), factors),
        ("add-one", _) => Ok(Design::AddOne),
        ("leave-one-out", _) => Ok(Design::LeaveOneOut),
        ("add-and-leave", _) => Ok(Design::AddAndLeave),
        (other, _) => {
            let hint = hint(other, &KINDS);
            Err(Problem::new("design.kind", format!("unknown design `{other}`; {hint}")))
        }
    }
}

const KINDS: [&str; 6] = ["full", "fraction", "add-one", "leave-one-out", "add-and-leave", "list"];

fn fraction(fraction: Option<&str>, factors: &[Factor]) -> Result<Design, Problem> {
    if let Some(factor) = factors.iter().find(|factor| factor.lever.levels() > 2) {
        let text = format!(
            "a fraction is made of factors of two levels, and {} has {}; write \"full\", or \"list\" and name the arms",
            factor.id,
            factor.lever.levels()
        );
        return Err(Problem::new("design.kind", text));
    }
    match fraction {
        Some("half") => Ok(Design::Fraction(Fraction::Half)),
        Some("quarter") => Ok(Design::Fraction(Fraction::Quarter)),
        Some(other) => Err(Problem::new(
            "design.fraction",
            format!("unknown fraction `{other}`; {}", hint(other, &["half", "quarter"])),
        )),
        None => Err(Problem::new("design.fraction", "say how much of the full design to run: \"half\" or \"quarter\"")),
    }
}

fn list(arms: &[String], factors: &[Factor]) -> Result<Design, Problem> {
    let mut choices: Vec<Choice> = Vec::new();
    for (index, arm) in arms.iter().enumerate() {
        let key = format!("design.arms[{index}]");
        let choice = choice(arm, factors).map_err(|text| Problem::new(key.as_str(), text))?;
        if let Some(first) = choices.iter().position(|other| *other == choice) {
            return Err(Problem::new(key, format!("`{arm}` is the same arm as `{}`; once is enough", arms[first])));
        }
        choices.push(choice);
    }
    Ok(Design::List(choices))
}

/// Reads one arm of a list, or says what is wrong with it.
fn choice(arm: &str, factors: &[Factor]) -> Result<Choice, String> {
    if arm == ALL {
        if factors.is_empty() {
            return Err("`all` needs factors; add a [[factor]]".into());
        }
        return Ok(factors.iter().map(|factor| (factor.id.clone(), factor.lever.levels() - 1)).collect());
    }
    if arm == BASE || arm == BASE_AGAIN {
        return Err(format!("`{arm}` always runs; leave it out"));
    }
    let mut choice = Choice::new();
    for part in arm.split('+') {
        let (id, level) = part.split_once('=').map_or((part, None), |(id, level)| (id, Some(level)));
        let Some(factor) = factors.iter().find(|factor| factor.id == id) else {
            let ids: Vec<&str> = factors.iter().map(|factor| factor.id.as_str()).collect();
            return Err(format!("no factor has the id `{id}`; {}", hint(id, &ids)));
        };
        if choice.insert(factor.id.clone(), level_index(factor, level)?).is_some() {
            return Err(format!("`{arm}` names factor `{id}` twice"));
        }
    }
    Ok(choice)
}

fn level_index(factor: &Factor, level: Option<&str>) -> Result<usize, String> {
    let id = &factor.id;
    let Some(levels) = factor.lever.named_levels() else {
        return level.map_or(Ok(1), |_| Err(format!("`{id}` is a feature, off or on: write `{id}` alone")));
    };
    match level {
        None if levels.len() == 2 => Ok(1),
        None => Err(format!("`{id}` has {} levels: write which, such as `{id}={}`", levels.len(), levels[1])),
        Some(level) => match levels.iter().position(|known| known == level) {
            Some(0) => Err(format!("`{id}={level}` is the level of base, which always runs; leave it out")),
            Some(index) => Ok(index),
            None => Err(format!("factor `{id}` has no level `{level}`; it has {}", levels.join(", "))),
        },
    }
}
