//! The builds that a list of arms needs, one for each distinct feature list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::archives::{self, Native};
use super::cargo::{self, Order, Outcome};
use super::control::{self, Base};
use super::executables::{self, Looked};
use super::features::{self, FeatureTable, Workspace};
use super::folder::TargetFolder;
use super::inputs::{self, Inputs};
use super::made::Made;
use super::settings;
use super::store::Store;
use super::suspects::{self, Again, Sources};
use super::untold::Untold;
use crate::digest::Roots;
use crate::experiment::{Experiment, Target};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::record::{self, Build, Control, Finding, FindingKind, Provenance, Role, RunArm};
use crate::shell;
use crate::toolchain::cuda::Toolkit;
use crate::toolchain::nvcc::Lookup;
use crate::worker::process::nanoseconds;

/// How building was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The variables that builds go by, as [`super::settings::variables`] filters them.
    pub environment: BTreeMap<String, String>,
    /// All variables that are set. Few of them matter, and what they hold is not recorded.
    pub variables: BTreeMap<String, String>,
    /// Where nvcc and other compilers are looked for.
    pub lookup: Lookup,
    /// Make the control build also where an earlier one still counts.
    pub control_again: bool,
    /// Go on where base is not the same when it is built again.
    pub allow_not_reproducible: bool,
}

impl Request {
    /// Cargo's own folder, in which it reads its configuration as well.
    pub fn cargo_home(&self) -> Option<PathBuf> {
        let own = self.variables.get("CARGO_HOME").map(PathBuf::from);
        own.or_else(|| Some(Path::new(self.variables.get("HOME")?).join(".cargo")))
    }
}

/// What building came to.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The builds that succeeded.
    pub builds: Vec<Build>,
    /// What is in each of them, in the same order.
    pub contents: Vec<Contents>,
    /// What the target's features turn on.
    pub features: FeatureTable,
    /// What went into all of them; `None` where nothing is built.
    pub provenance: Option<Provenance>,
    /// Inputs that changed while the builds were being made.
    pub moved: Vec<PathBuf>,
    /// One for each arm of a build that failed.
    pub findings: Vec<Finding>,
    /// What the reader should know.
    pub notices: Vec<String>,
    /// How long reading, hashing and copying took, beside cargo.
    pub looking: Duration,
    /// The CUDA toolkit that they were built with, where the experiment has one.
    pub toolkit: Option<Toolkit>,
}

/// What is native in a build.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The experiment's archives, in its order.
    pub natives: Vec<Native>,
    /// The stamp in the executable.
    pub stamp: Option<String>,
    /// What the executable holds.
    pub executable: Option<Looked>,
    /// Files that cargo says the executable is made from, and that changed since it was linked.
    pub outdated: Vec<String>,
    /// Archives that nobody vouched for, built again from nothing.
    pub again: Vec<Again>,
}

impl Contents {
    /// The digest of what is loaded, where there is one.
    pub fn loaded(&self) -> Option<&str> {
        self.executable.as_ref().and_then(Looked::loaded)
    }

    /// Whether files say by themselves that this was made from others than there are now.
    fn is_stale(&self) -> bool {
        let by_manifest = |native: &Native| !native.changed.is_empty() || native.elsewhere.is_some();
        !self.outdated.is_empty() || self.natives.iter().any(by_manifest)
    }
}

/// What all builds of an experiment have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) target: &'a Target,
    pub(super) workspace: &'a Workspace,
    pub(super) folder: &'a TargetFolder,
    /// Whether the lock file must stay as it is.
    pub(super) locked: bool,
    /// Variables that are set for cargo.
    pub(super) env: &'a [(String, String)],
    pub(super) log: &'a Mutex<File>,
    pub(super) request: &'a Request,
    pub(super) progress: &'a Progress,
    pub(super) interrupt: &'a Interrupt,
}

