//! The CUDA toolkit of an experiment: what `[toolchain.cuda]` comes to on this machine, and what a build is told of it.
//!
//! A build gets three variables, besides those that are set already:
//!
//! * `NVCC`: the program;
//! * `ABLATE_CUDA_ARCH`: the architectures, joined by commas;
//! * `ABLATE_NVCC_DIGEST`: another text when nvcc is another one, also in the same place and under the same time. A build
//!   script that has `cargo::rerun-if-env-changed=ABLATE_NVCC_DIGEST` is run again then.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use sha2::{Digest, Sha256};

use super::nvcc::{Lookup, Nvcc, Provisioner, Source, find_or_provision};
use crate::build::store::{digest_of, hex};
use crate::experiment::{CudaToolchain, Experiment};

/// A toolkit of the version that the experiment asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// The compiler.
    pub nvcc: Nvcc,
    /// What it says its version is, such as `13.0.88`.
    pub version: String,
    /// Architectures, such as `sm_90`.
    pub arch: Vec<String>,
    /// Changes with the program's bytes and with what it says of itself.
    digest: String,
}

impl Toolkit {
    /// The experiment's toolkit, found or fetched; `None` where it has no `[toolchain.cuda]` or builds nothing.
    ///
    /// `progress` is told what goes on, a line at a time.
    pub fn of(experiment: &Experiment, lookup: &Lookup, progress: &mut dyn FnMut(&str)) -> Result<Option<Self>> {
        let (Some(wanted), Some(_)) = (&experiment.cuda, &experiment.target) else { return Ok(None) };
        let context = || experiment.file.display().to_string();
        let provisioner = wanted.provision_python.then(|| Provisioner::of_project(&experiment.root));
        let mut nvcc =
            find_or_provision(lookup, &wanted.version, provisioner.as_ref(), progress).with_context(context)?;
        // Cargo runs build scripts in other folders than this one.
        nvcc.program = std::path::absolute(&nvcc.program).with_context(context)?;
        Self::ask(nvcc, wanted).with_context(context).map(Some)
    }

    fn ask(nvcc: Nvcc, wanted: &CudaToolchain) -> Result<Self> {
        let said = said(&nvcc.program)?;
        let version = version(&said).ok_or_else(|| {
            anyhow!("`{} --version` names no version of CUDA: correct NVCC, CUDA_HOME or PATH", nvcc.program.display())
        })?;
        if !is(version, &wanted.version) {
            bail!("toolchain.cuda.version: {}", other_version(&nvcc, version, wanted));
        }
        let bytes = digest_of(&nvcc.program).with_context(|| format!("cannot read {}", nvcc.program.display()))?;
        let digest = hex(&Sha256::digest(format!("{bytes}\n{said}")))[..16].to_owned();
        Ok(Self { version: version.to_owned(), arch: wanted.arch.clone(), digest, nvcc })
    }

    /// What a build gets besides the environment it inherits.
    pub fn environment(&self) -> Vec<(String, String)> {
        let values = [
            ("NVCC", self.nvcc.program.display().to_string()),
            ("ABLATE_CUDA_ARCH", self.arch.join(",")),
            ("ABLATE_NVCC_DIGEST", self.digest.clone()),
        ];
        values.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// What is recorded with a run.
    pub fn description(&self) -> String {
        let source = self.nvcc.source.words();
        format!("{} for {}: {}, {source}", self.version, self.arch.join(", "), self.nvcc.program.display())
    }
}

/// What `nvcc --version` prints.
fn said(nvcc: &Path) -> Result<String> {
    let output = Command::new(nvcc)
        .arg("--version")
        .output()
        .with_context(|| format!("cannot run {}: correct NVCC, CUDA_HOME or PATH", nvcc.display()))?;
    if !output.status.success() {
        bail!("`{} --version` failed with {}: correct NVCC, CUDA_HOME or PATH", nvcc.display(), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `13.0.88` out of `Cuda compilation tools, release 13.0, V13.0.88`.
fn version(said: &str) -> Option<&str> {
    let line = said.lines().find(|line| line.contains("release "))?;
    let number = line.rsplit(", V").next()?.trim();
    number.starts_with(|c: char| c.is_ascii_digit()).then_some(number)
}

/// Whether a version is the one that is wanted, or one of its patches.
fn is(version: &str, wanted: &str) -> bool {
    version.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn other_version(nvcc: &Nvcc, version: &str, wanted: &CudaToolchain) -> String {
    let program = nvcc.program.display();
    let fetch = match (nvcc.source, wanted.provision_python) {
        (Source::Provisioned, _) => {
            return format!("{program} is of CUDA {version}, not {}: delete it", wanted.version);
        }
        (Source::Nvcc | Source::CudaHome, true) => ", or unset it to have that version fetched",
        (Source::Path, true) => ", or take that folder out of PATH to have that version fetched",
        (_, false) => "",
    };
    let remedy = match nvcc.source {
        Source::Nvcc => "let NVCC name an nvcc of that version",
        _ => "set CUDA_HOME to the folder of a toolkit of that version",
    };
    let major_minor = version.match_indices('.').nth(1).map_or(version, |(end, _)| &version[..end]);
    format!(
        "the experiment asks for CUDA {}, but {program} ({}) is of CUDA {version}: {remedy}{fetch}, or write `version = \
         \"{major_minor}\"`",
        wanted.version,
        nvcc.source.words()
    )
}

#[cfg(test)]
#[path = "cuda_tests.rs"]
mod tests;
