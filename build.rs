//! The native build of package `groth16-cuda`: without its feature `native` there is nothing to compile.

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
}