/// Builds what the arms need and enters the digests into them. A failed build is a finding for its arms, unless it is
/// base's: without base there is nothing to compare with.
pub fn build_all(
    experiment: &Experiment,
    arms: &mut [RunArm],
    request: &Request,
    store: &Store,
    progress: &Progress,
    interrupt: &Interrupt,
) -> Result<Built> {
    let Some(target) = &experiment.target else { return Ok(Built::default()) };
    let workspace = &features::check(experiment, target)?;
    let toolkit = Toolkit::of(experiment, &request.lookup, &mut |line| progress.say(line))?;
    if let Some(toolkit) = &toolkit {
        progress.say(&format!("nvcc {}", toolkit.description()));
    }
    if interrupt.requested() {
        bail!("interrupted before anything was built");
    }
    let folder = &TargetFolder::take(&workspace.target_folder, progress, interrupt)?;
    let env = &toolkit.as_ref().map(Toolkit::environment).unwrap_or_default();
    let log = experiment.root.join(".ablate/build.log");
    let log = &Mutex::new(File::create(&log).with_context(|| format!("cannot write {}", log.display()))?);
    let locked = workspace.lock_file.exists();
    let matrix = Matrix { experiment, target, workspace, folder, locked, env, log, request, progress, interrupt };
    let mut built = Built { features: workspace.features.clone(), toolkit: toolkit.clone(), ..Built::default() };
    if !locked {
        built.notices.push(format!("{} was not there; cargo made it", workspace.lock_file.display()));
    }
    matrix.make(arms, store, &mut built)?;
    progress.clear();
    Ok(built)
}

impl Matrix<'_> {
    /// Makes every build and the control build, and watches the sources meanwhile.
    fn make(&self, arms: &mut [RunArm], store: &Store, built: &mut Built) -> Result<()> {
        let (start, mut in_cargo) = (Instant::now(), Duration::ZERO);
        let root = &self.workspace.root;
        let mut inputs = Inputs::watch(self.workspace.packages.iter().map(PathBuf::as_path));
        let mut reader = archives::Reader::new(self.request.lookup.path.clone());
        // Cargo makes a lock file where there is none.
        let home = self.request.cargo_home();
        let settings = settings::files(root, home.as_deref()).into_iter();
        inputs.used(settings.filter(|file| self.locked || *file != self.workspace.lock_file));
        let (mut local, mut untold) = (Vec::new(), Untold::default());
        let (made, mut suspects) = (Made::open(&self.experiment.root, self.folder.path())?, Vec::new());
        let lists = feature_lists(arms);
        for (index, features) in lists.iter().enumerate() {
            let ids = users(arms, features);
            self.progress.building(index + 1, lists.len(), &ids);
            let outcome = self.build(features)?;
            in_cargo += outcome.time;
            inputs.look_again();
            let natives = match &outcome.executable {
                Ok(_) => reader.read(self.experiment, &outcome, root)?,
                Err(_) => Vec::new(),
            };
            inputs.used(used(&outcome, &natives, root));
            if index == 0 {
                inputs.used([self.workspace.lock_file.clone()]);
                local = local_packages(&outcome);
                untold = Untold::of(&outcome, root, inputs.libraries(), &self.request.variables);
            }
            let roots = executables::roots(root, &outcome, self.folder.path());
            let sources = Sources::of(&outcome, &natives, &inputs, &untold, root);
            if enter(outcome, features, &ids, self.target, arms, store, built)? {
                look_into(natives, &roots, arms, store, built)?;
                suspects.extend(suspects::date(&made, sources, built)?);
            }
        }
        let recorded = inputs.record(root);
        let base = built.builds.first().zip(built.contents.first()).map(|(build, contents)| Base {
            matrix: *self,
            build,
            contents,
            inputs: &recorded,
            local: &local,
            untold: &untold,
        });
        // What is stale by its own files is to be built again whatever a control build would come to.
        let worth_it = |base: &Base| self.request.control_again || !base.contents.is_stale();
        let control = base.filter(worth_it).map(control::control).transpose()?;
        let before_again = Instant::now();
        let again = match (base, &control) {
            (Some(base), Some(control)) => suspects::build_again(base, control, suspects, &made, built)?,
            _ => Vec::new(),
        };
        in_cargo += before_again.elapsed();
        inputs.look_again();
        built.moved = inputs.moved().map(PathBuf::from).collect();
        if let Some(base) = base.filter(|_| !built.moved.is_empty()) {
            control::forget(base)?;
        }
        suspects::enter(&again, built);
        in_cargo += control
            .as_ref()
            .filter(|control| !control.kept)
            .map_or(Duration::ZERO, |control| Duration::from_nanos(control.ns));
        built.looking = start.elapsed().saturating_sub(in_cargo);
        built.provenance = Some(provenance(self.workspace, recorded, self.request, control));
        Ok(())
    }

    fn build(&self, features: &[String]) -> Result<Outcome> {
        let Self { target, locked, env, .. } = *self;
        let order = Order { target, features, locked, root: &self.workspace.root, target_dir: self.folder.path(), env };
        let outcome = cargo::build(order, self.log, &|line| self.progress.detail(line))?;
        if self.interrupt.requested() {
            bail!("interrupted while building; nothing was recorded");
        }
        Ok(outcome)
    }
}

