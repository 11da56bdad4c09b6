//! `ablate explain`: the whole provenance of one binary, and what differs from another's.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::build::Store;
use crate::build::store::StoreError;
use crate::cli::ExplainArgs;
use crate::digest::Roots;
use crate::digest::executable::{self, ExecutableDigest};
use crate::explain::{self, Found, Subject};
use crate::record::{ArchiveParts, Recorded, Run, locate, read};
use crate::{experiment, output};

/// Prints what is known. Nothing is built or measured.
pub fn run(args: &ExplainArgs, root: Option<&Path>) -> Result<ExitCode> {
    let root = experiment::find_root(root, Path::new(""))?;
    let folder = locate(&root, &args.run)?;
    let Recorded { run, samples, .. } = read(&folder)?;
    let store = Store::open(&root)?;
    let subject = subject(&run, &args.arm)?;
    let found = found(subject, &folder, &store)?;
    let samples = samples.iter().filter(|sample| sample.arm == args.arm).count();
    let mut text = explain::provenance(subject, &found, samples);
    if let Some(other) = &args.against {
        let other = self::subject(&run, other)?;
        let of_other = self::found(other, &folder, &store)?;
        text.push('\n');
        text.push_str(&explain::against((subject, &found), (other, &of_other), &executables(other, subject, &store)));
    }
    output::answer(&output::printable(&text))?;
    Ok(ExitCode::SUCCESS)
}

fn subject<'a>(run: &'a Run, id: &str) -> Result<Subject<'a>> {
    Subject::of(run, id).with_context(|| {
        let known: Vec<&str> = run.arms.iter().map(|arm| arm.id.as_str()).collect();
        format!("run {} has no arm `{id}`; it has {}", run.id, known.join(", "))
    })
}

fn found(subject: Subject<'_>, folder: &Path, store: &Store) -> Result<Found> {
    let Some(build) = subject.build else { return Ok(Found::default()) };
    let phrase = match store.read_again(&build.raw) {
        Ok(path) => format!("{}, whose digest is right", path.display()),
        Err(error @ (StoreError::Missing(_) | StoreError::Replaced { .. })) => error.to_string(),
    };
    let parts = |raw: &str| ArchiveParts::read(folder, raw).context("cannot tell what is in an archive");
    let archives = build.archives.iter().map(|archive| parts(&archive.raw)).collect::<Result<_>>()?;
    Ok(Found { store: Some(phrase), archives })
}

/// What differs between two executables, in words.
fn executables(before: Subject<'_>, after: Subject<'_>, store: &Store) -> Vec<String> {
    let (Some(before), Some(after)) = (before.build, after.build) else { return Vec::new() };
    if before.raw == after.raw {
        return Vec::new();
    }
    match (looked_into(&before.raw, store), looked_into(&after.raw, store)) {
        (Ok(before), Ok(after)) => executable::differences(&before, &after).iter().map(ToString::to_string).collect(),
        (Err(reason), _) | (_, Err(reason)) => {
            let (from, to) = (before.size_bytes, after.size_bytes);
            vec![format!("{from} bytes became {to}; which code they hold cannot be told: {reason:#}")]
        }
    }
}

/// What an executable of the store holds. Both come from one checkout, so paths in them need no names.
fn looked_into(raw: &str, store: &Store) -> Result<ExecutableDigest> {
    let path = store.read_again(raw)?;
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(executable::executable(&bytes, &Roots::default())?)
}
