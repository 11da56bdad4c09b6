//! Stays: the times on one machine in which a bundle was measured.
//!
//! A stay is a stratum. Blocks belong to one stay, arms are compared within blocks, so no comparison crosses from one
//! machine, or one boot, to another. A block that a stay did not finish stays unfinished: the next begins with a new one.

use std::fs;

use jiff::Timestamp;

use crate::gpu::Inventory;
use crate::host;
use crate::record::{Bundled, Host, Sample, Stay};

/// Where the program runs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The machine.
    pub host: Host,
    /// The kernel's name for this boot.
    pub boot: String,
    /// Identities of the GPUs.
    pub gpu_uuids: Vec<String>,
}

impl Place {
    /// This machine, with the GPUs that were found on it.
    pub fn here(gpus: Option<&Inventory>) -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned();
        let gpu_uuids = gpus.iter().flat_map(|found| &found.gpus).map(|gpu| gpu.uuid.clone()).collect();
        Self { host: host::host(), boot, gpu_uuids }
    }

    /// Its first stay.
    pub fn stay(self, began: Timestamp, first_block: u32) -> Stay {
        Stay { began, host: self.host, boot: self.boot, gpu_uuids: self.gpu_uuids, first_block }
    }

    /// Whether a stay is still going on: the same boot of the same machine, with the same GPUs and driver.
    pub fn is_of(&self, stay: &Stay) -> bool {
        (&self.host.name, &self.boot, &self.gpu_uuids, &self.host.driver)
            == (&stay.host.name, &stay.boot, &stay.gpu_uuids, &stay.host.driver)
    }
}

/// What differs from an earlier stay so that an effect itself may differ: processor, GPU, driver.
pub fn differences(earlier: &Stay, here: &Place) -> Vec<String> {
    let (then, now) = (&earlier.host, &here.host);
    let driver = |host: &Host| host.driver.clone().unwrap_or_else(|| "none".to_owned());
    let gpus = |host: &Host| if host.gpus.is_empty() { "none".to_owned() } else { host.gpus.join(", ") };
    [
        ("CPU", then.cpu.clone(), now.cpu.clone()),
        ("number of CPUs", then.cpus.to_string(), now.cpus.to_string()),
        ("GPU", gpus(then), gpus(now)),
        ("driver", driver(then), driver(now)),
    ]
    .into_iter()
    .filter(|(_, then, now)| then != now)
    .map(|(what, then, now)| format!("{what} {now} instead of {then}"))
    .collect()
}

/// Enters where measuring goes on. The stay that was, if this is still the same boot of the same machine; else a new one,
/// whose first block is the next that has no sample.
pub fn enter(bundled: &mut Bundled, here: Place, samples: &[Sample], now: Timestamp) {
    let next = samples.iter().map(|sample| sample.block + 1).max().unwrap_or_default();
    match bundled.stays.last_mut() {
        Some(last) if here.is_of(last) => {}
        // A stay that left no sample is none.
        Some(last) if last.first_block >= next => *last = here.stay(now, next),
        _ => bundled.stays.push(here.stay(now, next)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, boot: &str, gpu: &str) -> Place {
        let host = Host {
            name: name.into(),
            os: "Linux".into(),
            cpu: "c".into(),
            cpus: 16,
            memory_bytes: 1,
            gpus: vec![gpu.into()],
            driver: Some("580".into()),
        };
        Place { host, boot: boot.into(), gpu_uuids: vec![format!("GPU-{name}")] }
    }

    fn bundled(first: Place) -> Bundled {
        let built_on = first.host.clone();
        let stays = vec![first.stay(Timestamp::UNIX_EPOCH, 0)];
        Bundled { digest: "d".into(), made: Timestamp::UNIX_EPOCH, ablate: "0".into(), built_on, stays }
    }

    fn samples(blocks: &[u32]) -> Vec<Sample> {
        let line = r#"{"block":0,"position":0,"arm":"a","bench":"b","started":"1970-01-01T00:00:00Z","binary":null,
            "status":"ok","cold":null,"warm":[],"proof":null,"conditions":{"wall_ns":1,"user_ns":null,"system_ns":null,
            "load":null,"major_faults":null,"minor_faults":null,"voluntary_switches":null,"involuntary_switches":null},
            "exit":{"kind":"code","code":0}}"#;
        let sample: Sample = serde_json::from_str(line).expect("a sample");
        blocks.iter().map(|&block| Sample { block, ..sample.clone() }).collect()
    }

    fn first_blocks(bundled: &Bundled) -> Vec<u32> {
        bundled.stays.iter().map(|stay| stay.first_block).collect()
    }

    #[test]
    fn a_new_machine_or_boot_begins_a_new_block() {
        let mut run = bundled(place("a", "1", "H200"));
        enter(&mut run, place("a", "1", "H200"), &samples(&[0, 1, 1]), Timestamp::UNIX_EPOCH);
        assert_eq!(first_blocks(&run), [0], "the same boot goes on in the block that is begun");
        enter(&mut run, place("a", "2", "H200"), &samples(&[0, 1, 1]), Timestamp::UNIX_EPOCH);
        assert_eq!(first_blocks(&run), [0, 2]);
        enter(&mut run, place("b", "3", "H200"), &samples(&[0, 1, 1]), Timestamp::UNIX_EPOCH);
        assert_eq!(first_blocks(&run), [0, 2], "a stay without a sample is forgotten");
        assert_eq!(run.stays[1].host.name, "b");
        enter(&mut run, place("a", "1", "H200"), &samples(&[0, 1, 1, 2]), Timestamp::UNIX_EPOCH);
        assert_eq!(first_blocks(&run), [0, 2, 3], "coming back is a stay of its own");
    }

    #[test]
    fn differences_are_what_may_change_an_effect() {
        let earlier = place("a", "1", "H200").stay(Timestamp::UNIX_EPOCH, 0);
        assert!(differences(&earlier, &place("b", "2", "H200")).is_empty(), "another host of the same kind");
        assert_eq!(differences(&earlier, &place("a", "1", "H100")), ["GPU H100 instead of H200"]);
        let mut other = place("a", "1", "H200");
        other.host.driver = None;
        other.host.cpus = 8;
        assert_eq!(differences(&earlier, &other), ["number of CPUs 8 instead of 16", "driver none instead of 580"]);
    }
}