/// The folders of packages whose sources lie on disk.
fn local_packages(outcome: &Outcome) -> Vec<PathBuf> {
    let local = outcome.packages.values().filter(|package| package.local);
    local.map(|package| package.folder.clone()).collect()
}

/// The files on disk that went into a build, as far as anything names them.
fn used(outcome: &Outcome, natives: &[Native], root: &Path) -> Vec<PathBuf> {
    let sources = outcome.executable.iter().flat_map(|executable| inputs::of_dep_info(&executable.path, root));
    let named = natives.iter().flat_map(|native| native.inputs.iter().cloned());
    let local = || outcome.packages.iter().filter(|(_, package)| package.local);
    let manifests = local().map(|(_, package)| package.folder.join("Cargo.toml"));
    // Build scripts often name too little of what they read.
    let native = |name: &str| natives.iter().any(|native| name.split(' ').next() == Some(native.package.as_str()));
    let whole = local().filter(|(name, _)| native(name)).map(|(_, package)| package.folder.clone());
    sources.chain(named).chain(manifests).chain(whole).collect()
}

fn provenance(
    workspace: &Workspace,
    inputs: record::Inputs,
    request: &Request,
    control: Option<Control>,
) -> Provenance {
    Provenance {
        folder: workspace.root.display().to_string(),
        inputs,
        settings: settings::digests(&workspace.root, request.cargo_home().as_deref()),
        environment: request.environment.clone(),
        control,
    }
}

/// The distinct feature lists of the arms that are built, in order of their first arm.
fn feature_lists(arms: &[RunArm]) -> Vec<Vec<String>> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    for arm in arms.iter().filter(|arm| arm.role != Role::Command) {
        if !lists.contains(&arm.features) {
            lists.push(arm.features.clone());
        }
    }
    lists
}

fn users(arms: &[RunArm], features: &[String]) -> Vec<String> {
    let uses = |arm: &&RunArm| arm.role != Role::Command && arm.features == features;
    arms.iter().filter(uses).map(|arm| arm.id.clone()).collect()
}

