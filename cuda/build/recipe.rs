//! How the archive is to be made: toolkit, architectures, defines, flags, and the folders they speak of.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::toolkit::{Toolkit, output};

/// The environment variables that change the archive or choose what makes it.
pub(crate) const VARIABLES: [&str; 13] = [
    "ABLATE_CUDA_ARCH",
    "NVCC",
    "CUDA_HOME",
    "PATH",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "CXX",
    "CXXFLAGS",
    "CRATE_CC_NO_DEFAULTS",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "AR",
    "ARFLAGS",
];

/// Those of them whose text is part of the manifest. The others name programs and folders: what these are is written there.
pub(crate) const FLAG_VARIABLES: [&str; 6] =
    ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CXXFLAGS", "CRATE_CC_NO_DEFAULTS", "CPATH", "CPLUS_INCLUDE_PATH"];

/// The toggles: Cargo feature and macro.
const TOGGLES: [(&str, &str); 3] = [
    ("CARGO_FEATURE_HOST_PIN", "GROTH16_HOST_PIN"),
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
    /// The host compiler, and what it says of itself.
    pub(crate) host_compiler: (PathBuf, String),
    /// GPU architectures, such as `sm_90`.
    pub(crate) architectures: Vec<String>,
    /// Macros that are defined.
    pub(crate) defines: Vec<&'static str>,
    /// The folders that sources come from; a folder inside another comes first.
    pub(crate) roots: Vec<Root>,
}

impl Recipe {
    /// Reads cargo's variables and those of [`VARIABLES`].
    pub(crate) fn from_environment() -> Result<Self, String> {
        let toolkit = Toolkit::find()?;
        let package = folder("CARGO_MANIFEST_DIR")?;
        let nvcc_folder = toolkit.nvcc.parent().map(Path::to_path_buf).unwrap_or_default();
        let roots = vec![
            Root { name: "cuda", folder: package.clone() },
            Root { name: "sppark", folder: folder("DEP_SPPARK_ROOT")? },
            Root { name: "blst", folder: folder("DEP_BLST_C_SRC")? },
            Root { name: "toolkit", folder: toolkit.root.clone() },
            Root { name: "nvcc", folder: nvcc_folder },
        ];
        Ok(Self {
            out_dir: folder("OUT_DIR")?,
            package,
            host_compiler: host_compiler()?,
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

/// `CXX`, or the compiler that cc would take, and the first line of its `--version`.
fn host_compiler() -> Result<(PathBuf, String), String> {
    let compiler = cc::Build::new().cpp(true).cargo_metadata(false).get_compiler();
    let text = output(Command::new(compiler.path()).arg("--version"))?;
    Ok((compiler.path().to_owned(), text.lines().next().unwrap_or_default().to_owned()))
}
