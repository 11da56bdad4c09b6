//! A run from its beginning, or its resumption, to its last sample.
//!
//! Invariant: a run's folder exists only once everything before the first sample has gone well, and whatever happens
//! later, the folder says how far the run got.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::build::archives::Native;
use crate::build::{self, Built, Contents, Store};
use crate::design::{self, Plan};
use crate::experiment::{self, Experiment};
use crate::gpu::Watch;
use crate::interrupt::Interrupt;
use crate::limits::Limits;
use crate::measure::{self, End, Measuring};
use crate::preflight::Preflight;
use crate::progress::Progress;
use crate::record::{
    ArchiveParts, Build, Finding, FindingKind, Format, Provenance, Role, Run, RunArm, RunFolder, Sample, State,
    check_writable, locate, of_experiment,
};
use crate::toolchain::cuda::Toolkit;
use crate::{host, programs, verify, worker};

/// Arms whose builds were made, compared and asked who they are.
#[derive(Debug)]
pub struct Verified {
    /// In design order, with digests.
    pub arms: Vec<RunArm>,
    /// The builds that succeeded.
    pub builds: Vec<Build>,
    /// What is in each of them, in the same order.
    pub contents: Vec<Contents>,
    /// What went into all of them.
    pub provenance: Option<Provenance>,
    /// What is wrong with them.
    pub findings: Vec<Finding>,
    /// What the reader should know.
    pub notices: Vec<String>,
    /// The CUDA toolkit of the builds, where the experiment has one.
    pub toolkit: Option<Toolkit>,
    /// Where the executables are.
    pub store: Store,
    /// How long looking took, without cargo, the programs that were asked who they are, and what they were prepared with.
    pub verifying: Duration,
}

impl Verified {
    /// A run of its arms that has not begun, with this machine as its host. It is named by `id`.
    pub fn run(&self, experiment: &Experiment, id: String, created: Timestamp) -> Run {
        let built_in = self.provenance.as_ref().map(|provenance| Path::new(&provenance.folder));
        let mut toolchains = host::toolchains(built_in.unwrap_or(&experiment.root));
        toolchains.extend(self.toolkit.as_ref().map(|toolkit| ("nvcc".to_owned(), toolkit.description())));
        Run {
            format: Format::CURRENT,
            id,
            experiment: experiment.name.clone(),
            created,
            state: State::Measuring,
            host: host::host(),
            git: host::git(&experiment.root),
            toolchains,
            seed: experiment.measure.seed,
            arms: self.arms.clone(),
            builds: self.builds.clone(),
            findings: self.findings.clone(),
            notices: self.notices.clone(),
            provenance: self.provenance.clone(),
            bundle: None,
            question: None,
        }
    }

    /// The parts of every archive, each once however many builds share it.
    pub fn archives(&self) -> Vec<ArchiveParts> {
        let mut archives: Vec<ArchiveParts> = Vec::new();
        for parts in self.contents.iter().flat_map(|contents| &contents.natives).filter_map(Native::parts) {
            if archives.iter().all(|known| known.digest.raw != parts.digest.raw) {
                archives.push(parts);
            }
        }
        archives
    }
}

/// Which programs must start before a verification is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Every one: they are about to be measured.
    All,
    /// Those that can run on this machine. Others are left to what their files say, with a notice.
    Runnable,
    /// The same, without a notice: the machine that measures them will ask. Programs of command arms are built.
    Later,
}

/// Builds and verifies the arms, makes the benches' inputs, and starts each program once.
pub fn verify(
    experiment: &Experiment,
    plan: Plan,
    asked: Asked,
    request: &build::Request,
    progress: &Progress,
    interrupt: &Interrupt,
) -> Result<Verified> {
    let store = Store::open(&experiment.root)?;
    let Plan { mut arms, mut notices } = plan;
    let built = build::build_all(experiment, &mut arms, request, &store, progress, interrupt)?;
    let start = Instant::now();
    let mut findings = verify::findings(experiment, &arms, &built);
    notices.extend(verify::notes(&built));
    findings.splice(0..0, built.findings.iter().cloned());
    notices.extend(built.notices.iter().cloned());
    notices.extend(verify::merge(&mut arms));
    let verifying = built.looking + start.elapsed();

    let mut started = experiment.clone();
    if asked != Asked::All {
        let notice = without_gpu(&mut started, &host::host().gpus);
        notices.extend(notice.filter(|_| asked == Asked::Runnable));
    }
    if !started.benches.is_empty() || asked == Asked::Later {
        let preflight = Preflight::new(&started, interrupt, progress);
        started.commands.iter().try_for_each(|arm| preflight.build(arm))?;
    }
    programs::enter(&mut arms, &experiment.root);
    if !started.benches.is_empty() {
        let preflight = Preflight::new(&started, interrupt, progress);
        if let Some(base) = arms.iter().find(|arm| arm.role == Role::Base) {
            preflight.prepare(base, base.binary.as_deref().map(|digest| store.path(digest)).as_deref())?;
        }
        findings.extend(preflight.hellos(&measure::units(&started, &arms, &findings, &store))?);
    }
    let Built { builds, contents, provenance, toolkit, .. } = built;
    Ok(Verified { arms, builds, contents, provenance, findings, notices, toolkit, store, verifying })
}

