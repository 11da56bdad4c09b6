//! One look at one GPU, and what two looks say of the time between them.

use nvml_wrapper::Device;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, PerformancePolicy, TemperatureSensor};

use crate::record::{GpuConditions, GpuState};

/// One look at one GPU. Counters grow since the driver was loaded; what cannot be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Its identity.
    pub uuid: String,
    /// What it was doing.
    pub state: GpuState,
    /// Energy used, in millijoules.
    pub energy_mj: Option<u64>,
    /// Time for which its clocks were held down by the power limit, and by temperature, in nanoseconds.
    pub held_down_ns: [Option<u64>; 2],
}

impl Reading {
    /// Looks at a GPU.
    pub(super) fn of(device: &Device) -> Self {
        let violated = |policy| device.violation_status(policy).ok().map(|violation| violation.violation_time);
        Self {
            uuid: device.uuid().unwrap_or_default(),
            state: state(device),
            energy_mj: device.total_energy_consumption().ok(),
            held_down_ns: [violated(PerformancePolicy::Power), violated(PerformancePolicy::Thermal)],
        }
    }
}

fn state(device: &Device) -> GpuState {
    let processes = device.running_compute_processes().ok();
    GpuState {
        sm_mhz: device.clock_info(Clock::SM).ok(),
        memory_mhz: device.clock_info(Clock::Memory).ok(),
        temperature_celsius: device.temperature(TemperatureSensor::Gpu).ok(),
        power_mw: device.power_usage().ok(),
        memory_used_bytes: device.memory_info().ok().map(|memory| memory.used),
        processes: processes.and_then(|processes| u32::try_from(processes.len()).ok()),
        throttled: device.current_throttle_reasons().map(words).unwrap_or_default(),
    }
}

/// The reasons for which clocks are held down, `idle` among them.
fn words(reasons: ThrottleReasons) -> Vec<String> {
    let named = [
        (ThrottleReasons::GPU_IDLE, "idle"),
        (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, "application-clocks"),
        (ThrottleReasons::SW_POWER_CAP, "power-cap"),
        (ThrottleReasons::HW_SLOWDOWN, "hardware-slowdown"),
        (ThrottleReasons::SYNC_BOOST, "sync-boost"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "software-thermal"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hardware-thermal"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power-brake"),
        (ThrottleReasons::DISPLAY_CLOCK_SETTING, "display-clocks"),
    ];
    named.iter().filter(|(reason, _)| reasons.contains(*reason)).map(|(_, word)| (*word).to_owned()).collect()
}

/// What two looks, one before and one after a sample, say of each GPU.
pub fn between(before: Vec<Reading>, after: &[Reading]) -> Vec<GpuConditions> {
    let of = |before: Reading| {
        let after = after.iter().find(|after| after.uuid == before.uuid)?.clone();
        let grown = |before: Option<u64>, after: Option<u64>| after?.checked_sub(before?);
        Some(GpuConditions {
            uuid: before.uuid,
            energy_mj: grown(before.energy_mj, after.energy_mj),
            power_held_ns: grown(before.held_down_ns[0], after.held_down_ns[0]),
            thermal_held_ns: grown(before.held_down_ns[1], after.held_down_ns[1]),
            before: before.state,
            after: after.state,
        })
    };
    before.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_told_as_what_they_grew_by() {
        let reading = |uuid: &str, energy, held| Reading {
            uuid: uuid.into(),
            energy_mj: energy,
            held_down_ns: held,
            ..Reading::default()
        };
        let before = vec![reading("a", Some(5), [Some(10), None]), reading("gone", Some(1), [None, None])];
        let after = vec![reading("b", Some(9), [None, None]), reading("a", Some(8), [Some(10), Some(3)])];
        let [only] = between(before, &after).try_into().expect("the one that was there twice");
        assert_eq!((only.uuid.as_str(), only.energy_mj), ("a", Some(3)));
        assert_eq!((only.power_held_ns, only.thermal_held_ns), (Some(0), None));
        let reset = between(vec![reading("a", Some(5), [None; 2])], &[reading("a", Some(4), [None; 2])]);
        assert_eq!(reset[0].energy_mj, None, "a counter that went back says nothing");
    }

    #[test]
    fn reasons_have_names() {
        let reasons = ThrottleReasons::GPU_IDLE | ThrottleReasons::HW_THERMAL_SLOWDOWN;
        assert_eq!(words(reasons), ["idle", "hardware-thermal"]);
        assert!(words(ThrottleReasons::empty()).is_empty());
    }
}
