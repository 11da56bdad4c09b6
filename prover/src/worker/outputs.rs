//! Where a bench writes its proofs and inputs: never over what is not its own.
//!
//! An earlier run's file is replaced, since a bench runs many times. Anything else that stands there is somebody's, and the
//! parameters' folder is the cache's alone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::statement::{PROOF_BYTES, read_inputs, read_proofs};

/// An error, which names the flag and the remedy, unless `--proof` and `--inputs` can be written without loss.
pub fn check(proof: Option<&Path>, inputs: Option<&Path>, params_dir: &Path) -> Result<()> {
    let params_dir = fs::canonicalize(params_dir).ok();
    let proofs = Output { flag: "--proof", holds: "proofs", is_own: holds_proofs };
    let lists = Output { flag: "--inputs", holds: "public inputs", is_own: |path| read_inputs(path).is_ok() };
    let place = |output: Output, path: Option<&Path>| -> Result<Option<PathBuf>> {
        path.map_or(Ok(None), |path| output.place(path, params_dir.as_deref()))
    };
    let (proof_place, inputs_place) = (place(proofs, proof)?, place(lists, inputs)?);
    match proof_place {
        Some(place) if inputs_place.as_ref() == Some(&place) => {
            bail!("--proof and --inputs are both {}: name two files", place.display())
        }
        _ => Ok(()),
    }
}

/// A file that an option writes.
struct Output {
    flag: &'static str,
    holds: &'static str,
    /// Whether a file that is there is an earlier one of its kind.
    is_own: fn(&Path) -> bool,
}

impl Output {
    /// The one true path, however it is written; none for a device or a pipe, where nothing can be lost.
    fn place(&self, path: &Path, params_dir: Option<&Path>) -> Result<Option<PathBuf>> {
        let Self { flag, holds, is_own } = self;
        let name = || format!("{flag} {}", path.display());
        let found = fs::metadata(path).ok();
        let place = match &found {
            Some(found) if found.is_dir() => bail!("{} is a folder: name a file", name()),
            Some(found) if !found.is_file() => return Ok(None),
            Some(_) => fs::canonicalize(path).with_context(|| format!("{} cannot be used", name()))?,
            None => new_place(path).with_context(|| format!("{}: its folder cannot be used; make it first", name()))?,
        };
        if params_dir.is_some() && place.parent() == params_dir {
            bail!("{} lies in the folder of the parameters: name a file elsewhere", name());
        }
        if found.is_some_and(|found| found.len() > 0) && !is_own(path) {
            bail!("{} is there already and holds no {holds}: name another file, or delete it", name());
        }
        Ok(Some(place))
    }
}

/// The true path of a file that is yet to be made.
fn new_place(path: &Path) -> Result<PathBuf> {
    let (folder, name) = path.parent().zip(path.file_name()).context("it names no file")?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Ok(fs::canonicalize(folder)?.join(name))
}

/// Whether a file is proofs by its length and by the compression bit of each point's encoding.
fn holds_proofs(path: &Path) -> bool {
    let whole = fs::metadata(path).is_ok_and(|found| found.len().is_multiple_of(PROOF_BYTES as u64));
    let compressed = |proof: &[u8; PROOF_BYTES]| [0, 48, 144].iter().all(|&point| proof[point] & 0x80 != 0);
    whole && read_proofs(path).is_ok_and(|proofs| proofs.iter().all(compressed))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder of files, and one of parameters in it.
    fn folders() -> (TempDir, PathBuf) {
        let folder = TempDir::new().unwrap();
        let params = folder.path().join("params");
        fs::create_dir(&params).unwrap();
        (folder, params)
    }

    fn error(proof: &Path, inputs: &Path, params: &Path) -> String {
        let error = check(Some(proof), Some(inputs), params).unwrap_err();
        format!("{error:#}")
    }

    #[test]
    fn new_files_and_earlier_ones_can_be_written() {
        let (folder, params) = folders();
        let (proof, inputs) = (folder.path().join("proof"), folder.path().join("inputs"));
        let both = || check(Some(&proof), Some(&inputs), &params).unwrap();
        both();
        fs::write(&proof, "").unwrap();
        fs::write(&inputs, "").unwrap();
        both();
        fs::write(&proof, [0x80; 2 * PROOF_BYTES]).unwrap();
        fs::write(&inputs, "[[]]").unwrap();
        both();
        check(None, None, &params.join("missing")).unwrap();
        check(Some(Path::new("/dev/null")), Some(Path::new("/dev/null")), &params).unwrap();
    }

    #[test]
    fn one_file_under_two_names_is_refused() {
        let (folder, params) = folders();
        let (proof, inputs) = (folder.path().join("same"), params.join("../same"));
        assert!(error(&proof, &inputs, &params).ends_with("/same: name two files"));
        fs::write(&proof, "").unwrap();
        assert!(error(&proof, &inputs, &params).ends_with("/same: name two files"));
    }

    #[test]
    fn what_is_not_the_options_own_is_kept() {
        let (folder, params) = folders();
        let (proof, inputs) = (folder.path().join("proof"), folder.path().join("inputs"));
        for content in [&[b'x'; PROOF_BYTES][..], &[0x80; PROOF_BYTES - 1], b"[[]]"] {
            fs::write(&proof, content).unwrap();
            let said = error(&proof, &inputs, &params);
            let expected = "/proof is there already and holds no proofs: name another file, or delete it";
            assert!(said.starts_with("--proof ") && said.ends_with(expected), "{said}");
        }
        fs::remove_file(&proof).unwrap();
        fs::write(&inputs, [0x80; PROOF_BYTES]).unwrap();
        let said = error(&proof, &inputs, &params);
        assert!(said.starts_with("--inputs ") && said.contains(" holds no public inputs: "), "{said}");
    }

    #[test]
    fn no_file_of_the_parameters_folder_is_written() {
        let (folder, params) = folders();
        let inputs = folder.path().join("inputs");
        fs::write(params.join("old"), [0x80; PROOF_BYTES]).unwrap();
        for name in ["old", "new", "../params/new"] {
            let said = error(&params.join(name), &inputs, &params);
            assert!(said.ends_with(" lies in the folder of the parameters: name a file elsewhere"), "{said}");
        }
    }

    #[test]
    fn folders_and_missing_folders_are_refused() {
        let (folder, params) = folders();
        let inputs = folder.path().join("inputs");
        assert!(error(&params, &inputs, &params).ends_with("/params is a folder: name a file"));
        let said = error(&folder.path().join("missing/proof"), &inputs, &params);
        assert!(said.contains("/missing/proof: its folder cannot be used; make it first: No such file"), "{said}");
        assert!(error(Path::new(""), &inputs, &params).ends_with("it names no file"));
    }
}