/// Takes out the benches that ask for a GPU where there is none. Gives back a notice if there were any.
fn without_gpu(experiment: &mut Experiment, gpus: &[String]) -> Option<String> {
    let before = experiment.benches.len();
    experiment.benches.retain(|bench| !gpus.is_empty() || !design::names_backend(bench, "cuda"));
    (experiment.benches.len() < before).then(|| {
        "this machine has no GPU, so the programs of benches with `--backend cuda` were not asked who they are; their \
         builds were verified"
            .to_owned()
    })
}

/// An open run with everything that measuring it needs.
#[derive(Debug)]
pub struct Session {
    /// The question, as the run's folder has it.
    pub experiment: Experiment,
    /// `run.json`.
    pub run: Run,
    /// The samples so far.
    pub samples: Vec<Sample>,
    folder: RunFolder,
    store: Store,
}

impl Session {
    /// Starts a new run of verified arms.
    pub fn begin(experiment: Experiment, verified: Verified) -> Result<Self> {
        let created = host::now();
        let id = format!("{}-{}", created.strftime("%Y%m%d-%H%M%S"), experiment.name);
        let run = verified.run(&experiment, id, created);
        let archives = verified.archives();
        Self::start(experiment, run, &archives, verified.store)
    }

    /// Starts a run as it is given: its arms were verified somewhere, where their archives had these parts.
    pub fn start(experiment: Experiment, mut run: Run, archives: &[ArchiveParts], store: Store) -> Result<Self> {
        let folder = RunFolder::create(&experiment.root.join("results"), &experiment.source, &mut run, archives)?;
        Ok(Self { experiment, run, samples: Vec::new(), folder, store })
    }

    /// Opens a run of a project to go on with it if `admit` finds that it may; what that changes in the run is recorded
    /// with the first sample.
    pub fn reopen(path: &Path, root: &Path, admit: impl FnOnce(&mut Run, &[Sample]) -> Result<()>) -> Result<Self> {
        let (folder, recorded) = RunFolder::resume(path)?;
        let experiment = experiment::load(&folder.experiment(), Some(root))?;
        of_experiment(&experiment, folder.path(), &recorded.run, &recorded.samples)?;
        let mut run = recorded.run;
        run.notices.extend(recorded.notices);
        let store = Store::open(root)?;
        admit(&mut run, &recorded.samples)?;
        programs::check(&run, root)?;
        Ok(Self { experiment, run, samples: recorded.samples, folder, store })
    }

    /// Opens a run to go on with it: the experiment is the run's own copy, only `measure.max_time` is taken from the
    /// file as it is `now`. Nothing is built again: every binary must still be in the store.
    pub fn resume(now: &Experiment, name: &str) -> Result<Self> {
        let (folder, recorded) = RunFolder::resume(&locate(&now.root, name)?)?;
        let mut experiment = experiment::load(&folder.experiment(), Some(&now.root))?;
        of_experiment(&experiment, folder.path(), &recorded.run, &recorded.samples)?;
        let mut run = recorded.run;
        run.notices.extend(recorded.notices);
        if run.experiment != now.name {
            bail!("run {} is one of experiment `{}`, not of {}", run.id, run.experiment, now.file.display());
        }
        if experiment.source != now.source {
            let notice = format!("{} has changed since this run began; its own copy counts", now.file.display());
            if !run.notices.contains(&notice) {
                run.notices.push(notice);
            }
        }
        experiment.measure.max_time = now.measure.max_time;
        let store = Store::open(&experiment.root)?;
        check_resumable(&run, &recorded.samples, &store)?;
        programs::check(&run, &experiment.root)?;
        for command in worker::end_all_of(folder.path()) {
            run.notices.push(format!("a process of the killed run was still there and was ended: {command}"));
        }
        Ok(Self { experiment, run, samples: recorded.samples, folder, store })
    }

