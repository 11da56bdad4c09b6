//! Factors and command arms: their ids, what they act through, their levels.

use super::error::{Problem, hint};
use super::validate::{distinct, not_blank};
use super::{BASE, Change, CommandArm, Factor, Lever, RESERVED, wire};
use crate::worker::VARIABLE as MARK;

pub(super) fn factors(wire: Vec<wire::Factor>) -> Result<Vec<Factor>, Problem> {
    let mut factors: Vec<Factor> = Vec::new();
    for (index, factor) in wire.into_iter().enumerate() {
        let table = format!("factor[{index}]");
        check_id(&table, &factor.id, &[])?;
        if let Some(first) = factors.iter().position(|other| other.id == factor.id) {
            return Err(taken(&table, &factor.id, &format!("factor[{first}]")));
        }
        let factor = checked_factor(&table, factor)?;
        if let Some(other) = factors.iter().find(|other| other.lever.acts_through() == factor.lever.acts_through()) {
            let text = format!("{} acts through the same {}", other.id, factor.lever.acts_through());
            return Err(Problem::new(table, format!("{text}; give each factor its own")));
        }
        factors.push(factor);
    }
    Ok(factors)
}

pub(super) fn commands(wire: Vec<wire::Arm>, factors: &[Factor], has_target: bool) -> Result<Vec<CommandArm>, Problem> {
    let mut commands: Vec<CommandArm> = Vec::new();
    for (index, arm) in wire.into_iter().enumerate() {
        let table = format!("arm[{index}]");
        let allowed: &[&str] = if has_target { &[] } else { &[BASE] };
        check_id(&table, &arm.id, allowed)?;
        if let Some(first) = commands.iter().position(|other| other.id == arm.id) {
            return Err(taken(&table, &arm.id, &format!("arm[{first}]")));
        }
        if let Some(first) = factors.iter().position(|factor| factor.id == arm.id) {
            return Err(taken(&table, &arm.id, &format!("factor[{first}]")));
        }
        check_words(&format!("{table}.command"), &arm.command, "name the program, then its leading arguments")?;
        if let Some(build) = &arm.build {
            check_words(&format!("{table}.build"), build, "name the program that builds it, then its arguments")?;
        }
        let arm = CommandArm { id: arm.id, command: arm.command, build: arm.build.unwrap_or_default() };
        check_overwritten(&table, &arm, &commands)?;
        commands.push(arm);
    }
    if !has_target && !commands.iter().any(|arm| arm.id == BASE) {
        let text =
            "nothing to compare with: add a [target] to build, or an [[arm]] with id = \"base\" and its `command`";
        return Err(Problem::new("target", text));
    }
    Ok(commands)
}

/// Commands are built one after another, so one path holds what was built last.
fn check_overwritten(table: &str, arm: &CommandArm, before: &[CommandArm]) -> Result<(), Problem> {
    let builds = |other: &&CommandArm| !other.build.is_empty() && other.command.first() == arm.command.first();
    match before.iter().find(builds) {
        Some(other) if !arm.build.is_empty() && arm.build != other.build => {
            let text = format!(
                "makes `{}`, which arm `{}` builds by another command: both arms would run what is built last; give each \
                 program a path of its own",
                arm.command[0], other.id
            );
            Err(Problem::new(format!("{table}.build"), text))
        }
        _ => Ok(()),
    }
}

/// A command line starts with a program.
fn check_words(key: &str, words: &[String], remedy: &str) -> Result<(), Problem> {
    match words.first() {
        Some(program) => not_blank(format!("{key}[0]"), program),
        None => Err(Problem::new(key, remedy)),
    }
}

/// An id is a part of arms' names, which join factors with `+` and levels with `=`.
fn check_id(table: &str, id: &str, allowed: &[&str]) -> Result<(), Problem> {
    let key = format!("{table}.id");
    not_blank(key.as_str(), id)?;
    if RESERVED.contains(&id) && !allowed.contains(&id) {
        return Err(Problem::new(key, format!("`{id}` is reserved ({}); choose another", RESERVED.join(", "))));
    }
    if id.contains(|c: char| c == '+' || c == '=' || c.is_whitespace() || c.is_control()) {
        let text = format!("{id:?} may not contain `+`, `=` or whitespace, which separate the parts of an arm's name");
        return Err(Problem::new(key, text));
    }
    Ok(())
}

fn taken(table: &str, id: &str, by: &str) -> Problem {
    Problem::new(format!("{table}.id"), format!("`{id}` is already the id of {by}; give each its own"))
}

