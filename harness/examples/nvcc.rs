//! Prints the path of an nvcc: the one that `NVCC`, `CUDA_HOME` or `PATH` leads to, else one fetched into `.ablate`.
//!
//! For working on the native code by hand, with the compiler that experiments get:
//! `NVCC=$(cargo run -q -p ablate --example nvcc) cargo test -p groth16-cuda --features native`

use std::env;
use std::path::Path;

use ablate::toolchain::nvcc::{Lookup, Provisioner, find_or_provision};
use anyhow::{Context, Result};

fn main() -> Result<()> {
    let lookup = Lookup { nvcc: env::var_os("NVCC"), cuda_home: env::var_os("CUDA_HOME"), path: env::var_os("PATH") };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the package lies in the workspace's folder")?;
    let provisioner = Provisioner::of_project(root);
    let nvcc = find_or_provision(&lookup, "13.0", Some(&provisioner), &mut |line| eprintln!("{line}"))?;
    println!("{}", nvcc.program.display());
    Ok(())
}
