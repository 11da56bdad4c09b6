//! The NVIDIA GPUs of this machine, as their driver's library NVML describes them.
//!
//! NVML is opened at run time: without it there are no GPUs here and nothing else changes. No setting is ever changed.
//! A reading takes a few milliseconds and is taken before and after a sample, never during one. While it is open the
//! driver stays loaded, so a program's first use of the GPU costs the same in every sample.

mod reading;

use nvml_wrapper::{Device, Nvml};

pub use reading::{Reading, between};

/// The GPUs and their driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Driver version.
    pub driver: String,
    /// The newest CUDA version that the driver speaks, major and minor.
    pub cuda: Option<(u32, u32)>,
    /// Every GPU of the machine, at least one.
    pub gpus: Vec<Gpu>,
}

/// A GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// Model.
    pub name: String,
    /// Its own identity.
    pub uuid: String,
    /// Compute capability, major and minor.
    pub capability: Option<(u32, u32)>,
}

/// The driver's library, open.
#[derive(Debug)]
pub struct Watch {
    nvml: Nvml,
}

impl Watch {
    /// Opens it. `None` where there is no driver or no GPU.
    pub fn open() -> Option<Self> {
        let versioned = Nvml::builder().lib_path("libnvidia-ml.so.1".as_ref()).init();
        let nvml = versioned.or_else(|_| Nvml::init()).ok()?;
        let watch = Self { nvml };
        (!watch.devices().is_empty()).then_some(watch)
    }

    fn devices(&self) -> Vec<Device<'_>> {
        let count = self.nvml.device_count().unwrap_or_default();
        (0..count).filter_map(|index| self.nvml.device_by_index(index).ok()).collect()
    }

    /// What there is.
    pub fn inventory(&self) -> Inventory {
        let gpus = self.devices().into_iter().map(|device| Gpu {
            name: device.name().unwrap_or_default(),
            uuid: device.uuid().unwrap_or_default(),
            capability: device.cuda_compute_capability().ok().and_then(|capability| {
                Some((u32::try_from(capability.major).ok()?, u32::try_from(capability.minor).ok()?))
            }),
        });
        let cuda = self.nvml.sys_cuda_driver_version().ok().and_then(|version| u32::try_from(version).ok());
        Inventory {
            driver: self.nvml.sys_driver_version().unwrap_or_default(),
            cuda: cuda.map(|version| (version / 1000, version % 1000 / 10)),
            gpus: gpus.collect(),
        }
    }

    /// What each GPU is doing now.
    pub fn read(&self) -> Vec<Reading> {
        self.devices().iter().map(Reading::of).collect()
    }
}

/// The GPUs of this machine, where it has any.
pub fn inventory() -> Option<Inventory> {
    Watch::open().map(|watch| watch.inventory())
}
