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
//! env NAME=VALUE                              one line a variable with flags; `env NAME` where it is not set
//! file SHA256 PATH                            one line a file, by path; PATH begins with the name of its root
//! ```
//!
//! The files are all sources and headers under the roots `cuda`, `sppark`, `blst` and `toolkit` that the compiler read, and
//! `nvcc/` with the name of nvcc itself. The host compiler's and the C library's headers are not among them. Line ends in
//! values are written as " / ". The stamp is the SHA-256 of the whole text, in hexadecimal.
//!
//! `groth16_cuda.roots` says where the roots lie, `NAME FOLDER` a line. It is not part of the stamp, which is thereby the
//! same wherever the checkout lies. To check a build: hash each `file` again under its root and compare.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::recipe::{FLAG_VARIABLES, FLAGS, Recipe};

/// The two texts.
#[derive(Debug)]
pub(crate) struct Manifest {
    text: String,
    roots: String,
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
        line("host", &recipe.host_compiler.1);
        for arch in &recipe.architectures {
            line("arch", arch);
        }
        for define in &recipe.defines {
            line("define", define);
        }
        for flag in FLAGS {
            line("flag", flag);
        }
        for name in FLAG_VARIABLES {
            match env::var_os(name) {
                Some(value) => line("env", &format!("{name}={}", value.display())),
                None => line("env", name),
            }
        }
        for (path, file) in named(recipe, sources)? {
            line("file", &format!("{} {path}", hash(&file)?));
        }
        let roots: Vec<_> =
            recipe.roots.iter().map(|root| format!("{} {}", root.name, root.folder.display())).collect();
        Ok(Self { text, roots: roots.join("\n") + "\n" })
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

/// Each file with its portable path, by that path.
fn named(recipe: &Recipe, sources: &BTreeSet<PathBuf>) -> Result<Vec<(String, PathBuf)>, String> {
    let mut files = Vec::new();
    for file in sources {
        let root = recipe.roots.iter().find(|root| file.starts_with(&root.folder));
        let root = root.ok_or_else(|| format!("{} lies under none of the known folders", file.display()))?;
        let path = file.strip_prefix(&root.folder).expect("it starts with the folder");
        files.push((format!("{}/{}", root.name, path.display()), file.clone()));
    }
    let nvcc = recipe.toolkit.nvcc.file_name().unwrap_or_default();
    files.push((format!("nvcc/{}", nvcc.display()), recipe.toolkit.nvcc.clone()));
    files.sort();
    Ok(files)
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