/// Enters a build. Returns whether it succeeded.
fn enter(
    outcome: Outcome,
    features: &[String],
    ids: &[String],
    target: &Target,
    arms: &mut [RunArm],
    store: &Store,
    built: &mut Built,
) -> Result<bool> {
    let executable = match outcome.executable {
        Ok(executable) => executable,
        Err(reason) if arms.iter().any(|arm| arm.role == Role::Base && ids.contains(&arm.id)) => {
            bail!("the build of base failed; mend it first: `{}`\n{reason}", shell::line(&outcome.command));
        }
        Err(reason) => {
            built.findings.extend(ids.iter().map(|arm| failed(arm, features, &outcome.command, &reason)));
            return Ok(false);
        }
    };
    let implied = implied(built, &outcome.packages, &target.package, features);
    let path: PathBuf = executable.path;
    let (raw, size_bytes) = store.insert(&path)?;
    store.checked(&raw).with_context(|| format!("binary `{}`", target.bin))?;
    for arm in arms.iter_mut().filter(|arm| ids.contains(&arm.id)) {
        arm.binary = Some(raw.clone());
        arm.implied.clone_from(&implied);
    }
    built.builds.push(Build {
        arms: ids.to_vec(),
        features: features.to_vec(),
        compiled: outcome.compiled,
        fresh_count: outcome.fresh,
        rebuilt: executable.rebuilt,
        raw,
        binary: None,
        size_bytes,
        ns: nanoseconds(outcome.time),
        command: outcome.command,
        archives: Vec::new(),
    });
    Ok(true)
}

/// The features of the target, as cargo says they are on, that a program need not know of: what `default` or those asked for
/// turned on, and those that only turn on others.
fn implied(built: &Built, packages: &BTreeMap<String, cargo::Built>, package: &str, asked: &[String]) -> Vec<String> {
    let of_target = packages.iter().filter(|(name, _)| name.split(' ').next() == Some(package));
    let on: BTreeSet<&String> = of_target.flat_map(|(_, package)| &package.features).collect();
    let may_be_untold = |name: &&String| !asked.contains(name) || built.features.turns_on_others(name);
    on.into_iter().filter(|name| *name != "default").filter(may_be_untold).cloned().collect()
}

/// Enters what is in the last build, native and whole. The archive's stamp is what the program will have to say.
fn look_into(natives: Vec<Native>, roots: &Roots, arms: &mut [RunArm], store: &Store, built: &mut Built) -> Result<()> {
    let Some((build, before)) = built.builds.split_last_mut() else { return Ok(()) };
    build.archives = natives.iter().filter_map(Native::record).collect();
    let looked = executables::look(&store.path(&build.raw), &natives, roots)
        .with_context(|| format!("the build of {}", build.arms.join(", ")))?;
    build.binary = looked.digest.as_ref().ok().map(|digest| digest.binary.clone());
    // Symbols may differ where nothing does that is loaded: the arms then run one and the same program.
    let mut earlier = before.iter().zip(&built.contents);
    let is_same = |other: &Contents| looked.loaded().is_some() && other.loaded() == looked.loaded();
    let twin = earlier.find(|(_, other)| is_same(other)).map(|(twin, _)| twin.raw.clone());
    let runs = twin.unwrap_or_else(|| build.raw.clone());
    let expected = build.archives.iter().find_map(|archive| archive.stamp.clone());
    let stamp = match (&expected, &looked.digest) {
        (None, _) => None,
        (Some(_), Ok(digest)) => digest.stamp.clone(),
        (Some(_), Err(_)) => archives::stamp_of_executable(&store.path(&build.raw))?,
    };
    for arm in arms.iter_mut().filter(|arm| build.arms.contains(&arm.id)) {
        arm.stamp.clone_from(&expected);
        arm.binary = Some(runs.clone());
    }
    built.contents.push(Contents { natives, stamp, executable: Some(looked), ..Contents::default() });
    Ok(())
}

fn failed(arm: &str, features: &[String], command: &[String], reason: &str) -> Finding {
    Finding {
        kind: FindingKind::BuildFailed,
        arm: arm.to_owned(),
        evidence: format!("the build with features [{}] failed: {reason}", features.join(", ")),
        remedy: format!("mend it and try `{}`; the whole output is in .ablate/build.log", command.join(" ")),
    }
}
