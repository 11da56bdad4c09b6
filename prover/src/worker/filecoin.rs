//! Keeps foreign settings out of Filecoin's libraries, which read them from the environment and from a file in the current
//! folder whenever a circuit `porep` is made.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::args::CircuitArgs;

/// Names of variables begin so, in capitals or not.
const PREFIX: &str = "FIL_PROOFS";
/// The one variable that is set: the folder of the caches.
const FOLDER: &str = "FIL_PROOFS_PARENT_CACHE";
/// A file of this name, with whatever ending, is read from the current folder.
const FILE: &str = "rust-fil-proofs.config";

/// Starts this program anew without any setting but the folder of the caches, `filecoin` beside the parameters, unless it runs
/// so already or its circuit is none of Filecoin's. An error where a file of settings would be read.
///
/// The settings are read once, before anything could change them from inside, so a new start is the way.
pub fn settle(args: &CircuitArgs) -> Result<()> {
    if !args.circuit.is_filecoins() {
        return Ok(());
    }
    if let Some(file) = settings_file(Path::new("."))? {
        bail!(
            "file {}: Filecoin's libraries would read their settings from it; start from another folder, or remove it",
            file.display()
        );
    }
    let folder = std::path::absolute(args.params_dir.join("filecoin")).context("the current folder is unknown")?;
    let folder =
        folder.to_str().with_context(|| format!("--params-dir {}: not in UTF-8", args.params_dir.display()))?;
    let foreign = foreign(std::env::vars_os(), folder);
    if foreign.is_empty() && std::env::var_os(FOLDER).is_some() {
        return Ok(());
    }
    let program = std::env::current_exe().context("this program's own path is unknown")?;
    let mut anew = Command::new(program);
    anew.args(std::env::args_os().skip(1));
    for name in foreign {
        anew.env_remove(name);
    }
    Err(anew.env(FOLDER, folder).exec()).context("starting anew without foreign FIL_PROOFS_* variables failed")
}

fn settings_file(folder: &Path) -> Result<Option<OsString>> {
    let names = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<std::io::Result<Vec<_>>>()
    });
    let names = names.context("the current folder could not be read")?;
    Ok(names.into_iter().find(|name| name.to_string_lossy().starts_with(FILE)))
}

/// The libraries' variables other than the folder of the caches.
fn foreign(variables: impl Iterator<Item = (OsString, OsString)>, folder: &str) -> Vec<OsString> {
    let ours = |name: &OsStr, value: &OsStr| name == FOLDER && value == folder;
    variables
        .filter(|(name, _)| name.to_string_lossy().to_ascii_uppercase().starts_with(PREFIX))
        .filter(|(name, value)| !ours(name, value))
        .map(|(name, _)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_variables_are_told_from_ours() {
        let variables = [
            ("PATH", "/bin"),
            ("FIL_PROOFS_PARENT_CACHE", "/params/filecoin"),
            ("FIL_PROOFS_VERIFY_CACHE", "true"),
            ("fil_proofs_rows_to_discard", "1"),
        ];
        let variables = || variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let expected = ["FIL_PROOFS_VERIFY_CACHE", "fil_proofs_rows_to_discard"];
        assert_eq!(foreign(variables(), "/params/filecoin"), expected);
        assert_eq!(foreign(variables(), "/elsewhere").len(), 3);
    }
}
