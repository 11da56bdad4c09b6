//! The CPU's part of the archive, tested by the tests of its package and against the prover's own sums. They need the feature
//! that compiles the archive, which `cargo test --workspace` leaves off; here cargo is called once more, with it on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::Message;

use crate::nvcc::{nvcc, repository};

/// The workspace's `prover`, kept until this is dropped: cargo puts a program into its folder by name, whatever its features, and
/// the tests that the outer cargo starts next run what lies there.
struct Kept {
    program: PathBuf,
    meanwhile: PathBuf,
}

impl Kept {
    fn prover() -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_ablate")).with_file_name("prover");
        let meanwhile = program.with_file_name("prover.kept");
        // There is none where this package's tests alone were built.
        let _ = fs::rename(&program, &meanwhile);
        Self { program, meanwhile }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = fs::rename(&self.meanwhile, &self.program);
    }
}

/// How many tests cuda/tests/host.rs has.
fn host_tests() -> usize {
    include_str!("../../../../cuda/tests/host.rs").lines().filter(|line| *line == "#[test]").count()
}

/// Builds tests as cargo would, and gives back their programs by name.
fn build(args: &[&str]) -> Vec<(String, PathBuf)> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--locked", "--no-run", "--message-format=json"]).args(args);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.current_dir(repository()).env("NVCC", nvcc()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = Message::parse_stream(output.stdout.as_slice()).map(|message| message.expect("a message"));
    let program = |message| match message {
        Message::CompilerArtifact(artifact) if artifact.target.is_test() => {
            Some((artifact.target.name, artifact.executable?.into_std_path_buf()))
        }
        _ => None,
    };
    messages.filter_map(program).collect()
}

/// Runs tests by their names' beginnings, and gives back how many passed.
fn run(program: &Path, names: &[&str]) -> usize {
    let output = Command::new(program).args(names).current_dir(repository()).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.lines().filter(|line| line.starts_with("test ") && line.ends_with(" ok")).count()
}

/// Every case of cuda/tests/host.rs (1, 2 and 8 threads; nothing, one point, infinity, equal and opposite points), and the
/// prover's own multiplication on random batches.
#[test]
fn b_g2_of_the_archive_is_that_of_the_curve_library_and_of_the_prover() {
    let packages = ["-p", "groth16-cuda", "-p", "groth16-prover", "--test", "host", "--test", "it"];
    let features = ["--features", "groth16-cuda/native,groth16-prover/cuda"];
    let _kept = Kept::prover();
    let programs = build(&[&packages[..], &features].concat());
    let of = |name: &str| &programs.iter().find(|(program, _)| program == name).expect("built").1;
    assert_eq!(run(of("host"), &[]), host_tests());
    let names = ["cuda::b_g2_of_the_archive_is_the_provers_own", "cuda::without_a_gpu_there_is_no_prover"];
    assert_eq!(run(of("it"), &names), names.len());
}

/// The same tests where a batch's sums run side by side.
#[test]
#[ignore = "compiles the archive once more, which takes a minute"]
fn with_its_toggles_on_the_archive_computes_the_same() {
    let features = ["--features", "native,parallel-b-g2,host-pin,msm-windows"];
    let programs = build(&[&["-p", "groth16-cuda", "--test", "host"], &features[..]].concat());
    let [(_, host)] = programs.try_into().expect("one program");
    assert_eq!(run(&host, &[]), host_tests());
}
