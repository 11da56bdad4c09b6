//! How long judging takes, and how much memory: 32 arms, 1,000 blocks, 12 phases.
//!
//!     cargo bench -p ablate --bench judging
//!
//! The samples are made first; then the high-water mark of resident memory is reset, so the figures are what judging adds
//! to samples that are there.

#[path = "../machine/mod.rs"]
#[expect(dead_code, reason = "shared with the calibration, which uses more of it")]
mod machine;

use std::fs;
use std::time::Instant;

use ablate::experiment::Design;
use ablate::judge::judge;
use ablate::record::{Phase, Sample};
use machine::{Noise, Plan};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

fn main() {
    let plan = Plan::new(5, Design::Full, &[250, 500, 1_000], 0.01);
    let phases: Vec<String> = (0..12).map(|number| format!("phase_{number}")).collect();
    let mut samples = plan.samples(1, Noise::White, 0.02, |arm| if arm.levels.contains_key("B") { 0.006 } else { 0.0 });
    for sample in &mut samples {
        sample.cold = sample.warm.first().cloned();
        add_phases(sample, &phases);
    }
    let with_samples = memory("VmRSS");
    let reset = fs::write("/proc/self/clear_refs", "5").is_ok();
    let (start, before) = (Instant::now(), cpu_seconds());
    let judgement = judge(&plan.experiment, &plan.run, &samples);
    let (took, used) = (start.elapsed(), cpu_seconds() - before);
    println!("{} samples of {} arms, {} phases", samples.len(), plan.run.arms.len(), phases.len());
    println!(
        "{} comparisons, judged in {:.2} s, {used:.2} s of a CPU",
        judgement.comparisons.len(),
        took.as_secs_f64()
    );
    match (with_samples, memory("VmHWM").filter(|_| reset)) {
        (Some(before), Some(peak)) => println!(
            "memory: samples and program {:.0} MB, while judging at most {:.0} MB, so judging took {:.0} MB",
            before / 1e6,
            peak / 1e6,
            (peak - before) / 1e6
        ),
        _ => println!("memory: not known here"),
    }
}

/// Gives a sample phases that share out its span evenly, and memory.
fn add_phases(sample: &mut Sample, names: &[String]) {
    for measurement in sample.warm.iter_mut().chain(&mut sample.cold) {
        let ns = measurement.span_ns.unwrap_or(0) / names.len() as u64;
        measurement.total_ns = measurement.span_ns;
        measurement.peak_rss_bytes = measurement.span_ns.map(|ns| ns / 64);
        measurement.phases =
            (0..).zip(names).map(|(at, name)| Phase { name: name.clone(), start_ns: at * ns, ns: ns + at }).collect();
    }
}

/// What this process has used of CPUs so far.
fn cpu_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask for its own usage");
    let seconds = |time: TimeVal| time.tv_sec() as f64 + 1e-6 * time.tv_usec() as f64;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// A line of /proc/self/status in bytes.
fn memory(key: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024.0 * kib)
}
