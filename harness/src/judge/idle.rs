//! Toggles that are in the code and had nothing to do: the program's own facts say so.
//!
//! This is no finding: the build is what its label says. It tells the reader what an "equivalent" is worth.

use std::collections::BTreeSet;

use crate::experiment::{Bench, Experiment, Factor};
use crate::record::{Role, Run, RunArm, Sample, Status};

use super::pairs::is_for;

/// A sentence for each bench and each arm that switches nothing but a factor whose fact is base's.
pub(super) fn idle(experiment: &Experiment, run: &Run, samples: &[Sample]) -> Vec<String> {
    let Some(base) = run.arms.iter().find(|arm| arm.role == Role::Base) else { return Vec::new() };
    let mut notices = Vec::new();
    for bench in &experiment.benches {
        for arm in run.arms.iter().filter(|arm| arm.role == Role::Combination && is_for(bench, arm)) {
            notices.extend(only_factor(experiment, arm).and_then(|(factor, fact)| {
                let (of_base, of_arm) = (values(samples, bench, base, fact), values(samples, bench, arm, fact));
                (of_base.len() == 1 && of_base == of_arm).then(|| sentence(bench, arm, factor, fact, &of_base))
            }));
        }
    }
    notices
}

/// The factor of an arm that differs from base in that one alone, and its fact.
fn only_factor<'a>(experiment: &'a Experiment, arm: &RunArm) -> Option<(&'a Factor, &'a str)> {
    let (id, _) = arm.levels.first_key_value().filter(|_| arm.levels.len() == 1)?;
    let factor = experiment.factors.iter().find(|factor| factor.id == *id)?;
    Some((factor, factor.fact.as_deref()?))
}

/// What the arm's sound samples said.
fn values(samples: &[Sample], bench: &Bench, arm: &RunArm, fact: &str) -> BTreeSet<String> {
    let measured = arm.same_as.as_ref().unwrap_or(&arm.id);
    let sound = |sample: &&Sample| sample.bench == bench.name && sample.arm == *measured && sample.status == Status::Ok;
    samples.iter().filter(sound).filter_map(|sample| sample.facts.get(fact)).map(ToString::to_string).collect()
}

fn sentence(bench: &Bench, arm: &RunArm, factor: &Factor, fact: &str, values: &BTreeSet<String>) -> String {
    let value = values.first().map_or("", String::as_str);
    format!(
        "{} on {}: factor {} is in the code and had nothing to do here: `{fact}` is {value}, as in base; the comparison \
         shows what the code costs, not what the choice brings",
        arm.id, bench.name, factor.id
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Change, Lever};
    use crate::judge::fixture::Story;

    /// Two blocks in which base and the arm say these values of `window`.
    fn notices(base: &[u32], arm: &[u32], fact: Option<&str>) -> Vec<String> {
        let mut story = Story::new(&[20], 0.05, &["D4"]);
        story.experiment.factors = vec![Factor {
            id: "D4".into(),
            lever: Lever::Feature("windows".into()),
            changes: vec![Change::Binary],
            backend: None,
            fact: fact.map(str::to_owned),
        }];
        let of_arm = story.run.arms.iter_mut().find(|arm| arm.id == "D4").expect("the arm");
        of_arm.levels.insert("D4".into(), "on".into());
        story.pairs("D4", &[(100, 100), (100, 100)]);
        for (block, (base, arm)) in (0..).zip(base.iter().zip(arm)) {
            story.sample(block, "base").facts.insert("window".into(), (*base).into());
            story.sample(block, "D4").facts.insert("window".into(), (*arm).into());
        }
        idle(&story.experiment, &story.run, &story.samples)
    }

    #[test]
    fn an_equal_fact_is_told_and_another_or_none_is_not() {
        let said = notices(&[10, 10], &[10, 10], Some("window"));
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("D4 on prove: factor D4 is in the code and had nothing to do here: `window` is 10")
        );
        assert!(notices(&[10, 10], &[12, 12], Some("window")).is_empty());
        assert!(
            notices(&[10, 11], &[10, 11], Some("window")).is_empty(),
            "it varies, so it says nothing of the toggle"
        );
        assert!(notices(&[10, 10], &[10, 10], None).is_empty());
        assert!(notices(&[10, 10], &[10, 10], Some("another")).is_empty());
    }
}
