//! What a bundle needs of a machine, and what this machine has.
//!
//! A need that is not met is refused in words before anything is unpacked: a driver that is too old would otherwise show
//! as a block of failed samples, after the parameters were made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::elf::{self, Version};
use crate::design;
use crate::experiment::Experiment;
use crate::gpu;
use crate::host;
use crate::record::Build;

/// What a machine must have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needs {
    /// Processor, in Rust's words: `x86_64`.
    pub arch: String,
    /// Operating system, in Rust's words: `linux`.
    pub os: String,
    /// The newest version of glibc that any program takes a symbol from; `None` where all are static.
    pub glibc: Option<String>,
    /// What the processor of the building machine can do, of [`EXTENSIONS`]: programs may have been compiled for it.
    pub extensions: Vec<String>,
    /// Whether a bench runs on an NVIDIA GPU.
    pub gpu: bool,
    /// What the GPU code was compiled for: `sm_90`, `compute_90`. Empty: unknown.
    pub gpu_code: Vec<String>,
    /// The CUDA version that the programs were built with, `13.0`; `None` where the experiment names none.
    pub cuda: Option<String>,
}

/// Extensions of x86-64 that crates and compilers use where the building machine has them.
const EXTENSIONS: [&str; 4] = ["adx", "avx2", "avx512f", "bmi2"];

impl Needs {
    /// Reads what the executables need and adds what the experiment says.
    pub fn of(experiment: &Experiment, builds: &[Build], executables: &[PathBuf]) -> Result<Self> {
        let mut needs = Self {
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
            extensions: extensions(),
            gpu: experiment.benches.iter().any(|bench| design::names_backend(bench, "cuda")),
            gpu_code: gpu_code(experiment, builds),
            cuda: experiment.cuda.as_ref().map(|cuda| cuda.version.clone()),
            ..Self::default()
        };
        let mut glibc: Option<Version> = None;
        for path in executables {
            let Some(asks) = elf::asks(path)? else { continue };
            if asks.arch != needs.arch {
                bail!("{} is for {}, this machine and its builds are {}", path.display(), asks.arch, needs.arch);
            }
            glibc = glibc.max(asks.glibc);
        }
        needs.glibc = glibc.map(|(major, minor)| format!("{major}.{minor}"));
        Ok(needs)
    }

    /// What the machine lacks, in a sentence; `None` where it has everything.
    pub fn lacking(&self, machine: &Machine) -> Option<String> {
        if (&self.os, &self.arch) != (&machine.os, &machine.arch) {
            let (os, arch) = (&machine.os, &machine.arch);
            return Some(format!("it was made for {} on {}, this is {os} on {arch}", self.os, self.arch));
        }
        if let (Some(needed), Some(there)) = (self.glibc.as_deref().and_then(elf::version), machine.glibc)
            && there < needed
        {
            return Some(format!(
                "its programs need glibc {}.{}, this machine has {}.{}; build it on an older system",
                needed.0, needed.1, there.0, there.1
            ));
        }
        if self.gpu { self.gpu_lacking(machine) } else { None }
    }

    fn gpu_lacking(&self, machine: &Machine) -> Option<String> {
        let Some(devices) = &machine.gpus else {
            return Some("it runs on an NVIDIA GPU, and this machine has none, or no driver for it".to_owned());
        };
        if let (Some(needed), Some(there)) = (self.cuda.as_deref().and_then(elf::version), devices.cuda)
            && there.0 < needed.0
        {
            return Some(format!(
                "its programs were built with CUDA {}.{}, and the driver {} speaks CUDA {}.{}; it must be {}.0 or newer",
                needed.0, needed.1, devices.driver, there.0, there.1, needed.0
            ));
        }
        if devices.gpus.iter().any(|gpu| self.runs_on(gpu.capability)) {
            return None;
        }
        let there = devices.gpus.iter().map(|gpu| match gpu.capability {
            Some((major, minor)) => format!("{} is sm_{major}{minor}", gpu.name),
            None => format!("{} does not tell what it is", gpu.name),
        });
        Some(format!("its GPU code is for {}, and {}", self.gpu_code.join(", "), there.collect::<Vec<_>>().join(", ")))
    }

    /// What the processor may lack, in a sentence. Nobody knows whether a program was compiled for it.
    pub fn doubt(&self, machine: &Machine) -> Option<String> {
        let lacking: Vec<&str> = (self.extensions.iter().map(String::as_str))
            .filter(|extension| !machine.extensions.iter().any(|there| there == extension))
            .collect();
        (!lacking.is_empty()).then(|| {
            format!(
                "this processor lacks {}, which the building machine has: a program compiled for it ends by signal 4",
                lacking.join(", ")
            )
        })
    }

    /// Machine code runs on its own architecture and later ones of the same generation, PTX on any later one. What is not
    /// known is not held against anybody.
    fn runs_on(&self, capability: Option<Version>) -> bool {
        let Some(there) = capability else { return true };
        self.gpu_code.is_empty()
            || self.gpu_code.iter().any(|code| match code.split_once('_') {
                Some(("sm", of)) => match (number(of), of.chars().last()) {
                    // `sm_90a` runs on that very architecture.
                    (Some(of), Some('a')) => of == there,
                    (Some(of), _) => of.0 == there.0 && of.1 <= there.1,
                    (None, _) => true,
                },
                Some(("compute", of)) => number(of).is_none_or(|of| of <= there),
                _ => true,
            })
    }
}

/// `90` is 9.0, `120f` is 12.0.
fn number(text: &str) -> Option<Version> {
    let digits: u32 = text.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()?;
    Some((digits / 10, digits % 10))
}

