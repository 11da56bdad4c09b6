//! The native build of package `groth16-cuda`: cuda/ to `libgroth16_cuda.a`, by nvcc.
//!
//! Without the package's feature `native` there is nothing to compile and nothing is looked for.
//!
//! Everything that goes into the archive is written to a manifest beside it, whose digest, the stamp, is compiled into it
//! (see `cuda/build/manifest.rs`). Cargo runs this script again when any of it changes, as far as times of modification can
//! tell; a file changed under its old time is for the reader of the manifest to find.
#![forbid(unsafe_code)]

#[path = "cuda/build/archive.rs"]
mod archive;
#[path = "cuda/build/depfile.rs"]
mod depfile;
#[path = "cuda/build/host.rs"]
mod host;
#[path = "cuda/build/manifest.rs"]
mod manifest;
#[path = "cuda/build/program.rs"]
mod program;
#[path = "cuda/build/recipe.rs"]
mod recipe;
#[path = "cuda/build/toolkit.rs"]
mod toolkit;

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    if std::env::var_os("CARGO_FEATURE_NATIVE").is_none() {
        return;
    }
    if let Err(message) = build() {
        println!("cargo::error={}", message.replace('\n', " | "));
        std::process::exit(1);
    }
}

fn build() -> Result<(), String> {
    for name in recipe::variables() {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let recipe = recipe::Recipe::from_environment()?;
    let (objects, sources) = archive::compile(&recipe)?;
    let manifest = manifest::Manifest::new(&recipe, &sources)?;
    manifest.write(&recipe.out_dir)?;
    archive::finish(&recipe, objects, &manifest.stamp())?;

    // Not the folder of our own sources, where an edit of its Rust file would compile all of CUDA again.
    for path in manifest.files().iter().chain(&archive::own_files(&recipe)?) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    println!("cargo::metadata=STAMP={}", manifest.stamp());
    Ok(())
}
