//! Which toggles this build has: the one place where the library looks at its own features.
//!
//! Every path behind a toggle is compiled and tested in every build; a feature only chooses the default. So a test can
//! run both, and a binary still measures exactly what its feature list says.

/// The toggles that reach the prover itself. (A1 lives in the constraint system's package.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toggles {
    /// A2: assignment vectors and density bitmaps are allocated once.
    pub presize: bool,
    /// A4: the `B_G2` multiplications of a batch run side by side, one thread each.
    pub parallel_b_g2: bool,
    /// D4: each multiplication has a window of its own.
    pub msm_windows: bool,
}

impl Toggles {
    /// What this build was made with.
    pub const BUILT: Self = Self {
        presize: cfg!(feature = "presize"),
        parallel_b_g2: cfg!(feature = "parallel-b-g2"),
        msm_windows: cfg!(feature = "msm-windows"),
    };
}

impl Default for Toggles {
    fn default() -> Self {
        Self::BUILT
    }
}