/// What the archives hold code for, or else what the experiment asks nvcc for.
fn gpu_code(experiment: &Experiment, builds: &[Build]) -> Vec<String> {
    let held: BTreeSet<&String> =
        builds.iter().flat_map(|build| &build.archives).flat_map(|archive| archive.device.keys()).collect();
    match (held.is_empty(), &experiment.cuda) {
        (true, Some(cuda)) => cuda.arch.clone(),
        (true, None) => Vec::new(),
        (false, _) => held.into_iter().cloned().collect(),
    }
}

/// What a machine has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Processor, in Rust's words.
    pub arch: String,
    /// Operating system, in Rust's words.
    pub os: String,
    /// What its processor can do, of [`EXTENSIONS`].
    pub extensions: Vec<String>,
    /// Version of glibc; `None` where there is none or it cannot be told.
    pub glibc: Option<Version>,
    /// The GPUs and their driver, where there are any.
    pub gpus: Option<gpu::Inventory>,
}

impl Machine {
    /// This one.
    pub fn here() -> Self {
        Self {
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
            extensions: extensions(),
            glibc: c_library().and_then(|path| elf::offers(&path)),
            gpus: gpu::inventory(),
        }
    }
}

fn extensions() -> Vec<String> {
    let flags = host::field("/proc/cpuinfo", "flags").unwrap_or_default();
    let has = |name: &&str| flags.split(' ').any(|flag| flag == *name);
    EXTENSIONS.into_iter().filter(has).map(str::to_owned).collect()
}

/// Where the C library is: the one this process uses, or else one in its usual places.
pub(super) fn c_library() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let own = maps.lines().filter_map(|line| Some(Path::new(line.get(line.find('/')?..)?)));
    let usual = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6"];
    let is_libc = |path: &&Path| path.file_name().is_some_and(|name| name == "libc.so.6");
    own.filter(is_libc).chain(usual.iter().map(Path::new)).find(|path| path.is_file()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{Gpu, Inventory};

    fn machine() -> Machine {
        let gpu = Gpu { name: "NVIDIA H200".into(), uuid: "GPU-1".into(), capability: Some((9, 0)) };
        Machine {
            arch: "x86_64".into(),
            os: "linux".into(),
            extensions: vec!["avx2".into()],
            glibc: Some((2, 39)),
            gpus: Some(Inventory { driver: "580.1".into(), cuda: Some((13, 0)), gpus: vec![gpu] }),
        }
    }

    fn needs() -> Needs {
        Needs {
            arch: "x86_64".into(),
            os: "linux".into(),
            glibc: Some("2.36".into()),
            extensions: vec!["avx2".into()],
            gpu: true,
            gpu_code: vec!["sm_90".into()],
            cuda: Some("13.0".into()),
        }
    }

    #[test]
    fn a_machine_that_has_everything_is_not_refused() {
        assert_eq!(needs().lacking(&machine()), None);
        let cpu_alone = Needs { gpu: false, ..needs() };
        assert_eq!(cpu_alone.lacking(&Machine { gpus: None, ..machine() }), None, "GPU code that no bench runs");
        let unknown = Needs { cuda: None, gpu_code: Vec::new(), glibc: None, ..needs() };
        assert_eq!(unknown.lacking(&machine()), None);
    }

    type Change = dyn Fn(&mut Needs, &mut Machine);

    #[test]
    fn what_is_lacking_is_named() {
        let lacking = |change: &Change| {
            let (mut needs, mut machine) = (needs(), machine());
            change(&mut needs, &mut machine);
            needs.lacking(&machine).expect("refused")
        };
        let cases: [(&Change, &str); 6] = [
            (&|needs, _| needs.arch = "aarch64".into(), "made for linux on aarch64, this is linux on x86_64"),
            (&|_, machine| machine.glibc = Some((2, 31)), "need glibc 2.36, this machine has 2.31"),
            (&|_, machine| machine.gpus = None, "this machine has none"),
            (
                &|needs, _| needs.cuda = Some("14.1".into()),
                "built with CUDA 14.1, and the driver 580.1 speaks CUDA 13.0",
            ),
            (&|needs, _| needs.gpu_code = vec!["sm_100".into()], "code is for sm_100, and NVIDIA H200 is sm_90"),
            (&|needs, _| needs.gpu_code = vec!["compute_100".into()], "code is for compute_100"),
        ];
        for (change, words) in cases {
            let said = lacking(change);
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn a_processor_that_may_lack_something_is_a_doubt_and_no_refusal() {
        let older = Needs { extensions: vec!["adx".into(), "avx2".into()], ..needs() };
        assert_eq!(older.lacking(&machine()), None);
        assert!(older.doubt(&machine()).is_some_and(|said| said.contains("lacks adx, which")));
        assert_eq!(needs().doubt(&machine()), None);
    }

    /// The rules of the CUDA programming guide, "Application Compatibility".
    #[test]
    fn gpu_code_runs_where_cuda_says() {
        let runs = |code: &str, there| Needs { gpu_code: vec![code.into()], ..needs() }.runs_on(Some(there));
        for (code, there) in [("sm_80", (8, 6)), ("sm_90", (9, 0)), ("compute_80", (9, 0)), ("sm_90a", (9, 0))] {
            assert!(runs(code, there), "{code} on {there:?}");
        }
        for (code, there) in [("sm_86", (8, 0)), ("sm_80", (9, 0)), ("compute_100", (9, 0)), ("sm_100a", (10, 3))] {
            assert!(!runs(code, there), "{code} on {there:?}");
        }
    }
}
