//! What the GPUs did around a sample.

use serde::{Deserialize, Serialize};

/// One GPU around a sample. Absent values could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuConditions {
    /// The GPU's own identity.
    pub uuid: String,
    /// Energy that it used meanwhile, in millijoules.
    pub energy_mj: Option<u64>,
    /// Time for which its power limit held its clocks down meanwhile.
    pub power_held_ns: Option<u64>,
    /// Time for which its temperature held its clocks down meanwhile.
    pub thermal_held_ns: Option<u64>,
    /// Right before the process was started.
    pub before: GpuState,
    /// Right after it had ended.
    pub after: GpuState,
}

/// A GPU at one moment. Absent values could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuState {
    /// Clock of its multiprocessors.
    pub sm_mhz: Option<u32>,
    /// Clock of its memory.
    pub memory_mhz: Option<u32>,
    /// Temperature.
    pub temperature_celsius: Option<u32>,
    /// Power drawn, in milliwatts.
    pub power_mw: Option<u32>,
    /// Memory in use by anybody.
    pub memory_used_bytes: Option<u64>,
    /// Processes that compute on it: before and after a sample these are other people's.
    pub processes: Option<u32>,
    /// Why its clocks were held down: `idle`, `application-clocks`, `power-cap`, `hardware-slowdown`, `sync-boost`,
    /// `software-thermal`, `hardware-thermal`, `power-brake`, `display-clocks`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<String>,
}
