//! From an experiment to its arms: pure, no clock, no files, no processes.
//!
//! The order of arms is the order of every table and page: base, its twin, the combinations as the design makes them, the
//! commands in file order.

pub mod cells;
mod choices;
mod constraints;
pub mod describe;
pub mod factorial;
pub mod fraction;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use thiserror::Error;

use crate::experiment::{BASE, BASE_AGAIN, Bench, Choice, Experiment, Factor, Lever, hint};
use crate::record::{Role, RunArm};

pub use choices::MAX_COMBINATIONS;

/// The arms of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Base first, then its twin, combinations, commands.
    pub arms: Vec<RunArm>,
    /// What was left out and why, and what the design cannot tell apart.
    pub notices: Vec<String>,
}

/// Why an experiment has no usable design.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DesignError {
    /// A full factorial that nobody could measure.
    #[error(
        "{}: design.kind = \"full\" makes {arms} arms of {factors} factors, more than {MAX_COMBINATIONS}; \
         write kind = \"add-and-leave\", kind = \"add-one\" ({one_each} arms), or kind = \"list\" and name the arms you need",
        file.display()
    )]
    TooManyArms {
        /// The experiment file.
        file: PathBuf,
        /// How many arms, base included.
        arms: String,
        /// Of how many factors.
        factors: usize,
        /// How many arms the add-one design makes.
        one_each: usize,
    },
    /// A fraction of so few factors that it could not tell them apart, or of too many.
    #[error("{}: design.kind = \"fraction\": {text}", file.display())]
    NoFraction {
        /// The experiment file.
        file: PathBuf,
        /// Why, and what to write instead.
        text: String,
    },
    /// A design whose arms the constraints forbid.
    #[error("{}: {key}: {text}", file.display())]
    Forbidden {
        /// The experiment file.
        file: PathBuf,
        /// `design.arms` or `design.kind`.
        key: &'static str,
        /// Which constraint forbids what.
        text: String,
    },
    /// Base alone is left.
    #[error("{}: nothing to compare base with; add a [[factor]] or an [[arm]]{because}", file.display())]
    NothingToCompare {
        /// The experiment file.
        file: PathBuf,
        /// The factors that were left out, if that is why.
        because: String,
    },
    /// A bench names an arm that there is not.
    #[error("{}: bench `{bench}` names arm `{arm}`, which the design does not make; {hint}", file.display())]
    UnknownArm {
        /// The experiment file.
        file: PathBuf,
        /// The bench's name.
        bench: String,
        /// The arm's id.
        arm: String,
        /// The nearest arm, or all of them.
        hint: String,
    },
}

/// Expands the experiment's design.
pub fn arms(experiment: &Experiment) -> Result<Plan, DesignError> {
    let (factors, left_out) = split_by_backend(experiment);
    let mut notices: Vec<String> = left_out.iter().map(|factor| left_out_notice(factor)).collect();
    let choices = choices::of(experiment, &factors, &left_out, &mut notices)?;
    let mut arms = vec![built(experiment, &factors, BASE, Role::Base, &Choice::new())];
    arms.push(built(experiment, &factors, BASE_AGAIN, Role::BaseAgain, &Choice::new()));
    for choice in &choices {
        arms.push(built(experiment, &factors, &arm_id(&factors, choice), Role::Combination, choice));
    }
    arms.extend(
        experiment
            .commands
            .iter()
            .filter(|command| command.id != BASE)
            .map(|command| RunArm { command: command.command.clone(), ..RunArm::new(&command.id, Role::Command) }),
    );
    if arms.len() == 2 {
        let because = if notices.is_empty() { String::new() } else { format!(" ({})", notices.join("; ")) };
        return Err(DesignError::NothingToCompare { file: experiment.file.clone(), because });
    }
    check_benches(experiment, &arms, &left_out)?;
    notices.extend(never_on(experiment, &factors, &arms));
    notices.extend(describe::notices(experiment, &arms));
    Ok(Plan { arms, notices })
}

/// Whether the arm runs the bench: base and its twin run every one.
pub fn runs(bench: &Bench, arm: &RunArm) -> bool {
    bench.arms.is_empty() || matches!(arm.role, Role::Base | Role::BaseAgain) || bench.arms.contains(&arm.id)
}

