//! The control build: base a second time, from nothing, in another folder.
//!
//! Two builds of the same sources that differ show that a difference between two arms may come from the compiler's clock,
//! a path or a process id as well as from a toggle. The second build has a fresh target folder with another, longer path;
//! where every package on disk lies in the workspace, it reads the sources through a link, so that compilers are given other
//! paths for them too. Programs that resolve the link see the old path.
//!
//! What came of it is kept in `.ablate/control` under a digest of everything that the build depends on, base's own digests
//! included, so nothing is built again while nothing changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Contents;
use super::archives::{Native, Reader};
use super::cargo::{self, Order, Outcome};
use super::executables::{self, Looked};
use super::folder::ControlFolder;
use super::kept;
use super::plan::Matrix;
use super::store::hex;
use super::untold::Untold;
use crate::digest::{differences, executable};
use crate::experiment::Target;
use crate::record::{Build, Control, Inputs};
use crate::worker::process::nanoseconds;

/// More differing parts than this are counted, not listed.
const LISTED: usize = 6;

/// Base as it was built, and what it was built with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base<'a> {
    pub(super) matrix: Matrix<'a>,
    pub(super) build: &'a Build,
    pub(super) contents: &'a Contents,
    pub(super) inputs: &'a Inputs,
    /// Folders of packages on disk.
    pub(super) local: &'a [PathBuf],
    /// What it may be made from without cargo's knowing.
    pub(super) untold: &'a Untold,
}

/// The result of an earlier control build of the same base, or of one that is made now.
pub(super) fn control(base: Base<'_>) -> Result<Control> {
    let Matrix { request, .. } = base.matrix;
    let place = kept_in(base)?;
    if !request.control_again
        && let Some(Kept { control }) = kept::read(&place)
    {
        return Ok(Control { kept: true, allowed: request.allow_not_reproducible, ..control });
    }
    base.matrix.progress.say("control build: base again, from nothing, in another folder");
    let rebuilt = rebuild(base)?;
    let was_built = rebuilt.outcome.executable.is_ok();
    let mut control = compare(base, rebuilt)?;
    // A build that failed may succeed the next time, without any change of its inputs: when the disk has room again. And a
    // base that is stale stays so until it is built again.
    let stale = base.build.is_fresh() && !control.differing.is_empty();
    if was_built && !stale {
        kept::write(&place, &Kept { control: control.clone() })?;
    }
    control.allowed = request.allow_not_reproducible;
    Ok(control)
}

/// Forgets a control build that was made of other sources than base.
pub(super) fn forget(base: Base<'_>) -> Result<()> {
    kept::forget(&kept_in(base)?)
}

/// The file for what comes of the control build of this base.
fn kept_in(base: Base<'_>) -> Result<PathBuf> {
    Ok(base.matrix.experiment.root.join(".ablate/control").join(format!("{}.json", key(base)?)))
}

/// All that decides what base is, and what it came to.
#[derive(Serialize)]
struct Key<'a> {
    version: &'a str,
    command: Vec<&'a str>,
    binary: &'a str,
    archives: Vec<(&'a str, &'a str, &'a str, Option<&'a str>)>,
    inputs: &'a str,
    untold: &'a BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
    environment: &'a BTreeMap<String, String>,
    toolchains: BTreeMap<String, String>,
}

/// SHA-256 over the [`Key`].
fn key(base: Base<'_>) -> Result<String> {
    let Matrix { workspace, request, .. } = base.matrix;
    let archives = base.build.archives.iter();
    let words = base.build.command.iter().map(String::as_str);
    let key = Key {
        version: "2",
        // The first build of a project has no lock file yet, whose content counts by itself.
        command: words.filter(|word| *word != "--locked").collect(),
        binary: &base.build.raw,
        archives: archives
            .map(|archive| {
                (archive.file.as_str(), archive.host.as_str(), archive.device_all.as_str(), archive.stamp.as_deref())
            })
            .collect(),
        inputs: &base.inputs.digest,
        untold: &base.untold.variables,
        settings: super::settings::digests(&workspace.root, request.cargo_home().as_deref()),
        environment: &request.environment,
        toolchains: crate::host::toolchains(&workspace.root),
    };
    let text = serde_json::to_vec(&key).context("cannot write the key of the control build")?;
    Ok(hex(&Sha256::digest(text)))
}

/// What is kept of a control build.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    control: Control,
}

/// What is different in the archives of an arm when it is built from nothing, as base is; or why it cannot be built.
pub(super) fn archives_again(arm: Base<'_>) -> Result<Vec<String>> {
    let rebuilt = rebuild(arm)?;
    match &rebuilt.outcome.executable {
        Ok(_) => Ok(compare_archives(arm, &rebuilt.natives(arm)?).1),
        Err(reason) => Ok(vec![not_built(reason)]),
    }
}

