//! How the archive is to be made: toolkit, architectures, defines, flags, and the folders they speak of.

use std::env;
use std::path::{Path, PathBuf};

use crate::host::HostCompiler;
use crate::program::Program;
use crate::toolkit::Toolkit;

/// Environment variables that choose what makes the archive. What they lead to is written in the manifest, so their own text
/// is not. `PATH` is not among them, or every other shell would compile everything again: the manifest says which programs
/// were found on it (see `manifest.rs`). `ABLATE_NVCC_DIGEST` is the harness's: it changes when its nvcc is another one.
const CHOOSING: [&str; 4] = ["ABLATE_CUDA_ARCH", "ABLATE_NVCC_DIGEST", "NVCC", "CUDA_HOME"];

/// Those that nvcc or the host compiler takes flags or folders from.
const FLAGS_OF_COMPILERS: [&str; 7] = [
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "CRATE_CC_NO_DEFAULTS",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
];

/// Every variable that changes the archive or chooses what makes it. `CUDA_HOME` chooses nothing where there is `NVCC`.
pub(crate) fn variables() -> Vec<String> {
    let chooses = |name: &&&str| **name != "CUDA_HOME" || env::var_os("NVCC").is_none();
    let choosing = CHOOSING.iter().filter(chooses).map(|&name| name.to_owned());
    let programs = ["CXX", "AR", "ARFLAGS"].into_iter().flat_map(of_cc);
    choosing.chain(programs).chain(flag_variables()).collect()
}

/// Those of them whose text is part of the manifest.
pub(crate) fn flag_variables() -> Vec<String> {
    FLAGS_OF_COMPILERS.iter().map(|&name| name.to_owned()).chain(of_cc("CXXFLAGS")).collect()
}

/// The names under which cc looks for a variable.
fn of_cc(name: &str) -> Vec<String> {
    let target = env::var("TARGET").unwrap_or_default();
    let underscores = target.replace('-', "_");
    vec![
        name.to_owned(),
        format!("{name}_{target}"),
        format!("{name}_{underscores}"),
        format!("HOST_{name}"),
        format!("TARGET_{name}"),
    ]
}

/// The toggles: Cargo feature and macro.
const TOGGLES: [(&str, &str); 5] = [
    ("CARGO_FEATURE_GPU_B_G2", "GROTH16_GPU_B_G2"),
    ("CARGO_FEATURE_HOST_PIN", "GROTH16_HOST_PIN"),
    ("CARGO_FEATURE_KERNEL_TUNING", "GROTH16_KERNEL_TUNING"),
    ("CARGO_FEATURE_PARALLEL_B_G2", "GROTH16_PARALLEL_B_G2"),
    ("CARGO_FEATURE_MSM_WINDOWS", "GROTH16_MSM_WINDOWS"),
];

/// What every source is compiled with, whatever the profile: the archive that is measured is the one that is tested.
/// `-objtemp` and the lack of `assert` make two builds equal.
pub(crate) const FLAGS: [&str; 8] =
    ["-O3", "-std=c++17", "-objtemp", "-DNDEBUG", "-Xcompiler", "-fPIC", "-Xcompiler", "-frandom-seed=groth16"];

/// A folder whose files go by a name that does not depend on where it lies.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// The first part of its files' portable paths.
    pub(crate) name: &'static str,
    /// Where it lies.
    pub(crate) folder: PathBuf,
}

/// Everything that decides what the archive is.
#[derive(Debug)]
pub(crate) struct Recipe {
    /// Where it is put.
    pub(crate) out_dir: PathBuf,
    /// The package's folder.
    pub(crate) package: PathBuf,
    /// What compiles it.
    pub(crate) toolkit: Toolkit,
    /// What nvcc hands the CPU's code to.
    pub(crate) host: HostCompiler,
    /// GPU architectures, such as `sm_90`.
    pub(crate) architectures: Vec<String>,
    /// Macros that are defined.
    pub(crate) defines: Vec<&'static str>,
    /// The folders that sources come from; a folder inside another comes first.
    pub(crate) roots: Vec<Root>,
}

impl Recipe {
    /// Reads cargo's variables and those of [`variables`].
    pub(crate) fn from_environment() -> Result<Self, String> {
        let toolkit = Toolkit::find()?;
        let package = folder("CARGO_MANIFEST_DIR")?;
        let roots = vec![
            Root { name: "cuda", folder: package.clone() },
            Root { name: "sppark", folder: folder("DEP_SPPARK_ROOT")? },
            Root { name: "blst", folder: folder("DEP_BLST_C_SRC")? },
            Root { name: "toolkit", folder: toolkit.root.clone() },
        ];
        Ok(Self {
            out_dir: folder("OUT_DIR")?,
            package,
            host: HostCompiler::find()?,
            toolkit,
            architectures: architectures(&env::var("ABLATE_CUDA_ARCH").unwrap_or_else(|_| "sm_90".to_owned()))?,
            defines: defines(),
            roots,
        })
    }

    /// The folder that goes by `name`.
    pub(crate) fn root(&self, name: &str) -> &Path {
        &self.roots.iter().find(|root| root.name == name).expect("every root is made in from_environment").folder
    }

    /// The compilers, each with the name of its root in the manifest.
    pub(crate) fn programs(&self) -> [(&'static str, &Program); 2] {
        [("nvcc", &self.toolkit.nvcc), ("host", &self.host.program)]
    }

    /// `-gencode` values: machine code for each architecture, nothing to be compiled by the driver.
    pub(crate) fn gencode(&self) -> Vec<String> {
        self.architectures.iter().map(|arch| format!("arch={},code={arch}", arch.replace("sm_", "compute_"))).collect()
    }
}

fn folder(variable: &str) -> Result<PathBuf, String> {
    let value = env::var_os(variable).ok_or_else(|| format!("cargo has not set {variable}"))?;
    Path::new(&value).canonicalize().map_err(|error| format!("{variable} names {}: {error}", value.display()))
}

fn architectures(list: &str) -> Result<Vec<String>, String> {
    let all: Vec<String> = list.split([',', ' ']).filter(|arch| !arch.is_empty()).map(str::to_owned).collect();
    let good = |arch: &String| {
        arch.strip_prefix("sm_").is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    match all.iter().find(|arch| !good(arch)) {
        Some(arch) => Err(format!(
            "ABLATE_CUDA_ARCH has `{arch}`, which is no architecture: write sm_90, or a list such as sm_80,sm_90"
        )),
        None if all.is_empty() => {
            Err("ABLATE_CUDA_ARCH is empty: name an architecture such as sm_90, or unset it".to_owned())
        }
        None => Ok(all),
    }
}

fn defines() -> Vec<&'static str> {
    let mut defines = vec!["FEATURE_BLS12_381", "TAKE_RESPONSIBILITY_FOR_ERROR_MESSAGE"];
    defines.extend(instruction_set());
    defines.extend(TOGGLES.iter().filter(|(feature, _)| env::var_os(feature).is_some()).map(|(_, define)| *define));
    defines
}

/// blst's headers call the variant of its assembly that blst's own build script has chosen; the choice must be the same.
fn instruction_set() -> Option<&'static str> {
    let given = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("target-cpu="));
    if given {
        let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
        let has = |name: &str| features.split(',').any(|feature| feature == name);
        return match (has("ssse3"), has("adx")) {
            (false, _) => Some("__BLST_PORTABLE__"),
            (true, true) => Some("__ADX__"),
            (true, false) => None,
        };
    }
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("adx") {
        return Some("__ADX__");
    }
    None
}
