//! Why the archive did not do what it was asked for.
#![forbid(unsafe_code)]

/// What a call came to, by the codes of the header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Lengths that do not fit together, a domain too large, or no threads.
    #[error("{0}")]
    BadArgument(String),
    /// No GPU, no driver, or a driver too old. Nothing was computed.
    #[error("{0}; run on a host with an NVIDIA GPU and its driver, or use another backend")]
    NoDevice(String),
    /// On the GPU or the host.
    #[error("{0}")]
    OutOfMemory(String),
    /// Any other error of the CUDA runtime.
    #[error("the GPU failed: {0}")]
    Cuda(String),
    /// A fault of the archive.
    #[error("the CUDA library failed: {0}")]
    Internal(String),
    /// The archive was built from another header than this package.
    #[error("the CUDA library has version {found} of its interface, this package {expected}: build both again")]
    Abi {
        /// The archive's version.
        found: u32,
        /// This package's.
        expected: u32,
    },
}

impl Error {
    /// The result that a status stands for.
    pub(crate) fn from_status(code: i32, message: String) -> Result<(), Self> {
        match code {
            0 => Ok(()),
            1 => Err(Self::BadArgument(message)),
            2 => Err(Self::NoDevice(message)),
            3 => Err(Self::OutOfMemory(message)),
            4 => Err(Self::Cuda(message)),
            _ => Err(Self::Internal(message)),
        }
    }
}
