//! Across builds: every set of toggles, and bellperson, give the same parameters and the same proofs.
//!
//! These tests build with cargo, in release and into folders of their own, so they take minutes the first time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::program::{digest, fresh_folder, succeed, text};

const CIRCUIT: &str = "mixed:2,20";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Builds, and demands that it worked.
fn cargo_build(args: &[&str], target: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--release", "--locked", "--quiet"]).args(args).arg("--target-dir").arg(target);
    // What these programs say counts here, not how fast, and most of the time goes to compiling them, on both cores.
    build.args(["--config", "profile.release.codegen-units=16", "--config", "profile.release.opt-level=1"]);
    // What the outer cargo tells the tests of this package must not reach the inner one.
    build.current_dir(root()).env_remove("CARGO_TARGET_DIR").env_remove("CARGO_MANIFEST_DIR");
    succeed(build);
}

/// The peer program, built once.
static PEER: LazyLock<PathBuf> = LazyLock::new(|| {
    // The arms' folder: what both depend on is compiled once.
    let (manifest, target) = (root().join("peers/Cargo.toml"), root().join("target/arms"));
    cargo_build(&["--manifest-path", manifest.to_str().unwrap()], &target);
    target.join("release/peer")
});

fn peer(command: &str, folder: &Path, args: &[&str]) -> Command {
    program(Command::new(&*PEER), &["bellperson", command], folder, args)
}

fn prover(command: &str, folder: &Path, args: &[&str]) -> Command {
    program(Command::new(env!("CARGO_BIN_EXE_prover")), &[command], folder, args)
}

fn program(mut command: Command, words: &[&str], folder: &Path, args: &[&str]) -> Command {
    command.args(words).args(["--circuit", CIRCUIT]).arg("--params-dir").arg(folder).args(args);
    command
}

/// Our parameters, shared by the tests here.
static PARAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("arms-params");
    succeed(prover("setup", &folder, &[]));
    folder
});

#[test]
fn our_parameters_are_bellpersons_byte_for_byte() {
    let theirs = fresh_folder("bellperson-params");
    succeed(peer("setup", &theirs, &[]));
    for name in ["mixed-2-20.seed-1.params", "mixed-2-20.seed-1.params.json"] {
        let (ours, theirs) = (fs::read(PARAMS.join(name)).unwrap(), fs::read(theirs.join(name)).unwrap());
        assert!(ours == theirs, "{name}");
    }
}

#[test]
fn our_proofs_are_bellpersons_and_each_verifies_the_others() {
    let folder = fresh_folder("bellperson-proofs");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (proof, inputs) = (path("proof"), path("inputs"));
    let batch = ["--circuits", "2", "--seed", "5", "--iterations", "0"];
    let ours = succeed(prover("prove", &PARAMS, &[&batch[..], &["--proof", &proof, "--inputs", &inputs]].concat()));
    let theirs = succeed(peer("prove", &PARAMS, &[&batch[..], &["--proof", &path("their-proof")]].concat()));
    assert_eq!(digest(&ours), digest(&theirs));
    assert_eq!(fs::read(&proof).unwrap(), fs::read(path("their-proof")).unwrap());

    let verify = || {
        let output = peer("verify", &PARAMS, &["--proof", &proof, "--inputs", &inputs]).output().unwrap();
        (output.status.code(), text(&output.stdout))
    };
    assert_eq!(verify(), (Some(0), "proof 0: verifies\nproof 1: verifies\n".to_owned()));

    // One bit, in each of the second proof's three points.
    let good = fs::read(&proof).unwrap();
    for byte in [47, 143, 191] {
        let mut flipped = good.clone();
        flipped[192 + byte] ^= 1;
        fs::write(&proof, flipped).unwrap();
        let (code, said) = verify();
        assert_eq!(code, Some(1), "{said}");
        assert!(said.starts_with("proof 0: verifies\nproof 1: does not verify"), "{said}");
    }
    // One public input, off by one bit.
    fs::write(&proof, good).unwrap();
    let mut lists: Vec<Vec<String>> = serde_json::from_str(&fs::read_to_string(&inputs).unwrap()).unwrap();
    let digit = lists[1][0].pop().unwrap().to_digit(16).unwrap();
    lists[1][0].push(char::from_digit(digit ^ 1, 16).unwrap());
    fs::write(&inputs, serde_json::to_string(&lists).unwrap()).unwrap();
    assert_eq!(verify(), (Some(1), "proof 0: verifies\nproof 1: does not verify\n".to_owned()));
}

/// The peer speaks the protocol as we do.
#[test]
fn the_peer_times_itself_in_the_protocol() {
    let output = succeed(peer("prove", &PARAMS, &["--iterations", "0", "--threads", "1"]));
    let events: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["ev"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["hello", "phase", "phase", "total", "proof", "bye"]);
    assert_eq!((&events[0]["program"], &events[0]["threads"]), (&"bellperson".into(), &1.into()));
    assert_eq!((&events[1]["name"], &events[2]["name"]), (&"load_params".into(), &"synthesis".into()));
    assert_eq!((&events[4]["verified"], &events[5]["ok"]), (&true.into(), &true.into()));
}

/// Toggles change how a proof is made, never the proof.
#[test]
fn every_arm_makes_the_same_proof() {
    let target = root().join("target/arms");
    let arms =
        ["", "smallvec", "presize", "parallel-b-g2", "msm-windows", "smallvec,presize,parallel-b-g2,msm-windows"];
    let expected = digest(&succeed(prover("prove", &PARAMS, &["--circuits", "2", "--iterations", "0"])));
    for features in arms {
        cargo_build(&["-p", "groth16-prover", "--no-default-features", "--features", features], &target);
        let built = Command::new(target.join("release/prover"));
        let output = succeed(program(built, &["prove"], &PARAMS, &["--circuits", "2", "--iterations", "0"]));
        assert_eq!(digest(&output), expected, "{features}");
        let hello: Value = serde_json::from_str(text(&output.stdout).lines().next().unwrap()).unwrap();
        let mut said: Vec<&str> = hello["features"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
        let mut wanted: Vec<&str> = features.split(',').filter(|name| !name.is_empty()).collect();
        said.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(said, wanted);
    }
}
