//! Writes the files of a report, each of them whole or not at all.

use std::fs::{Permissions, create_dir_all};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};

use super::view::View;
use super::{csv, html, summary};
use crate::experiment::Experiment;
use crate::judge::Judgement;
use crate::record::{Run, Sample};

/// Writes `index.html`, `comparison.csv`, `effects.csv`, `phases.csv`, `builds.csv`, `samples.csv` and `summary.md` into
/// `dir`, which is made if it is missing.
///
/// Every file replaces its forerunner in one step, and the page comes last: a reader never sees half a file, and a new
/// page never stands beside older tables. Fails with the path that could not be written.
pub fn write(experiment: &Experiment, run: &Run, samples: &[Sample], judgement: &Judgement, dir: &Path) -> Result<()> {
    let view = View::new(experiment, run, samples, judgement);
    create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    for (name, bytes) in csv::tables(&view, samples)? {
        replace(&dir.join(name), &bytes)?;
    }
    replace(&dir.join("summary.md"), summary::summary(&view).as_bytes())?;
    replace(&dir.join("index.html"), html::page(&view)?.as_bytes())
}

fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".report-").permissions(Permissions::from_mode(0o666));
        let mut file = builder.tempfile_in(dir)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
