//! Where nvcc is: by `NVCC`, `CUDA_HOME`, then `PATH`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::Program;

/// CUDA's runtime, which is linked with the archive.
const RUNTIME: &str = "libcudart_static.a";

/// A CUDA toolkit.
#[derive(Debug)]
pub(crate) struct Toolkit {
    /// The compiler driver, or a script that calls it.
    pub(crate) nvcc: Program,
    /// The folder with `bin`, `include` and `lib64` (or `lib`), as nvcc itself names it.
    pub(crate) root: PathBuf,
    /// What `nvcc --version` prints, on one line.
    pub(crate) version: String,
}

impl Toolkit {
    /// Finds nvcc and asks it for its folder and version.
    pub(crate) fn find() -> Result<Self, String> {
        let nvcc = find_nvcc()?;
        let version = output(Command::new(&nvcc.path).arg("--version"))?;
        let version = version.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" / ");
        // A script on PATH may stand for an nvcc elsewhere, so its own place says nothing.
        let steps =
            output(Command::new(&nvcc.path).args(["--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"]))?;
        let top = steps.lines().find_map(|line| line.strip_prefix("#$ TOP=")).map(Path::new);
        let root = top
            .and_then(|top| top.canonicalize().ok())
            .ok_or_else(|| format!("`{} --dryrun` names no folder of a CUDA toolkit", nvcc.path.display()))?;
        Ok(Self { nvcc, root, version })
    }

    /// The files of the toolkit that make code or are linked, those that there are: nvcc only calls them.
    pub(crate) fn parts(&self) -> Result<Vec<PathBuf>, String> {
        let names = ["bin/cudafe++", "bin/fatbinary", "bin/nvcc.profile", "bin/ptxas", "nvvm/bin/cicc"];
        let mut parts: Vec<PathBuf> = names.iter().map(|name| self.root.join(name)).collect();
        parts.push(self.root.join("nvvm/libdevice/libdevice.10.bc"));
        parts.retain(|path| path.is_file());
        let runtime = self.libraries()?.join(RUNTIME);
        parts.push(runtime.canonicalize().map_err(|error| format!("looking up {}: {error}", runtime.display()))?);
        Ok(parts)
    }

    /// The folder of `libcudart_static.a`. Toolkits have it in `lib64`, Python's wheels in `lib`.
    pub(crate) fn libraries(&self) -> Result<PathBuf, String> {
        let folders =
            ["lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"].map(|name| self.root.join(name));
        folders.into_iter().find(|folder| folder.join(RUNTIME).is_file()).ok_or_else(|| {
            format!("there is no lib64/{RUNTIME} under {}: install CUDA's runtime beside nvcc", self.root.display())
        })
    }
}

fn find_nvcc() -> Result<Program, String> {
    let remedy = "set NVCC to an nvcc, CUDA_HOME to a toolkit's folder, or put nvcc on PATH";
    if let Some(given) = env::var_os("NVCC") {
        let found = Program::find(Path::new(&given));
        return found.ok_or_else(|| format!("NVCC names {}, which is not a file: {remedy}", given.display()));
    }
    if let Some(home) = env::var_os("CUDA_HOME") {
        return Program::find(&Path::new(&home).join("bin/nvcc"))
            .ok_or_else(|| format!("CUDA_HOME names {}, in which there is no bin/nvcc: {remedy}", home.display()));
    }
    Program::find(Path::new("nvcc"))
        .ok_or_else(|| format!("feature `native` needs nvcc, which is not on PATH: {remedy}"))
}

/// Both streams of a command that must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let result = command.output().map_err(|error| format!("running {shown} failed: {error}"))?;
    let text = [result.stdout, result.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if result.status.success() { Ok(text) } else { Err(format!("{shown} failed with {}: {text}", result.status)) }
}
