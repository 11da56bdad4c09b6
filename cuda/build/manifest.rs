//! The manifest: everything that goes into the archive, as text, and its digest, the stamp.
//!
//! `groth16_cuda.manifest` lies beside the archive. Its lines, in this order, are a kind, a space and a value:
//!
//! ```text
//! manifest 1                                  the format
//! nvcc VERSION                                what `nvcc --version` prints, lines joined by " / "
//! host VERSION                                the first line of the host compiler's --version
//! arch sm_90                                  one line an architecture, in the order given
//! define NAME                                 one line a macro
//! flag FLAG                                   one line a flag that does not depend on where anything lies
//! env NAME=VALUE                              one line a variable with flags that is set
//! file SHA256 PATH                            one line a file, by path
//! ```
//!
//! The files are all that the compilers read and all that makes code of it: sources and headers, the host compiler's and the
//! C library's too; nvcc and the toolkit's programs that it calls; the host compiler with its parts; CUDA's runtime, which is
//! linked. A PATH begins with the name of its root, `cuda`, `sppark`, `blst`, `toolkit`, `nvcc` or `host`; a file under none
//! of them goes by its full path. Not among them are headers that are not there yet: a new one that comes before one of these
//! on the way of the search is not noticed. Line ends in values are written as " / ". The stamp is the SHA-256 of the whole
//! text, in hexadecimal.
//!
//! `groth16_cuda.roots` says where the roots lie, `NAME FOLDER` a line; `NAME $PATH/PROGRAM` means the folder where `PATH`
//! leads to that program. It is not part of the stamp, which is thereby the same wherever the checkout lies and however a
//! compiler was found. To check a build: hash each `file` again under its root and compare.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::recipe::{FLAGS, Recipe, flag_variables};

/// The two texts.
#[derive(Debug)]
pub(crate) struct Manifest {
    text: String,
    roots: String,
    files: Vec<PathBuf>,
}

impl Manifest {
    /// Reads and hashes every file.
    pub(crate) fn new(recipe: &Recipe, sources: &BTreeSet<PathBuf>) -> Result<Self, String> {
        let mut text = String::from("manifest 1\n");
        let mut line = |kind: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{kind} {}", value.replace(['\n', '\r'], " / "));
        };
        line("nvcc", &recipe.toolkit.version);
        line("host", &recipe.host.version);
        for arch in &recipe.architectures {
            line("arch", arch);
        }
        for define in &recipe.defines {
            line("define", define);
        }
        for flag in FLAGS {
            line("flag", flag);
        }
        for name in flag_variables() {
            if let Some(value) = env::var_os(&name) {
                line("env", &format!("{name}={}", value.display()));
            }
        }
        let files = files(recipe, sources)?;
        for (path, file) in &files {
            line("file", &format!("{} {path}", hash(file)?));
        }
        Ok(Self { text, roots: roots(recipe), files: files.into_values().collect() })
    }

    /// Every file in it, where it lies.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// SHA-256 of the manifest.
    pub(crate) fn stamp(&self) -> String {
        hexadecimal(&Sha256::digest(&self.text))
    }

    /// Writes both files.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        for (name, text) in [("groth16_cuda.manifest", &self.text), ("groth16_cuda.roots", &self.roots)] {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| format!("writing {}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Each file by its portable path.
fn files(recipe: &Recipe, sources: &BTreeSet<PathBuf>) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut files = BTreeMap::new();
    for file in sources.iter().chain(&recipe.toolkit.parts()?).chain(&recipe.host.parts) {
        let under = |folder: &PathBuf| file.strip_prefix(folder).ok();
        let name = recipe.roots.iter().find_map(|root| Some((root.name, under(&root.folder)?)));
        let name = name.map_or(file.display().to_string(), |(root, path)| format!("{root}/{}", path.display()));
        files.insert(name, file.clone());
    }
    for (root, program) in recipe.programs() {
        files.insert(format!("{root}/{}", program.file_name().display()), program.path.clone());
    }
    Ok(files)
}

fn roots(recipe: &Recipe) -> String {
    let folders = recipe.roots.iter().map(|root| (root.name, root.folder.display().to_string()));
    let programs = recipe.programs().into_iter().map(|(root, program)| (root, program.place()));
    let lines: Vec<String> = folders.chain(programs).map(|(root, place)| format!("{root} {place}\n")).collect();
    lines.concat()
}

fn hash(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
    Ok(hexadecimal(&Sha256::digest(bytes)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
