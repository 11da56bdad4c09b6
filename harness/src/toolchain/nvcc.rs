//! nvcc: found through `NVCC`, `CUDA_HOME` and `PATH`, or fetched as wheels from the Python registry.
//!
//! What is fetched is pinned by version and hash, goes into a folder of the project that git ignores, and is fetched once:
//! the folder appears under its name when it is complete, and runs that start at once wait for the first. Nothing is
//! installed for the user or the system, and no version but those pinned here is ever fetched.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The toolkits that can be fetched: version as experiments write it, nvcc's own version, the pinned wheels.
const PINNED: [(&str, &str, &str); 1] = [("13.0", "13.0.88", include_str!("cuda-13.0.txt"))];

/// An nvcc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nvcc {
    /// The program, or a script that calls it: what the build takes as `NVCC`.
    pub program: PathBuf,
    /// Where it was found.
    pub source: Source,
}

/// Where an nvcc comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The variable `NVCC`.
    Nvcc,
    /// The variable `CUDA_HOME`.
    CudaHome,
    /// The variable `PATH`.
    Path,
    /// Fetched from the Python registry.
    Provisioned,
}

impl Source {
    /// How it was found, as people say it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nvcc => "named by NVCC",
            Self::CudaHome => "found through CUDA_HOME",
            Self::Path => "found through PATH",
            Self::Provisioned => "fetched from the Python registry",
        }
    }
}

/// The variables that say where nvcc is, as the caller read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// `NVCC`: a program's path, or a name to be looked up on `PATH`.
    pub nvcc: Option<OsString>,
    /// `CUDA_HOME`: the folder of a toolkit.
    pub cuda_home: Option<OsString>,
    /// `PATH`.
    pub path: Option<OsString>,
}

/// Why there is no nvcc.
#[derive(Debug, thiserror::Error)]
pub enum NvccError {
    /// There is none, and none may be fetched.
    #[error(
        "there is no nvcc in NVCC, CUDA_HOME or on PATH: install a CUDA toolkit {version} and set CUDA_HOME to its folder, \
         or write `provision = \"python\"` under [toolchain.cuda] to fetch nvcc from the Python registry"
    )]
    Missing {
        /// The version that the experiment asks for.
        version: String,
    },
    /// A variable names something else.
    #[error("{variable} names {path}, where there is no nvcc: correct it or unset it", path = .path.display())]
    Misnamed {
        /// `NVCC` or `CUDA_HOME`.
        variable: &'static str,
        /// What was looked for.
        path: PathBuf,
    },
    /// No wheels of this version are pinned.
    #[error(
        "toolchain.cuda.version: CUDA {version} cannot be fetched, only {known}: write that, or install the toolkit and set \
         CUDA_HOME"
    )]
    Unpinned {
        /// The version that was asked for.
        version: String,
        /// Those that can be fetched.
        known: String,
    },
    /// The folder cannot be written, or python3 cannot be run.
    #[error("{action} {path}: {source}", path = .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// pip says no.
    #[error(
        "fetching nvcc by `{command}` failed: {message}; let it reach the Python registry, or install a CUDA toolkit and set \
         CUDA_HOME"
    )]
    Pip {
        /// The command line.
        command: String,
        /// The last lines of what it said.
        message: String,
    },
    /// Fetched, and yet not there.
    #[error("there is no nvcc in {path}: delete that folder, and it is fetched again", path = .0.display())]
    Incomplete(PathBuf),
}

/// The first nvcc that the variables lead to; `None` where they lead to none. A variable that names something else is an
/// error: the search does not go on to another compiler than the one that was meant.
pub fn find(lookup: &Lookup) -> Result<Option<Nvcc>, NvccError> {
    if let Some(given) = &lookup.nvcc {
        let path = PathBuf::from(given);
        let program = match path.components().count() {
            1 => lookup.path.as_ref().and_then(|folders| on_path(&path, folders)),
            _ => path.is_file().then(|| path.clone()),
        };
        let program = program.ok_or(NvccError::Misnamed { variable: "NVCC", path })?;
        return Ok(Some(Nvcc { program, source: Source::Nvcc }));
    }
    if let Some(home) = &lookup.cuda_home {
        let program = Path::new(home).join("bin/nvcc");
        if !program.is_file() {
            return Err(NvccError::Misnamed { variable: "CUDA_HOME", path: program });
        }
        return Ok(Some(Nvcc { program, source: Source::CudaHome }));
    }
    let program = lookup.path.as_ref().and_then(|folders| on_path(Path::new("nvcc"), folders));
    Ok(program.map(|program| Nvcc { program, source: Source::Path }))
}

/// The first program of that name in the folders of a `PATH`. What nobody may execute is passed over, as a shell does.
pub fn on_path(name: &Path, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| is_executable(program))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Fetches toolkits into one folder.
#[derive(Clone, Debug)]
pub struct Provisioner {
    /// The Python that has pip.
    pub python: PathBuf,
    /// Where toolkits go, each into a folder of its own; git must ignore it.
    pub folder: PathBuf,
}

impl Provisioner {
    /// Into `.ablate` of a project, by the `python3` on `PATH`.
    pub fn of_project(root: &Path) -> Self {
        Self { python: "python3".into(), folder: root.join(".ablate") }
    }