fn not_built(reason: &str) -> String {
    format!("it could not be built a second time: {reason}")
}

/// An arm built from nothing. What was built is removed with this value.
struct Rebuilt {
    outcome: Outcome,
    /// The workspace as cargo was given it: through a link where that went well.
    checkout: PathBuf,
    folder: ControlFolder,
}

impl Rebuilt {
    fn natives(&self, arm: Base<'_>) -> Result<Vec<Native>> {
        let Matrix { experiment, request, .. } = arm.matrix;
        Reader::new(request.lookup.path.clone()).read(experiment, &self.outcome, &self.checkout)
    }
}

/// Builds an arm again from nothing.
fn rebuild(base: Base<'_>) -> Result<Rebuilt> {
    let folder = base.matrix.folder.control()?;
    let Matrix { target, workspace, locked, env, log, progress, interrupt, .. } = base.matrix;
    let root = &workspace.root;
    let movable = base.local.iter().all(|package| package.starts_with(root)) && target.manifest.starts_with(root);
    let mut checkout = if movable { folder.checkout(root)? } else { root.clone() };
    let once = |checkout: &Path| -> Result<Outcome> {
        let manifest = target.manifest.strip_prefix(root).map(|below| checkout.join(below));
        let target = &Target { manifest: manifest.unwrap_or(target.manifest.clone()), ..target.clone() };
        let (features, target_dir) = (&base.build.features, &folder.target());
        let order = Order { target, features, locked, root, target_dir, env };
        let outcome = cargo::build(order, log, &|line| progress.detail(line))?;
        if interrupt.requested() {
            bail!("interrupted in a control build; nothing was recorded");
        }
        Ok(outcome)
    };
    let mut outcome = once(&checkout)?;
    if outcome.executable.is_err() && movable {
        // Some build scripts do not stand a link; the target folder is still another.
        folder.empty()?;
        checkout.clone_from(root);
        outcome = once(&checkout)?;
    }
    Ok(Rebuilt { outcome, checkout, folder })
}

/// What building base a second time came to.
fn compare(base: Base<'_>, rebuilt: Rebuilt) -> Result<Control> {
    let Rebuilt { outcome, checkout, folder } = &rebuilt;
    let (compared, differing) = match &outcome.executable {
        Ok(executable) => {
            let roots = executables::roots(checkout, outcome, &folder.target());
            let looked = executables::look(&executable.path, &[], &roots)?;
            let archives = compare_archives(base, &rebuilt.natives(base)?);
            let executables = compare_executables(base, &looked);
            ([archives.0, executables.0].concat(), [archives.1, executables.1].concat())
        }
        Err(reason) => (Vec::new(), vec![not_built(reason)]),
    };
    Ok(Control {
        kept: false,
        moved_sources: *checkout != base.matrix.workspace.root,
        compared,
        differing,
        untold: base.untold.directives(),
        allowed: false,
        ns: nanoseconds(outcome.time),
        command: rebuilt.outcome.command,
    })
}

/// Which digests of archives were compared, and what is not the same.
fn compare_archives(base: Base<'_>, natives: &[Native]) -> (Vec<String>, Vec<String>) {
    let (mut compared, mut differing) = (Vec::new(), Vec::new());
    for (before, after) in base.contents.natives.iter().zip(natives) {
        let file = &before.file;
        let (before, after) = match (&before.digest, &after.digest) {
            (Ok(before), Ok(after)) => (before, after),
            (before, after) => {
                let problem = before.as_ref().err().or(after.as_ref().err()).map_or("", String::as_str);
                differing.push(format!("{file}: {problem}"));
                continue;
            }
        };
        compared.extend([format!("archive-host of {file}"), format!("archive-device of {file}")]);
        differing.extend(listed(differences(before, after).iter().map(|part| format!("{file}: {part}")).collect()));
    }
    (compared, differing)
}

/// The same for the executables. Where one cannot be looked into, its bytes would tell too little: they hold the paths.
fn compare_executables(base: Base<'_>, looked: &Looked) -> (Vec<String>, Vec<String>) {
    match (base.contents.executable.as_ref().map(|before| &before.digest), &looked.digest) {
        (Some(Ok(before)), Ok(after)) => {
            let parts = executable::differences(before, after);
            (vec!["binary".to_owned()], listed(parts.iter().map(ToString::to_string).collect()))
        }
        _ => (Vec::new(), Vec::new()),
    }
}

fn listed(mut parts: Vec<String>) -> Vec<String> {
    if parts.len() > LISTED {
        let more = parts.len() - LISTED;
        parts.truncate(LISTED);
        parts.push(format!("and {more} more"));
    }
    parts
}