/// The factors that can have an effect, and those whose backend no bench uses.
fn split_by_backend(experiment: &Experiment) -> (Vec<&Factor>, Vec<&Factor>) {
    experiment.factors.iter().partition(|factor| {
        factor
            .backend
            .as_ref()
            .is_none_or(|backend| experiment.benches.iter().any(|bench| names_backend(bench, backend)))
    })
}

/// Whether the bench's arguments ask for that backend.
pub(crate) fn names_backend(bench: &Bench, backend: &str) -> bool {
    bench.args.windows(2).any(|pair| pair[0] == "--backend" && pair[1] == backend)
        || bench.args.iter().any(|arg| arg.strip_prefix("--backend=") == Some(backend))
}

fn left_out_notice(factor: &Factor) -> String {
    let backend = factor.backend.as_deref().unwrap_or_default();
    format!(
        "factor {} is left out: it acts on backend {backend} alone, which no bench names with `--backend`",
        factor.id
    )
}

/// Factors in file order, joined: `A1+W=12`.
fn arm_id(factors: &[&Factor], choice: &Choice) -> String {
    let parts: Vec<String> = factors
        .iter()
        .filter_map(|factor| {
            let &level = choice.get(&factor.id)?;
            Some(match factor.lever.named_levels() {
                None => factor.id.clone(),
                Some(levels) => format!("{}={}", factor.id, levels[level]),
            })
        })
        .collect();
    parts.join("+")
}

/// An arm that is the target (or, without one, base's command) at a choice of levels. Arguments and variables are
/// given at base's level too, so that base does not depend on the program's defaults.
fn built(experiment: &Experiment, factors: &[&Factor], id: &str, role: Role, choice: &Choice) -> RunArm {
    let mut features: BTreeSet<String> = experiment.target.iter().flat_map(|target| target.features.clone()).collect();
    let (mut levels, mut args, mut env) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    for factor in factors {
        let level = choice.get(&factor.id).copied().unwrap_or(0);
        let text = match &factor.lever {
            Lever::Feature(feature) => {
                if level > 0 {
                    features.insert(feature.clone());
                }
                "on".to_owned()
            }
            Lever::Argument { flag, levels } => {
                args.extend([flag.clone(), levels[level].clone()]);
                levels[level].clone()
            }
            Lever::Environment { name, levels } => {
                env.insert(name.clone(), levels[level].clone());
                levels[level].clone()
            }
        };
        if level > 0 {
            levels.insert(factor.id.clone(), text);
        }
    }
    let base = experiment.commands.iter().find(|command| command.id == BASE);
    let command = base.map(|command| command.command.clone()).unwrap_or_default();
    RunArm { levels, features: features.into_iter().collect(), args, env, command, ..RunArm::new(id, role) }
}

/// The levels that no arm has; nothing will be known of them.
fn never_on(experiment: &Experiment, factors: &[&Factor], arms: &[RunArm]) -> Option<String> {
    let missing = factors.iter().flat_map(|factor| {
        let is_on = |level: &str| arms.iter().any(|arm| arm.levels.get(&factor.id).is_some_and(|text| text == level));
        let levels: Vec<String> = match factor.lever.named_levels() {
            None if is_on("on") => Vec::new(),
            None => vec![factor.id.clone()],
            Some(levels) => {
                let missing = levels.iter().skip(1).filter(|level| !is_on(level));
                missing.map(|level| format!("{}={level}", factor.id)).collect()
            }
        };
        levels
    });
    let missing: Vec<String> = missing.collect();
    let why = if experiment.constraints.is_empty() { "" } else { ", by the constraints or the design" };
    (!missing.is_empty()).then(|| format!("no arm has {}{why}: nothing will be known of it", missing.join(", ")))
}

/// Every arm that a bench names is made, or was left out with its factor.
fn check_benches(experiment: &Experiment, arms: &[RunArm], left_out: &[&Factor]) -> Result<(), DesignError> {
    let ids: Vec<&str> = arms.iter().map(|arm| arm.id.as_str()).collect();
    let uses_left_out = |arm: &str| {
        let mut parts = arm.split('+').map(|part| part.split('=').next().unwrap_or(part));
        parts.any(|id| left_out.iter().any(|factor| factor.id == id))
    };
    for bench in &experiment.benches {
        if let Some(arm) = bench.arms.iter().find(|arm| !ids.contains(&arm.as_str()) && !uses_left_out(arm)) {
            return Err(DesignError::UnknownArm {
                file: experiment.file.clone(),
                bench: bench.name.clone(),
                arm: arm.clone(),
                hint: hint(arm, &ids),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
