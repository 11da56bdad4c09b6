//! Makes a bundle of an experiment whose builds were verified.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::container::{self, Kind};
use super::head::{BundleHead, Packed, is_below};
use super::needs::Needs;
use crate::build::store::hex;
use crate::experiment::Experiment;
use crate::host;
use crate::session::Verified;

/// Where the experiment lies in the unpacked folder.
pub(super) const EXPERIMENT: &str = "experiment.toml";

/// Where executables lie in the unpacked folder: the store of the project that it is.
const STORE: &str = ".ablate/store";

/// Beside it lie the parts of the archives, as they lie in the folder of a run.
pub(super) const BESIDE: &str = ".ablate";

/// Where files from outside of the project are put.
const EXTRA: &str = "extra";

/// Executables of one experiment differ little. So far back, as a power of two, each may repeat what came before: several
/// executables, and no more memory than any machine has.
pub(super) const WINDOW_LOG: u32 = 27;

/// Measured on 32 arms: higher levels take many times as long for a few per cent.
const LEVEL: i32 = 9;

const LAUNCHER: &str = include_str!("launcher.sh");

/// What is packed.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The question.
    pub experiment: &'a Experiment,
    /// Its arms, built and verified.
    pub verified: &'a Verified,
    /// Files and folders beside what the experiment names.
    pub with: &'a [PathBuf],
    /// The `ablate` that will measure.
    pub program: &'a Path,
}

/// A bundle that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The digest in its signature.
    pub digest: String,
    /// Its size.
    pub bytes: u64,
    /// How many files are in it.
    pub files: usize,
    /// The size of these.
    pub unpacked_bytes: u64,
    /// What it needs.
    pub needs: Needs,
}

/// Packs the experiment into `path`, which is replaced in one step.
pub fn pack(order: Order, path: &Path) -> Result<Made> {
    let (sources, notices) = sources(order)?;
    let programs: Vec<PathBuf> = (sources.values())
        .filter_map(|source| match source {
            Source::File { path, executable: true } => Some(path.clone()),
            _ => None,
        })
        .chain([order.program.to_owned()])
        .collect();
    let needs = Needs::of(order.experiment, &order.verified.builds, &programs)?;
    let mut archive = tempfile::tempfile().context("cannot make a temporary file")?;
    let files = write_archive(&sources, &mut archive)?;
    let files_bytes = archive.stream_position().context("cannot write a temporary file")?;
    archive.rewind().context("cannot read a temporary file")?;
    let program = compressed(order.program)?;
    let made = host::now();
    let mut run = order.verified.run(order.experiment, order.experiment.name.clone(), made);
    run.notices.extend(notices);
    let head = BundleHead {
        made,
        ablate: env!("CARGO_PKG_VERSION").to_owned(),
        needs: needs.clone(),
        run,
        files,
        program_bytes: program.len() as u64,
        files_bytes,
    };
    head.check_paths()?;
    let program_bytes = program.len();
    let script = |begin: u64| {
        // `tail` counts bytes from 1. The text is as long whatever the number.
        let (begin, bytes) = (format!("{:<12}", begin + 1), program_bytes.to_string());
        LAUNCHER.replace("@BEGIN@", &begin).replace("@BYTES@", &bytes)
    };
    let sections: &mut [&mut dyn Read] = &mut [&mut Cursor::new(&program), &mut archive];
    let digest = container::write(path, Kind::Bundle, "#!/bin/sh\n", &script, &head, sections)?;
    Ok(Made {
        digest,
        bytes: container::size(path)?,
        files: head.files.len(),
        unpacked_bytes: head.files.iter().map(|file| file.size_bytes).sum(),
        needs,
    })
}

/// What is put into a place of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Text(String),
    File { path: PathBuf, executable: bool },
}

/// Places and what is put there, and what the reader should know.
fn sources(order: Order) -> Result<(BTreeMap<String, Source>, Vec<String>)> {
    let (experiment, root) = (order.experiment, &order.experiment.root);
    let mut sources = BTreeMap::from([(EXPERIMENT.to_owned(), Source::Text(experiment.source.clone()))]);
    let mut notices = Vec::new();
    let own = experiment.target.iter().map(|target| target.manifest.clone()).chain([root.join("Cargo.toml")]);
    for manifest in own.filter(|manifest| manifest.is_file()) {
        let Some(place) = place(&manifest, root) else {
            bail!("{} is not below {}; a bundle holds the project alone", manifest.display(), root.display());
        };
        sources.insert(place, Source::File { path: manifest, executable: false });
    }
    for digest in order.verified.arms.iter().filter_map(|arm| arm.binary.as_deref()) {
        let path = order.verified.store.checked(digest)?;
        sources.insert(format!("{STORE}/{digest}"), Source::File { path, executable: true });
    }
    for parts in order.verified.archives() {
        sources.insert(format!("{BESIDE}/{}", parts.place()), Source::Text(parts.json()?));
    }
    for arm in &experiment.commands {
        match command(&arm.id, &arm.command, root)? {
            Ok((place, source)) => drop(sources.insert(place, source)),
            Err(notice) => notices.push(notice),
        }
    }
    for path in order.with {
        add(path, root, &mut sources)?;
    }
    Ok((sources, notices))
}