    /// The nvcc of this toolkit version, such as `13.0`. Fetches it where it is not there yet: about 100 MB, 280 MB unpacked.
    ///
    /// `progress` is told what goes on, a line at a time.
    pub fn provision(&self, version: &str, progress: &mut dyn FnMut(&str)) -> Result<Nvcc, NvccError> {
        let Some((_, exact, wheels)) = PINNED.iter().find(|(short, exact, _)| [*short, *exact].contains(&version))
        else {
            let known = PINNED.map(|(short, ..)| short).join(", ");
            return Err(NvccError::Unpinned { version: version.to_owned(), known });
        };
        let target = self.folder.join(format!("cuda-{exact}"));
        if !target.exists() {
            fs::create_dir_all(&self.folder).map_err(failed("creating", &self.folder))?;
            let _lock = self.lock(exact, progress)?;
            // Another run may have fetched it while this one waited.
            if !target.exists() {
                self.fetch(exact, wheels, &target, progress)?;
            }
        }
        let program = toolkit(&target).join("bin/nvcc");
        if !program.is_file() {
            return Err(NvccError::Incomplete(target));
        }
        let program = program.canonicalize().map_err(failed("looking up", &program))?;
        Ok(Nvcc { program, source: Source::Provisioned })
    }

    /// Held until the returned file is closed, also by a killed process.
    fn lock(&self, exact: &str, progress: &mut dyn FnMut(&str)) -> Result<File, NvccError> {
        let path = self.folder.join(format!("cuda-{exact}.lock"));
        let file = File::options().create(true).append(true).open(&path).map_err(failed("opening", &path))?;
        if file.try_lock().is_err() {
            progress("waiting for another run that fetches nvcc");
            file.lock().map_err(failed("locking", &path))?;
        }
        Ok(file)
    }

    /// Fetches into a folder beside `target`, which gets its name when all is in it.
    fn fetch(&self, exact: &str, wheels: &str, target: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), NvccError> {
        let partial = self.folder.join(format!("cuda-{exact}.partial"));
        // What a killed run has left.
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(failed("removing", &partial))?;
        }
        fs::create_dir_all(&partial).map_err(failed("creating", &partial))?;
        let fetched = self.fill(exact, wheels, &partial, progress);
        if let Err(error) = fetched {
            // The first error is the one to be told.
            let _ = fs::remove_dir_all(&partial);
            return Err(error);
        }
        fs::rename(&partial, target).map_err(failed("naming", target))
    }

    fn fill(&self, exact: &str, wheels: &str, partial: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), NvccError> {
        progress(&format!("fetching nvcc {exact} from the Python registry (about 100 MB, once)"));
        let requirements = partial.join("requirements.txt");
        fs::write(&requirements, wheels).map_err(failed("writing", &requirements))?;
        self.pip(partial, &requirements, progress)?;
        // The wheels have the libraries in `lib`; compilers look in `lib64`.
        let link = toolkit(partial).join("lib64");
        if !link.exists() {
            std::os::unix::fs::symlink("lib", &link).map_err(failed("linking", &link))?;
        }
        Ok(())
    }

    fn pip(&self, target: &Path, requirements: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), NvccError> {
        let mut command = Command::new(&self.python);
        command.args(["-m", "pip", "install", "--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile"]);
        command.args(["--disable-pip-version-check", "--no-input", "--progress-bar=off", "--root-user-action=ignore"]);
        command.arg("--target").arg(target).arg("--requirement").arg(requirements);
        let shown = format!("{} -m pip install --require-hashes … -r cuda.txt", self.python.display());
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed("running", &self.python))?;

        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        // Read beside the other stream, which would stop when nobody empties this one.
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            // What cannot be read is not told; the exit status still is.
            let _ = stderr.map(|mut stderr| stderr.read_to_string(&mut text));
            text
        });
        for line in stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines()).map_while(Result::ok) {
            progress(line.trim());
        }
        let status = child.wait().map_err(failed("waiting for", &self.python))?;
        let errors = errors.join().unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        Err(NvccError::Pip { command: shown, message: last_lines(&errors, &status.to_string()) })
    }
}

/// The toolkit's folder inside a folder of wheels.
fn toolkit(wheels: &Path) -> PathBuf {
    wheels.join("nvidia/cu13")
}

/// The end of what a program said, on one line; its status where it said nothing.
fn last_lines(text: &str, status: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match &lines[lines.len().saturating_sub(4)..] {
        [] => status.to_owned(),
        last => last.join(" / "),
    }
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> NvccError {
    let path = path.to_path_buf();
    move |source| NvccError::Io { action, path, source }
}

/// Finds an nvcc, or fetches one where that is allowed.
pub fn find_or_provision(
    lookup: &Lookup,
    version: &str,
    provisioner: Option<&Provisioner>,
    progress: &mut dyn FnMut(&str),
) -> Result<Nvcc, NvccError> {
    match (find(lookup)?, provisioner) {
        (Some(nvcc), _) => Ok(nvcc),
        (None, Some(provisioner)) => provisioner.provision(version, progress),
        (None, None) => Err(NvccError::Missing { version: version.to_owned() }),
    }
}

#[cfg(test)]
#[path = "nvcc_tests.rs"]
mod tests;
