//! A run's folder as one file, on its way back from the machine that measured it.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::container::{self, Kind, Opened};
use super::head::{Packed, is_below};
use super::pack::append;
use super::unpack::extract;
use crate::host;
use crate::record::{self, ArchiveParts, RunFolder};

/// The files of every run, in the order in which they are read: a sample that is appended meanwhile is only missing. The
/// parts of its archives, which never change, follow.
const FILES: [&str; 3] = ["experiment.toml", "run.json", "samples.jsonl"];

/// Lines of JSON repeat themselves, and it is done between blocks.
const LEVEL: i32 = 3;

/// The head of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultsHead {
    /// When it was made.
    pub made: Timestamp,
    /// The version of the program that made it.
    pub ablate: String,
    /// The run's id.
    pub run: String,
    /// Its files.
    pub files: Vec<Packed>,
    /// Length of the only section: the files, as tar compressed by Zstandard.
    pub files_bytes: u64,
}

/// Packs a run's folder into `path`, which is replaced in one step.
pub fn pack_results(folder: &Path, path: &Path) -> Result<()> {
    let run = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut archive = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut builder = tar::Builder::new(zstd::Encoder::new(&mut archive, LEVEL).context("cannot compress")?);
    let mut files = Vec::new();
    for name in FILES.map(str::to_owned).into_iter().chain(ArchiveParts::places(folder)?) {
        let source = folder.join(&name);
        let shown = || format!("cannot pack {}", source.display());
        let mut file = File::open(&source).with_context(shown)?;
        let size = container::size(&source)?;
        files.push(append(&mut builder, &name, &mut file, size, false).with_context(shown)?);
    }
    builder.into_inner().and_then(zstd::Encoder::finish).context("cannot compress")?;
    let files_bytes = archive.stream_position().context("cannot write a temporary file")?;
    archive.rewind().context("cannot read a temporary file")?;
    let head = ResultsHead { made: host::now(), ablate: env!("CARGO_PKG_VERSION").to_owned(), run, files, files_bytes };
    let sections: &mut [&mut dyn Read] = &mut [&mut archive];
    container::write(path, Kind::Results, "", &|_| String::new(), &head, sections)?;
    Ok(())
}

/// Puts a run that was brought back into the project's results. Gives back its folder.
pub fn import(path: &Path, root: &Path) -> Result<PathBuf> {
    restore(path, &root.join("results"))
}

/// Puts a run into `results`, under its id. One that is there already is replaced if the file goes on from it, kept if it
/// is the newer one, and is an error if the two went different ways.
pub fn restore(path: &Path, results: &Path) -> Result<PathBuf> {
    let opened: Opened<ResultsHead> = container::open(path, Kind::Results)?;
    let shown = path.display();
    if !opened.head.files.iter().all(|file| is_below(&file.path)) || !is_below(&opened.head.run) {
        bail!("{shown} holds a path that may lead anywhere; it is not unpacked");
    }
    fs::create_dir_all(results).with_context(|| format!("cannot make {}", results.display()))?;
    let making = tempfile::Builder::new()
        .prefix(".importing-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .tempdir_in(results)
        .with_context(|| format!("cannot write into {}", results.display()))?;
    extract(opened.section(0, opened.head.files_bytes)?, &opened.head.files, making.path())
        .with_context(|| format!("cannot unpack {shown}"))?;
    let recorded = record::read(making.path()).with_context(|| shown.to_string())?;
    let folder = results.join(&recorded.run.id);
    if !folder.exists() {
        fs::rename(making.path(), &folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let _ = making.keep();
        return Ok(folder);
    }
    // Held until the end: nobody may write the folder meanwhile.
    let (_folder, _) = RunFolder::resume(&folder)?;
    let read = |folder: &Path, name: &str| {
        fs::read(folder.join(name)).with_context(|| format!("cannot read {name} in {}", folder.display()))
    };
    let (here, there) = (read(&folder, "samples.jsonl")?, read(making.path(), "samples.jsonl")?);
    if read(&folder, "experiment.toml")? != read(making.path(), "experiment.toml")?
        || !(here.starts_with(&there) || there.starts_with(&here))
    {
        bail!("{} is there with other samples than {shown}; move it away, or name the newer results", folder.display());
    }
    if there.len() >= here.len() {
        for name in FILES {
            fs::rename(making.path().join(name), folder.join(name))
                .with_context(|| format!("cannot write {name} in {}", folder.display()))?;
        }
    }
    Ok(folder)
}
