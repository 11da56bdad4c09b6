//! Where nvcc is: by `NVCC`, `CUDA_HOME`, then `PATH`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A CUDA toolkit.
#[derive(Debug)]
pub(crate) struct Toolkit {
    /// The compiler driver, or a script that calls it.
    pub(crate) nvcc: PathBuf,
    /// The folder with `bin`, `include` and `lib64` (or `lib`), as nvcc itself names it.
    pub(crate) root: PathBuf,
    /// What `nvcc --version` prints, on one line.
    pub(crate) version: String,
}

impl Toolkit {
    /// Finds nvcc and asks it for its folder and version.
    pub(crate) fn find() -> Result<Self, String> {
        let nvcc = find_nvcc()?;
        let version = output(Command::new(&nvcc).arg("--version"))?;
        let version = version.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" / ");
        // A script on PATH may stand for an nvcc elsewhere, so its own place says nothing.
        let steps = output(Command::new(&nvcc).args(["--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"]))?;
        let top = steps.lines().find_map(|line| line.strip_prefix("#$ TOP=")).map(Path::new);
        let root = top
            .and_then(|top| top.canonicalize().ok())
            .ok_or_else(|| format!("`{} --dryrun` names no folder of a CUDA toolkit", nvcc.display()))?;
        Ok(Self { nvcc, root, version })
    }

    /// The folder of `libcudart_static.a`. Toolkits have it in `lib64`, Python's wheels in `lib`.
    pub(crate) fn libraries(&self) -> Result<PathBuf, String> {
        let folders =
            ["lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"].map(|name| self.root.join(name));
        folders.into_iter().find(|folder| folder.join("libcudart_static.a").is_file()).ok_or_else(|| {
            format!(
                "there is no lib64/libcudart_static.a under {}: install CUDA's runtime beside nvcc",
                self.root.display()
            )
        })
    }
}

fn find_nvcc() -> Result<PathBuf, String> {
    let remedy = "set NVCC to an nvcc, CUDA_HOME to a toolkit's folder, or put nvcc on PATH";
    if let Some(given) = env::var_os("NVCC") {
        let path = PathBuf::from(&given);
        // A bare name is looked up on PATH, as a shell would.
        let found = if path.components().count() > 1 { path.is_file().then_some(path) } else { on_path(&path) };
        return found.ok_or_else(|| format!("NVCC names {}, which is not a file: {remedy}", given.display()));
    }
    if let Some(home) = env::var_os("CUDA_HOME") {
        let path = Path::new(&home).join("bin/nvcc");
        return path
            .is_file()
            .then_some(path)
            .ok_or_else(|| format!("CUDA_HOME names {}, in which there is no bin/nvcc: {remedy}", home.display()));
    }
    on_path(Path::new("nvcc")).ok_or_else(|| format!("feature `native` needs nvcc, which is not on PATH: {remedy}"))
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Both streams of a command that must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let result = command.output().map_err(|error| format!("running {shown} failed: {error}"))?;
    let text = [result.stdout, result.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if result.status.success() { Ok(text) } else { Err(format!("{shown} failed with {}: {text}", result.status)) }
}
