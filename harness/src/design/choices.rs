//! Which combinations of levels each kind of design is made of.

use std::collections::BTreeSet;

use super::constraints::{self, broken};
use super::{DesignError, arm_id, fraction};
use crate::experiment::{Choice, Design, Experiment, Factor};

/// More combinations than this are refused: nobody measures them, and a slip in the file should not start them.
pub const MAX_COMBINATIONS: u128 = 256;

/// The combinations besides base, each once, none of them forbidden; notices say what was left out or changed.
pub(super) fn of(
    experiment: &Experiment,
    factors: &[&Factor],
    left_out: &[&Factor],
    notices: &mut Vec<String>,
) -> Result<Vec<Choice>, DesignError> {
    let choices = match &experiment.design {
        Design::Full => allowed(experiment, factors, full(experiment, factors)?, notices),
        Design::Fraction(part) => allowed(experiment, factors, fraction::choices(experiment, factors, *part)?, notices),
        Design::AddOne => added(experiment, factors, notices),
        Design::LeaveOneOut => without_each(experiment, factors, notices)?,
        Design::AddAndLeave => {
            let mut choices = added(experiment, factors, notices);
            choices.extend(without_each(experiment, factors, notices)?);
            choices
        }
        Design::List(listed) => listed_arms(experiment, listed, left_out, notices)?,
    };
    let mut seen = BTreeSet::from([Choice::new()]);
    Ok(choices.into_iter().filter(|choice| seen.insert(choice.clone())).collect())
}

/// Every combination of levels but base's own; the first factor changes fastest.
fn full(experiment: &Experiment, factors: &[&Factor]) -> Result<Vec<Choice>, DesignError> {
    let count = factors.iter().try_fold(1u128, |count, factor| count.checked_mul(factor.lever.levels() as u128));
    let Some(count) = count.filter(|&count| count <= MAX_COMBINATIONS) else {
        return Err(DesignError::TooManyArms {
            file: experiment.file.clone(),
            arms: count.map_or_else(|| "more than 2^128".into(), |count| count.to_string()),
            factors: factors.len(),
            one_each: 1 + add_one(factors).len(),
        });
    };
    Ok((1..count).map(|number| digits(number, factors)).collect())
}

/// The number in the mixed radix of the factors' levels, without zeros.
fn digits(mut number: u128, factors: &[&Factor]) -> Choice {
    let mut choice = Choice::new();
    for factor in factors {
        let radix = factor.lever.levels() as u128;
        let level = usize::try_from(number % radix).expect("a level is below a count of levels, which is a usize");
        number /= radix;
        if level > 0 {
            choice.insert(factor.id.clone(), level);
        }
    }
    choice
}

/// The combinations that no constraint forbids.
fn allowed(
    experiment: &Experiment,
    factors: &[&Factor],
    choices: Vec<Choice>,
    notices: &mut Vec<String>,
) -> Vec<Choice> {
    let before = choices.len();
    let (kept, forbidden): (Vec<Choice>, Vec<Choice>) =
        choices.into_iter().partition(|choice| broken(&experiment.constraints, factors, choice).is_none());
    if let Some(first) = forbidden.first().and_then(|choice| broken(&experiment.constraints, factors, choice)) {
        let count = forbidden.len();
        notices.push(format!(
            "{count} of {before} combinations are left out, since {}",
            constraints::reason(first, count)
        ));
    }
    kept
}

/// Each level other than base's, one factor at a time.
fn add_one(factors: &[&Factor]) -> Vec<Choice> {
    let levels = |factor: &&Factor| {
        let id = factor.id.clone();
        (1..factor.lever.levels()).map(move |level| Choice::from([(id.clone(), level)]))
    };
    factors.iter().flat_map(levels).collect()
}

/// Each level alone, or together with what it requires.
fn added(experiment: &Experiment, factors: &[&Factor], notices: &mut Vec<String>) -> Vec<Choice> {
    let mut choices = Vec::new();
    for alone in add_one(factors) {
        let id = arm_id(factors, &alone);
        let whole = constraints::with_what_it_requires(&experiment.constraints, factors, &alone);
        if let Some(constraint) = broken(&experiment.constraints, factors, &whole) {
            notices.push(format!("arm {id} is left out: {}", constraints::words(constraint)));
            continue;
        }
        if whole != alone {
            let with = arm_id(factors, &whole);
            notices.push(format!("arm {id} cannot stand alone; {with} runs in its stead and is compared with base"));
        }
        choices.push(whole);
    }
    choices
}

/// Every factor at its last level; then each factor back at base's, with those that cannot be without it.
fn without_each(
    experiment: &Experiment,
    factors: &[&Factor],
    notices: &mut Vec<String>,
) -> Result<Vec<Choice>, DesignError> {
    let all: Choice = factors.iter().map(|factor| (factor.id.clone(), factor.lever.levels() - 1)).collect();
    if let Some(constraint) = broken(&experiment.constraints, factors, &all) {
        let text = format!(
            "it starts from every factor at its last level, which is forbidden: {}; write \"full\" or \"add-one\"",
            constraints::words(constraint)
        );
        return Err(DesignError::Forbidden { file: experiment.file.clone(), key: "design.kind", text });
    }
    let mut choices = vec![all.clone()];
    for factor in factors {
        let mut rest = all.clone();
        rest.remove(&factor.id);
        let possible = constraints::without_what_misses(&experiment.constraints, &rest);
        if possible != rest {
            let gone: Vec<&str> = rest.keys().filter(|id| !possible.contains_key(*id)).map(String::as_str).collect();
            notices.push(format!(
                "the arm without {} is also without {}, which requires it",
                factor.id,
                gone.join(", ")
            ));
        }
        choices.push(possible);
    }
    Ok(choices)
}

/// The listed arms without the factors that are left out; those that come to nothing new are left out too.
fn listed_arms(
    experiment: &Experiment,
    listed: &[Choice],
    left_out: &[&Factor],
    notices: &mut Vec<String>,
) -> Result<Vec<Choice>, DesignError> {
    let all: Vec<&Factor> = experiment.factors.iter().collect();
    let mut seen = BTreeSet::from([Choice::new()]);
    let mut choices = Vec::new();
    for (index, choice) in listed.iter().enumerate() {
        let id = arm_id(&all, choice);
        let mut reduced = choice.clone();
        reduced.retain(|id, _| left_out.iter().all(|factor| factor.id != *id));
        if let Some(constraint) = broken(&experiment.constraints, &all, &reduced) {
            let text =
                format!("arm {id}, number {} of the list, is forbidden: {}", index + 1, constraints::words(constraint));
            return Err(DesignError::Forbidden { file: experiment.file.clone(), key: "design.arms", text });
        }
        if seen.insert(reduced.clone()) {
            choices.push(reduced);
        } else {
            notices.push(format!("arm {id} is left out: without those factors it is another arm of the list, or base"));
        }
    }
    Ok(choices)
}
