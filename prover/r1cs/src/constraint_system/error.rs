//! What can go wrong between a circuit and a verified proof.

use std::io;

/// Why synthesis, parameter generation, proving or verification failed.
///
/// The variants after [`Unsatisfiable`](Self::Unsatisfiable) are for the proof systems on top; this package returns none of them.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// A value was asked for that is not known, as in a circuit that has no witness.
    #[error("an assignment for a variable could not be computed")]
    AssignmentMissing,
    /// A value with no inverse had to be inverted.
    #[error("division by zero")]
    DivisionByZero,
    /// Two constants that must be equal are not.
    #[error("unsatisfiable constraint system")]
    Unsatisfiable,
    /// The circuit has more constraints than the field has roots of unity for.
    #[error("polynomial degree is too large")]
    PolynomialDegreeTooLarge,
    /// A point of the parameters that must not be zero is.
    #[error("encountered an identity element in the CRS")]
    UnexpectedIdentity,
    /// Parameters could not be read or written.
    #[error("encountered an I/O error: {0}")]
    IoError(#[from] io::Error),
    /// A verifying key does not fit.
    #[error("malformed verifying key")]
    MalformedVerifyingKey,
    /// A private variable is in no constraint.
    #[error("auxiliary variable was unconstrained")]
    UnconstrainedVariable,
    /// Proofs to be aggregated do not fit together.
    #[error("attempted to aggregate malformed proofs: {0}")]
    MalformedProofs(String),
    /// An aggregation key does not fit.
    #[error("malformed SRS")]
    MalformedSrs,
    /// The number of proofs to aggregate is not a power of two.
    #[error("non power of two proofs given for aggregation")]
    NonPowerOfTwo,
    /// Vectors that must be equally long are not.
    #[error("incompatible vector length: {0}")]
    IncompatibleLengthVector(String),
    /// A pairing check failed.
    #[error("invalid pairing")]
    InvalidPairing,
}
