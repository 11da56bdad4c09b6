//! The real nvcc, for tests: the one that the environment leads to, else one that is fetched once into the repository's
//! `.ablate`, as experiments with `provision = "python"` do.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ablate::toolchain::nvcc::{Lookup, Provisioner, find_or_provision};

/// The toolkit that wheels are pinned for.
const VERSION: &str = "13.0";

/// The program's absolute path.
pub(crate) fn nvcc() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| {
        let variable = |name| env::var_os(name);
        let lookup = Lookup { nvcc: variable("NVCC"), cuda_home: variable("CUDA_HOME"), path: variable("PATH") };
        let provisioner = Provisioner::of_project(&repository());
        let found = find_or_provision(&lookup, VERSION, Some(&provisioner), &mut |line| eprintln!("{line}"));
        found.expect("an nvcc").program.canonicalize().expect("it is there")
    })
}

/// The repository that these tests are of.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("harness/ lies in it").canonicalize().expect("it is there")
}