    /// Takes the samples that are missing, until a look at which `decided` says yes, and records how it ended.
    pub fn measure(
        &mut self,
        progress: &mut Progress,
        interrupt: &Interrupt,
        decided: &dyn Fn(&Experiment, &Run, &[Sample]) -> bool,
    ) -> Result<End> {
        self.measure_within(Limits::default(), progress, interrupt, decided)
    }

    /// The same, and no more than the limits allow.
    pub fn measure_within(
        &mut self,
        limits: Limits,
        progress: &mut Progress,
        interrupt: &Interrupt,
        decided: &dyn Fn(&Experiment, &Run, &[Sample]) -> bool,
    ) -> Result<End> {
        if self.run.state == State::Complete {
            progress.finish();
            return Ok(End::Complete);
        }
        self.run.state = State::Measuring;
        self.folder.save(&self.run)?;
        let (experiment, run) = (&self.experiment, &self.run);
        let measuring = Measuring {
            experiment,
            run,
            store: &self.store,
            folder: &mut self.folder,
            samples: &mut self.samples,
            interrupt,
            progress,
            limits,
            gpus: Watch::open(),
        };
        let end = measuring.blocks(&|samples| decided(experiment, run, samples))?;
        progress.finish();
        end.clone().enter(&mut self.run);
        self.folder.save(&self.run)?;
        Ok(end)
    }

    /// Where its executables are.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Times of two machines do not compare, nor do samples of two binaries under one label.
fn check_resumable(run: &Run, samples: &[Sample], store: &Store) -> Result<()> {
    let (then, now) = (&run.host, host::host());
    if (&then.name, &then.cpu) != (&now.name, &now.cpu) {
        bail!(
            "run {} was begun on {} ({}), this is {} ({}); times of two machines do not compare: start a new run",
            run.id,
            then.name,
            then.cpu,
            now.name,
            now.cpu
        );
    }
    let replaced = run.findings.iter().find(|finding| {
        finding.kind == FindingKind::WrongBinary && samples.iter().any(|sample| sample.arm == finding.arm)
    });
    if let Some(finding) = replaced {
        bail!("run {}: the binary of {} was replaced while it was measured; start a new run", run.id, finding.arm);
    }
    for arm in &run.arms {
        let Some(digest) = &arm.binary else { continue };
        if !store.path(digest).exists() {
            bail!(
                "run {}: the binary of {}, {}, is gone and cannot be made again byte for byte; start a new run",
                run.id,
                arm.id,
                store.path(digest).display()
            );
        }
    }
    Ok(())
}

/// Makes sure, before anything is built, that results and reports can be written.
pub fn check_folders(experiment: &Experiment) -> Result<()> {
    for folder in ["results", "reports"] {
        check_writable(&experiment.root.join(folder))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_gpu_only_benches_that_ask_for_one_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "schema = 1\nname = \"x\"\nquestion = \"?\"\ntarget = { package = \"p\" }\n\
                    factor = [{ id = \"A\", feature = \"a\" }]\nmeasure = { looks = [12], min_effect = \"1%\" }\n\
                    bench = [{ name = \"c\", args = [\"--backend\", \"cpu\"], metric = \"span\" }, \
                    { name = \"g\", args = [\"--backend\", \"cuda\"], metric = \"span\" }]\n";
        std::fs::write(folder.path().join("x.toml"), text).expect("written");
        std::fs::write(folder.path().join("Cargo.toml"), "").expect("written");
        let read = || experiment::load(&folder.path().join("x.toml"), Some(folder.path())).expect("an experiment");

        let (mut with, mut without) = (read(), read());
        assert_eq!(without_gpu(&mut with, &["H200".to_owned()]), None);
        assert_eq!(with.benches.len(), 2);
        assert!(without_gpu(&mut without, &[]).is_some_and(|notice| notice.contains("no GPU")));
        assert_eq!(without.benches.iter().map(|bench| bench.name.as_str()).collect::<Vec<_>>(), ["c"]);
    }
}