fn checked_factor(table: &str, wire: wire::Factor) -> Result<Factor, Problem> {
    if let Some(backend) = &wire.backend {
        not_blank(format!("{table}.backend"), backend)?;
    }
    if let Some(fact) = &wire.fact {
        not_blank(format!("{table}.fact"), fact)?;
    }
    let lever = match (wire.feature, wire.arg, wire.env) {
        (Some(feature), None, None) => feature_lever(table, feature, wire.levels.is_some())?,
        (None, Some(flag), None) => {
            check_flag(table, &flag)?;
            Lever::Argument { flag, levels: levels(table, wire.levels)? }
        }
        (None, None, Some(name)) => {
            check_variable(table, &name)?;
            Lever::Environment { name, levels: levels(table, wire.levels)? }
        }
        _ => {
            return Err(Problem::new(
                table,
                "a factor acts through one of `feature`, `arg` and `env`; give exactly one",
            ));
        }
    };
    let changes = changes(table, wire.changes, &lever)?;
    Ok(Factor { id: wire.id, lever, changes, backend: wire.backend, fact: wire.fact })
}

fn feature_lever(table: &str, feature: String, has_levels: bool) -> Result<Lever, Problem> {
    let key = format!("{table}.feature");
    not_blank(key.as_str(), &feature)?;
    if feature.contains([',', ' ']) {
        return Err(Problem::new(key, format!("{feature:?} is not one feature; write a factor for each")));
    }
    if feature == "default" {
        let text = "`default` is off in every build, and on it is only a name for other features; make those factors";
        return Err(Problem::new(key, text));
    }
    if has_levels {
        return Err(Problem::new(format!("{table}.levels"), "a feature is off or on; levels go with `arg` or `env`"));
    }
    Ok(Lever::Feature(feature))
}

fn check_flag(table: &str, flag: &str) -> Result<(), Problem> {
    if flag.len() > 1 && flag.starts_with('-') && !flag.contains(char::is_whitespace) {
        return Ok(());
    }
    let text = format!("{flag:?} is not a flag; write one such as \"--window\", its values go into `levels`");
    Err(Problem::new(format!("{table}.arg"), text))
}

fn check_variable(table: &str, name: &str) -> Result<(), Problem> {
    if name == MARK {
        let text = format!("{MARK} is what marks the processes of a sample; name another variable");
        return Err(Problem::new(format!("{table}.env"), text));
    }
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(letter) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(());
    }
    let text = format!("{name:?} is not the name of an environment variable; use letters, digits and `_`");
    Err(Problem::new(format!("{table}.env"), text))
}

fn levels(table: &str, levels: Option<Vec<String>>) -> Result<Vec<String>, Problem> {
    let key = format!("{table}.levels");
    let Some(levels) = levels.filter(|levels| levels.len() >= 2) else {
        return Err(Problem::new(key, "name at least two, base's first, such as [\"10\", \"12\"]"));
    };
    distinct(&key, &levels)?;
    match levels.iter().position(|level| level.contains(|c: char| c == '+' || c.is_control())) {
        None => Ok(levels),
        Some(at) => {
            Err(Problem::new(format!("{key}[{at}]"), "may not contain `+`, which joins factors in an arm's name"))
        }
    }
}

fn changes(table: &str, wire: Option<Vec<String>>, lever: &Lever) -> Result<Vec<Change>, Problem> {
    let key = format!("{table}.changes");
    match (wire, lever) {
        (None, Lever::Feature(_)) => Ok(vec![Change::Binary]),
        (None, _) => Ok(Vec::new()),
        (Some(names), Lever::Feature(_)) => {
            distinct(&key, &names)?;
            if names.is_empty() {
                return Err(Problem::new(
                    key,
                    "a feature that changes nothing in the build is no toggle; name what it changes",
                ));
            }
            names.iter().enumerate().map(|(index, name)| change(&format!("{key}[{index}]"), name)).collect()
        }
        (Some(_), _) => {
            Err(Problem::new(key, "an argument or environment variable changes no build; leave the key out"))
        }
    }
}

fn change(key: &str, name: &str) -> Result<Change, Problem> {
    match name {
        "binary" => Ok(Change::Binary),
        "archive-host" => Ok(Change::ArchiveHost),
        "archive-device" => Ok(Change::ArchiveDevice),
        other => {
            let hint = hint(other, &["binary", "archive-host", "archive-device"]);
            Err(Problem::new(key, format!("unknown part of a build `{other}`; {hint}")))
        }
    }
}
