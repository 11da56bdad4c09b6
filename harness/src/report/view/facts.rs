//! What the programs said of themselves: windows, counts, the backend. It explains a toggle that had nothing to do.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::record::{Run, Sample, Status};

/// A fact with more values than this differs from sample to sample and explains no arm.
const MOST_VALUES: usize = 12;

/// One fact of a bench, and which arms gave which value.
#[derive(Debug, PartialEq, Serialize)]
pub(in crate::report) struct Fact {
    pub(in crate::report) name: String,
    /// In order of the first arm that gave it.
    pub(in crate::report) values: Vec<Given>,
}

/// A value and the arms whose samples have it, in design order.
#[derive(Debug, PartialEq, Serialize)]
pub(in crate::report) struct Given {
    pub(in crate::report) value: Value,
    pub(in crate::report) arms: Vec<String>,
}

/// The facts of a bench's sound samples, by name.
pub(super) fn facts(run: &Run, samples: &[Sample], bench: &str) -> Vec<Fact> {
    let sound: Vec<&Sample> = samples.iter().filter(|s| s.bench == bench && s.status == Status::Ok).collect();
    let names: BTreeSet<&String> = sound.iter().flat_map(|sample| sample.facts.keys()).collect();
    let facts = names.into_iter().map(|name| Fact { name: name.clone(), values: values(run, &sound, name) });
    facts.filter(|fact| fact.values.len() <= MOST_VALUES).collect()
}

fn values(run: &Run, samples: &[&Sample], name: &str) -> Vec<Given> {
    let mut values: Vec<Given> = Vec::new();
    for arm in &run.arms {
        for value in samples.iter().filter(|s| s.arm == arm.id).filter_map(|sample| sample.facts.get(name)) {
            let room = values.len() <= MOST_VALUES;
            match values.iter_mut().find(|given| given.value == *value) {
                Some(given) if given.arms.contains(&arm.id) => {}
                Some(given) => given.arms.push(arm.id.clone()),
                None if room => values.push(Given { value: value.clone(), arms: vec![arm.id.clone()] }),
                None => {}
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::fixture::fixture;

    #[test]
    fn arms_are_grouped_by_what_they_said() {
        let mut fixture = fixture();
        for (at, sample) in fixture.samples.iter_mut().enumerate() {
            sample.facts.clear();
            let window = if sample.arm == "D4" { 12 } else { 10 };
            sample.facts.insert("window".to_owned(), window.into());
            sample.facts.insert("serial".to_owned(), at.into());
        }
        let facts = facts(&fixture.run, &fixture.samples, "prove");
        assert_eq!(facts.len(), 1, "a number of each sample's own is no fact of an arm");
        let said: Vec<_> =
            facts[0].values.iter().map(|given| (given.value.to_string(), given.arms.join(" "))).collect();
        let wanted = [("10", "base base-again A1 A2 A4 A1+A2+A4+D4"), ("12", "D4")];
        assert_eq!(said, wanted.map(|(value, arms)| (value.to_owned(), arms.to_owned())));
    }
}
