//! Where the arithmetic runs.

use anyhow::{Result, bail};
use clap::ValueEnum;

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The processor
    Cpu,
    /// An NVIDIA GPU
    Cuda,
}

impl Backend {
    /// An error unless this build can run on the backend: it never runs on another than it was asked to.
    pub(crate) fn require(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda => bail!(
                "--backend cuda: this build has no feature `cuda`; build the prover with it, or pass --backend cpu"
            ),
        }
    }

    /// The name in `hello`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}