/// The program of a command arm. The inner error: it is one of the machine that measures, not of the project.
fn command(arm: &str, words: &[String], root: &Path) -> Result<Result<(String, Source), String>> {
    let program = words.first().map_or("", String::as_str);
    if !program.contains('/') || Path::new(program).is_absolute() {
        return Ok(Err(format!(
            "arm {arm} runs `{program}` of the machine it was measured on; it is not in the bundle"
        )));
    }
    let path = root.join(program);
    if !path.is_file() {
        bail!("arm {arm}: {} is not there; build it, or give the arm a `build` that makes it", path.display());
    }
    let Some(place) = place(&path, root) else {
        bail!("arm {arm}: {} is not below {}; a bundle holds the project alone", path.display(), root.display());
    };
    Ok(Ok((place, Source::File { path, executable: true })))
}

/// A file or a folder that was asked for by `--with`. One of the project keeps its place.
fn add(named: &Path, root: &Path, sources: &mut BTreeMap<String, Source>) -> Result<()> {
    let context = || format!("--with {}", named.display());
    let path = named.canonicalize().with_context(|| format!("{}: it cannot be read", context()))?;
    if root.starts_with(&path) {
        bail!("{}: it holds the whole project; name what is needed", context());
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let place = place(&path, root).unwrap_or_else(|| format!("{EXTRA}/{name}"));
    add_at(path, place, sources).with_context(context)
}

fn add_at(path: PathBuf, place: String, sources: &mut BTreeMap<String, Source>) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
            let (inner, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if inner.is_symlink() && inner.is_dir() {
                bail!("{} is a link to a folder; name that folder itself", inner.display());
            }
            add_at(inner, format!("{place}/{name}"), sources)?;
        }
        return Ok(());
    }
    let executable = is_executable(&path)?;
    match sources.get(&place) {
        None => drop(sources.insert(place, Source::File { path, executable })),
        Some(Source::File { path: other, .. }) if other.canonicalize().ok() == path.canonicalize().ok() => {}
        Some(_) => bail!("another file of the bundle lies in its place, {place}; rename it"),
    }
    Ok(())
}

fn is_executable(path: &Path) -> Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(metadata.permissions().mode() & 0o111 != 0)
}

/// The place of a file below the root, with `/`; `None` elsewhere.
fn place(path: &Path, root: &Path) -> Option<String> {
    let below = path.strip_prefix(root).ok()?.to_str()?.to_owned();
    is_below(&below).then_some(below)
}

/// Writes the files as compressed tar and tells what they are.
fn write_archive(sources: &BTreeMap<String, Source>, to: &mut File) -> Result<Vec<Packed>> {
    let mut encoder = zstd::Encoder::new(to, LEVEL).context("cannot compress")?;
    encoder.long_distance_matching(true).context("cannot compress")?;
    encoder.window_log(WINDOW_LOG).context("cannot compress")?;
    let mut archive = tar::Builder::new(encoder);
    let mut files = Vec::new();
    for (place, source) in sources {
        let packed = match source {
            Source::Text(text) => append(&mut archive, place, &mut text.as_bytes(), text.len() as u64, false),
            Source::File { path, executable } => container::size(path).and_then(|size| {
                let mut file = File::open(path)?;
                append(&mut archive, place, &mut file, size, *executable).with_context(|| path.display().to_string())
            }),
        };
        files.push(packed.with_context(|| format!("cannot pack {place}"))?);
    }
    archive.into_inner().and_then(zstd::Encoder::finish).context("cannot compress")?;
    Ok(files)
}

/// Owner, group and time are left out: they say nothing of the content.
pub(super) fn append(
    archive: &mut tar::Builder<impl Write>,
    place: &str,
    from: &mut dyn Read,
    size: u64,
    executable: bool,
) -> Result<Packed> {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(if executable { 0o755 } else { 0o644 });
    header.set_entry_type(tar::EntryType::Regular);
    let mut reader =
        Hashing { from: BufReader::with_capacity(1 << 18, from).take(size), hasher: Sha256::new(), read: 0 };
    archive.append_data(&mut header, place, &mut reader)?;
    if reader.read != size {
        bail!("it had {size} bytes and then {}: somebody writes it", reader.read);
    }
    let sha256 = hex(&reader.hasher.finalize());
    Ok(Packed { path: place.to_owned(), sha256, size_bytes: size, executable })
}

/// A reader that digests what passes.
struct Hashing<R> {
    from: R,
    hasher: Sha256,
    read: u64,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.from.read(buffer)?;
        self.hasher.update(&buffer[..length]);
        self.read += length as u64;
        Ok(length)
    }
}

fn compressed(program: &Path) -> Result<Vec<u8>> {
    let compress = || -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        io::copy(&mut File::open(program)?, &mut encoder)?;
        encoder.finish()
    };
    compress().with_context(|| format!("cannot pack {}", program.display()))
}
