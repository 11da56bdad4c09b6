//! The host compiler: what nvcc hands the CPU's code to.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::Program;
use crate::toolkit::output;

/// A C++ compiler.
#[derive(Debug)]
pub(crate) struct HostCompiler {
    /// `CXX`, or the one that cc would take.
    pub(crate) program: Program,
    /// The first line of its `--version`.
    pub(crate) version: String,
    /// The programs behind it that make code: the compiler proper and the assembler, where it names them.
    pub(crate) parts: Vec<PathBuf>,
}

impl HostCompiler {
    /// Finds it and asks it for its version and parts.
    pub(crate) fn find() -> Result<Self, String> {
        let compiler = cc::Build::new().cpp(true).cargo_metadata(false).get_compiler();
        let program = Program::find(compiler.path()).ok_or_else(|| {
            format!(
                "there is no host compiler {}: install a C++ compiler, or set CXX to one",
                compiler.path().display()
            )
        })?;
        let version = output(Command::new(&program.path).arg("--version"))?;
        let parts = ["cc1plus", "as"].iter().filter_map(|name| part(&program.path, name)).collect();
        Ok(Self { program, version: version.lines().next().unwrap_or_default().to_owned(), parts })
    }
}

/// Not every compiler has such parts; one that has none is a part of its own.
fn part(compiler: &Path, name: &str) -> Option<PathBuf> {
    let said = output(Command::new(compiler).arg(format!("-print-prog-name={name}"))).ok()?;
    Program::find(Path::new(said.trim()))?.path.canonicalize().ok()
}
