//! `samples.jsonl`: one line a sample, appended and synced.
//!
//! A kill can cut the last line; that line was never a sample, so it is dropped. Anything else that is wrong is damage,
//! and an error that names the line: samples are never dropped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use super::Sample;

/// What a file of samples holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The samples, in the order of their lines.
    pub(super) samples: Vec<Sample>,
    /// Bytes up to the end of the last whole line.
    pub(super) whole_bytes: u64,
    /// Bytes of a cut last line.
    pub(super) cut_bytes: u64,
}

/// Reads a file of samples.
pub(super) fn read(path: &Path) -> Result<Contents> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut contents =
        Contents { whole_bytes: whole as u64, cut_bytes: (bytes.len() - whole) as u64, ..Contents::default() };
    let mut lines = HashMap::new();
    for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = index + 1;
        let damaged = |error: serde_json::Error| {
            // To the parser each line is the first.
            let error = error.to_string().replace(" at line 1 column ", " at column ");
            anyhow!("{}: line {number} is damaged: {error}", path.display())
        };
        let sample: Sample = serde_json::from_slice(line).map_err(damaged)?;
        if let Some(first) = lines.insert((sample.block, sample.arm.clone(), sample.bench.clone()), number) {
            bail!("{}: line {number} is the same sample as line {first}", path.display());
        }
        contents.samples.push(sample);
    }
    Ok(contents)
}

/// Opens a file of samples for appending and cuts it to its whole lines.
pub(super) fn open(path: &Path, whole_bytes: u64) -> Result<File> {
    let open = || -> std::io::Result<File> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(whole_bytes)?;
        file.sync_all()?;
        Ok(file)
    };
    open().with_context(|| format!("cannot append to {}", path.display()))
}

/// Appends one sample in a single write, and waits until it is on the disk.
pub(super) fn append(file: &mut File, sample: &Sample) -> Result<()> {
    let mut line = serde_json::to_vec(sample).context("cannot write a sample as JSON")?;
    line.push(b'\n');
    file.write_all(&line).and_then(|()| file.sync_data()).context("cannot append to samples.jsonl")
}
