//! Whether the parts of a run's folder belong together. Somebody may have edited, mixed up or half copied them; tables made
//! from such a folder would look like any others.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use sha2::{Digest, Sha256};

use super::{Role, Run, RunArm, Sample};
use crate::experiment::{Experiment, Factor};

/// Whether the run is one, and each sample is of one of its arms and of that arm's binary.
pub(super) fn of_one_run(folder: &Path, run: &Run, samples: &[Sample]) -> Result<()> {
    if let Some(problem) = arms(&run.arms) {
        bail!("{} is damaged: {problem}", folder.join("run.json").display());
    }
    for (index, sample) in samples.iter().enumerate() {
        let line = || format!("{}: line {}", folder.join("samples.jsonl").display(), index + 1);
        let Some(arm) = run.arms.iter().find(|arm| arm.id == sample.arm) else {
            bail!("{} is a sample of arm `{}`, which run.json does not have", line(), sample.arm);
        };
        if sample.binary != arm.binary {
            let shown = |binary: &Option<String>| binary.clone().unwrap_or("none".to_owned());
            bail!(
                "{} was taken of binary {}, and run.json says that the binary of {} is {}: one of them was changed since",
                line(),
                shown(&sample.binary),
                arm.id,
                shown(&arm.binary)
            );
        }
    }
    Ok(())
}

/// SHA-256 of an experiment's text.
pub(super) fn digest(source: &str) -> String {
    crate::build::store::hex(&Sha256::digest(source))
}

/// What is wrong with the arms by themselves.
fn arms(arms: &[RunArm]) -> Option<String> {
    match arms {
        [] => return Some("it has no arms".to_owned()),
        [base, ..] if base.role != Role::Base => return Some("its first arm is not base".to_owned()),
        _ => {}
    }
    let mut earlier = BTreeSet::new();
    for (index, arm) in arms.iter().enumerate() {
        if let Some(twin) = arm.same_as.as_ref().filter(|twin| !earlier.contains(twin)) {
            return Some(format!("arms[{index}].same_as: there is no arm `{twin}` before `{}`", arm.id));
        }
        if !earlier.insert(&arm.id) {
            return Some(format!("arms[{index}].id: there are two arms `{}`", arm.id));
        }
    }
    None
}

/// Whether a run is one of this experiment, which is the copy in its folder.
pub fn of_experiment(experiment: &Experiment, folder: &Path, run: &Run, samples: &[Sample]) -> Result<()> {
    if let Some(question) = &run.question
        && *question != digest(&experiment.source)
    {
        bail!(
            "{} was changed since the run began: its digest is no longer the `question` of run.json. What a run asks is fixed \
             before its first sample; put the old text back, or start a new run",
            folder.join("experiment.toml").display()
        );
    }
    for (index, arm) in run.arms.iter().enumerate() {
        for (id, level) in &arm.levels {
            let factor = experiment.factors.iter().find(|factor| factor.id == *id);
            let has = |factor: &Factor| match factor.lever.named_levels() {
                Some(levels) => levels.contains(level),
                None => level == "on",
            };
            if !factor.is_some_and(has) {
                bail!(
                    "{} is damaged: arms[{index}].levels: experiment.toml has no factor `{id}` with a level `{level}`",
                    folder.join("run.json").display()
                );
            }
        }
    }
    for (index, sample) in samples.iter().enumerate() {
        let line = || format!("{}: line {}", folder.join("samples.jsonl").display(), index + 1);
        let Some(bench) = experiment.benches.iter().find(|bench| bench.name == sample.bench) else {
            bail!("{} is a sample of bench `{}`, which experiment.toml does not have", line(), sample.bench);
        };
        if sample.warm.len() > bench.iterations as usize {
            bail!(
                "{} has {} warm iterations, and bench `{}` asks for {}",
                line(),
                sample.warm.len(),
                bench.name,
                bench.iterations
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_there_once_and_base_is_first() {
        let base = || RunArm::new("base", Role::Base);
        let a = || RunArm::new("A", Role::Combination);
        let same_as = |twin: &str| RunArm { same_as: Some(twin.to_owned()), ..a() };
        let table = [
            (vec![base(), a()], None),
            (vec![base(), same_as("base")], None),
            (vec![], Some("it has no arms")),
            (vec![a(), base()], Some("its first arm is not base")),
            (vec![base(), a(), a()], Some("arms[2].id: there are two arms `A`")),
            (vec![base(), same_as("B")], Some("arms[1].same_as: there is no arm `B` before `A`")),
            (vec![base(), same_as("A")], Some("arms[1].same_as: there is no arm `A` before `A`")),
        ];
        for (arms, problem) in table {
            assert_eq!(super::arms(&arms).as_deref(), problem, "{arms:?}");
        }
    }
}
