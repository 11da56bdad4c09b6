//! What the GPUs did that a reader of the verdicts should know.

use crate::record::{GpuConditions, Sample};

/// Whether something happened.
type Cause = fn(&GpuConditions) -> bool;

/// One sentence for each thing that happened, with the number of samples that it happened in.
pub(super) fn notices(samples: &[Sample]) -> Vec<String> {
    let watched = samples.iter().filter(|sample| !sample.conditions.gpus.is_empty()).count();
    let causes: [(Cause, &str); 3] = [
        (|gpu| gpu.thermal_held_ns.is_some_and(|ns| ns > 0), "temperature held a GPU's clocks down"),
        (|gpu| gpu.power_held_ns.is_some_and(|ns| ns > 0), "the power limit held a GPU's clocks down"),
        // Right after its end a sample's own process may still be listed, so one look is not enough.
        (|gpu| [&gpu.before, &gpu.after].iter().all(|state| state.processes > Some(0)), "others computed on a GPU"),
    ];
    let happened = |cause: Cause| samples.iter().filter(|sample| sample.conditions.gpus.iter().any(cause)).count();
    let said = |(cause, what)| match happened(cause) {
        0 => None,
        count => Some(format!("{what} in {count} of {watched} samples; samples.jsonl tells which")),
    };
    causes.into_iter().filter_map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GpuState;

    fn sample(gpus: Vec<GpuConditions>) -> Sample {
        let line = r#"{"block":0,"position":0,"arm":"a","bench":"b","started":"1970-01-01T00:00:00Z","binary":null,
            "status":"ok","cold":null,"warm":[],"proof":null,"conditions":{"wall_ns":1,"user_ns":null,"system_ns":null,
            "load":null,"major_faults":null,"minor_faults":null,"voluntary_switches":null,"involuntary_switches":null},
            "exit":{"kind":"code","code":0}}"#;
        let mut sample: Sample = serde_json::from_str(line).expect("a sample without GPUs");
        sample.conditions.gpus = gpus;
        sample
    }

    #[test]
    fn only_what_happened_is_said() {
        let calm = GpuConditions { thermal_held_ns: Some(0), power_held_ns: Some(0), ..GpuConditions::default() };
        assert!(notices(&[sample(Vec::new()), sample(vec![calm.clone()])]).is_empty());
        let hot = GpuConditions { thermal_held_ns: Some(1), ..calm.clone() };
        let shared = GpuState { processes: Some(1), ..GpuState::default() };
        let ending = GpuConditions { after: shared.clone(), ..calm.clone() };
        assert!(notices(&[sample(vec![ending])]).is_empty(), "its own process may still be listed");
        let shared = GpuConditions { before: shared.clone(), after: shared, ..calm.clone() };
        let said = notices(&[sample(vec![calm.clone(), hot]), sample(vec![shared]), sample(Vec::new())]);
        assert_eq!(
            said,
            [
                "temperature held a GPU's clocks down in 1 of 2 samples; samples.jsonl tells which",
                "others computed on a GPU in 1 of 2 samples; samples.jsonl tells which"
            ]
        );
    }
}
