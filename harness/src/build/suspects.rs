//! Archives that cargo took for up to date and nobody vouches for: each is built again from nothing and compared.
//!
//! What raises the suspicion is [`super::made`]; what settles it is a control build of one arm that has the archive.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::archives::Native;
use super::cargo::Outcome;
use super::control::{self, Base};
use super::inputs::{self, Files, Inputs};
use super::made::Made;
use super::plan::{Built, Contents};
use super::untold::Untold;
use crate::record::Control;

/// An archive that cargo did not make again though what it may be made from changed, and what came of building it from nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The archive as it was found.
    pub path: PathBuf,
    /// Which files of its package, and variables that build scripts name, changed since it was made; none: that is not known.
    pub changed: Vec<String>,
    /// What came out different, or why it could not be built; empty: nothing. `None`: it was not built again, since base itself
    /// comes out different every time.
    pub differing: Option<Vec<String>>,
}

/// What the files were that one build's executable and its archives may be made from; nothing where one moved meanwhile.
#[derive(Debug)]
pub(super) struct Sources {
    executable: Option<Files>,
    archives: Vec<Option<Files>>,
}

/// An archive that must be built again before it can be trusted.
#[derive(Debug)]
pub(super) struct Suspect {
    /// The place of its build and of itself among the build's archives.
    at: (usize, usize),
    changed: Vec<String>,
    files: Option<Files>,
}

impl Sources {
    /// The files that went into a build, as they are now.
    pub(super) fn of(outcome: &Outcome, natives: &[Native], inputs: &Inputs, untold: &Untold, root: &Path) -> Self {
        let read = outcome.executable.iter().flat_map(|executable| inputs::of_dep_info(&executable.path, root));
        let read: Vec<PathBuf> = read.collect();
        let folder = |native: &Native| {
            let packages = outcome.packages.iter().filter(|(_, package)| package.local);
            let folders = packages.filter(|(name, _)| name.split(' ').next() == Some(native.package.as_str()));
            let files = inputs.contents(folders.map(|(_, package)| package.folder.as_path()), root);
            files.map(|files| files.into_iter().chain(untold.digests()).collect())
        };
        Self {
            executable: inputs.contents(read.iter().map(PathBuf::as_path), root),
            archives: natives.iter().map(folder).collect(),
        }
    }
}

/// Compares what the last build is made from with what it was when it was made. Gives back archives that this does not settle.
pub(super) fn date(made: &Made, sources: Sources, built: &mut Built) -> Result<Vec<Suspect>> {
    let (Some(build), Some(contents)) = (built.builds.last(), built.contents.last_mut()) else { return Ok(Vec::new()) };
    contents.outdated = made.executable(&build.command, build.rebuilt, &build.raw, sources.executable)?;
    let mut suspects = Vec::new();
    for (at, (native, files)) in contents.natives.iter().zip(sources.archives).enumerate() {
        if let Some(changed) = made.archive(native, files.clone())? {
            suspects.push(Suspect { at: (built.builds.len() - 1, at), changed, files });
        }
    }
    Ok(suspects)
}

/// Builds the suspects again from nothing, each archive once however many builds share it. Base's is settled by its control
/// build; where that came out different by chance, another build would tell nothing, and is left out.
pub(super) fn build_again(
    base: Base<'_>,
    control: &Control,
    suspects: Vec<Suspect>,
    made: &Made,
    built: &Built,
) -> Result<Vec<Again>> {
    let mut again: Vec<Again> = Vec::new();
    let by_chance = !control.differing.is_empty() && !base.build.is_fresh();
    for Suspect { at: (build, archive), changed, files } in suspects {
        let (build, contents) = (&built.builds[build], &built.contents[build]);
        let native = &contents.natives[archive];
        if again.iter().any(|done| done.path == native.path) {
            continue;
        }
        if by_chance {
            again.push(Again { path: native.path.clone(), changed, differing: None });
            continue;
        }
        let of_base = base.contents.natives.iter().any(|other| other.path == native.path);
        let differing = if of_base {
            control.differing.clone()
        } else {
            let arms = build.arms.join(", ");
            base.matrix.progress.say(&format!("control build of {arms}: its {} was not made again", native.file));
            control::archives_again(Base { build, contents, ..base })?
        };
        if let Some(files) = files.filter(|_| differing.is_empty()) {
            made.trust(native, files)?;
        }
        if !of_base {
            again.push(Again { path: native.path.clone(), changed, differing: Some(differing) });
        }
    }
    Ok(again)
}

/// Enters what came of it into every build with such an archive.
pub(super) fn enter(again: &[Again], built: &mut Built) {
    for again in again {
        let sharing = |contents: &&mut Contents| contents.natives.iter().any(|native| native.path == again.path);
        for contents in built.contents.iter_mut().filter(sharing) {
            contents.again.push(again.clone());
        }
    }
}
