//! Where the arithmetic runs.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;

#[cfg(feature = "cuda")]
use anyhow::Context;
use anyhow::Result;
use anyhow::bail;
use bellpepper_core::Circuit;
use blstrs::Scalar;
use clap::ValueEnum;
use groth16_prover::params::Parameters;
#[cfg(feature = "cuda")]
use groth16_prover::prove::cuda::{CudaProver, Placement};
use groth16_prover::prove::{Batch, Options, Randomness, prove_batch};
use groth16_prover::windows;
use groth16_prover::worker::host;

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The processor
    Cpu,
    /// An NVIDIA GPU
    Cuda,
}

impl Backend {
    /// An error unless this build and this machine have it: the program never runs on another backend than it was asked to.
    pub(crate) fn require(self) -> Result<()> {
        self.device().map(drop)
    }

    /// What computes, as `hello` names it.
    pub(crate) fn device(self) -> Result<String> {
        match self {
            Self::Cpu => Ok(host::cpu()),
            #[cfg(feature = "cuda")]
            Self::Cuda => Ok(groth16_cuda::device(0).context("--backend cuda")?.name),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda => bail!(
                "--backend cuda: this build has no feature `cuda`; build the prover with it, or pass --backend cpu"
            ),
        }
    }

    /// The windows that its multiplications can be given.
    pub(crate) fn windows(self) -> RangeInclusive<u32> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda => groth16_cuda::WINDOWS,
            _ => windows::RANGE,
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

/// A backend with the parameters where it needs them.
pub(crate) enum Engine<'a> {
    Cpu(&'a Parameters),
    #[cfg(feature = "cuda")]
    Cuda(CudaProver<'a>),
}

impl<'a> Engine<'a> {
    /// Puts the parameters where the backend needs them; outside every clock. The GPUs are the first of those that the driver
    /// shows: `CUDA_VISIBLE_DEVICES` picks others.
    pub(crate) fn start(backend: Backend, gpus: NonZeroU32, parameters: &'a Parameters) -> Result<Self> {
        backend.require()?;
        match backend {
            #[cfg(feature = "cuda")]
            Backend::Cuda => {
                let placement = Placement { devices: (0..gpus.get()).collect(), ..Placement::default() };
                Ok(Self::Cuda(CudaProver::new(parameters, &placement).context("--backend cuda")?))
            }
            _ if gpus.get() > 1 => {
                bail!("--gpus {gpus}: the backend {} works on none; pass --backend cuda", backend.name())
            }
            _ => Ok(Self::Cpu(parameters)),
        }
    }

    /// Proves a batch.
    pub(crate) fn prove_batch<C: Circuit<Scalar> + Send>(
        &mut self,
        circuits: Vec<C>,
        randomness: &[Randomness],
        options: &Options,
    ) -> Result<Batch> {
        Ok(match self {
            Self::Cpu(parameters) => prove_batch(circuits, parameters, randomness, options)?,
            #[cfg(feature = "cuda")]
            Self::Cuda(prover) => prover.prove_batch(circuits, randomness, options)?,
        })
    }
}
