//! Filecoin's circuit: its sizes are those that its authors state, it holds for what the libraries proved and for nothing else,
//! and its proof is bellperson's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bellpepper_core::Circuit;
use bellpepper_core::test_cs::TestConstraintSystem;
use blstrs::Scalar;
use ff::Field;
use groth16_prover::circuits::Porep;
use serde_json::Value;

use crate::program::{digest, fresh_folder, prover, refuse, succeed, text};

/// `prover COMMAND --circuit porep:1` with its caches in `folder`.
fn porep(command: &str, folder: &Path, args: &[&str]) -> Command {
    let mut prover = prover(&[command, "--circuit", "porep:1", "--params-dir"]);
    prover.arg(folder).args(args);
    prover
}

fn info(mut command: Command) -> (u64, u64) {
    command.arg("--json");
    let info: Value = serde_json::from_slice(&succeed(command).stdout).unwrap();
    let (inputs, constraints) = (info["inputs"].as_u64().unwrap(), info["constraints"].as_u64().unwrap());
    (constraints - inputs, inputs)
}

/// 64 nodes, 2 layers, 1 challenge; settings of the surroundings do not count.
#[test]
fn a_sector_of_2_kib_has_the_published_size_whatever_the_environment_says() {
    let folder = fresh_folder("porep-info");
    let mut command = porep("info", &folder, &[]);
    command.env("FIL_PROOFS_PARENT_CACHE", "/dev/null/nowhere").env("FIL_PROOFS_ROWS_TO_DISCARD", "many");
    assert_eq!(info(command), (1_344_246, 22));
    let caches: Vec<_> =
        fs::read_dir(folder.join("filecoin")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!caches.is_empty());
    let replicas = caches.iter().filter(|name| name.to_str().unwrap().starts_with("replica"));
    assert_eq!(replicas.count(), 0, "{caches:?}");
}

#[test]
fn a_file_of_settings_in_the_current_folder_is_refused() {
    let folder = fresh_folder("porep-settings");
    fs::write(folder.join("rust-fil-proofs.config.toml"), "rows_to_discard = 7\n").unwrap();
    let mut command = porep("info", &folder, &[]);
    command.current_dir(&folder);
    let said = refuse(command);
    let expected = "error: file rust-fil-proofs.config.toml: Filecoin's libraries would read their settings from it";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_folder_that_cannot_hold_the_caches_is_named() {
    let folder = fresh_folder("porep-no-folder");
    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    let said = refuse(porep("info", &file, &[]));
    assert!(said.starts_with("error: circuit porep:1: making its replica failed: folder /"), "{said}");
}

/// Starts `small_sectors` in a process of its own, since the settings are read once from the environment.
#[test]
fn the_smallest_sector_has_the_size_that_its_authors_assert() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "porep::small_sectors", "--ignored"]);
    child.env("FIL_PROOFS_PARENT_CACHE", fresh_folder("porep-small"));
    let said = text(&succeed(child).stdout);
    assert!(said.contains("1 passed"), "{said}");
}

/// 8 nodes, 2 layers, 1 challenge.
#[test]
#[ignore = "the test above runs it"]
fn small_sectors() {
    let sector = |index| Porep::new(8, 2, 1, 7, index).unwrap();
    let first = sector(0);
    let inputs = first.public_inputs();
    assert_eq!(sector(0).public_inputs(), inputs);
    assert_ne!(sector(1).public_inputs(), inputs, "each circuit of a batch has a replica of its own");

    let mut cs = TestConstraintSystem::<Scalar>::new();
    first.synthesize(&mut cs).unwrap();
    assert_eq!(cs.num_constraints(), 1_199_620);
    assert_eq!(cs.which_is_unsatisfied(), None);
    assert!(cs.verify(&inputs));
    for place in 0..inputs.len() {
        let mut tampered = inputs.clone();
        tampered[place] += Scalar::ONE;
        assert!(!cs.verify(&tampered), "public input {place}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The peer program with the circuit, built in its own workspace.
fn build_peer() -> PathBuf {
    let peers = root().join("peers");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--release", "--locked", "--quiet", "--features", "porep"]);
    build.current_dir(&peers).env_remove("CARGO_TARGET_DIR").env_remove("CARGO_MANIFEST_DIR");
    succeed(build);
    peers.join("target/release/peer")
}

/// Our parameters, our proof, bellperson's proof from them and bellperson's verdicts.
#[test]
#[ignore = "takes minutes, and builds the peer"]
fn the_proof_is_bellpersons_and_tampered_inputs_are_rejected() {
    let folder = fresh_folder("porep-proof");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (proof, inputs) = (path("proof"), path("inputs"));
    succeed(porep("setup", &folder, &[]));
    let batch = ["--iterations", "0", "--seed", "5"];
    let files = ["--proof", &proof, "--inputs", &inputs];
    let ours = succeed(porep("prove", &folder, &[&batch[..], &files].concat()));

    let program = build_peer();
    let peer = |command: &str, args: &[&str]| {
        let mut peer = Command::new(&program);
        peer.args(["bellperson", command, "--circuit", "porep:1", "--params-dir"]).arg(&folder).args(args);
        peer
    };
    let theirs = succeed(peer("prove", &[&batch[..], &["--proof", &path("their-proof")]].concat()));
    assert_eq!(digest(&ours), digest(&theirs));
    assert_eq!(fs::read(&proof).unwrap(), fs::read(path("their-proof")).unwrap());

    let verdicts = || {
        [peer("verify", &files), porep("verify", &folder, &files)].map(|mut verify| {
            let output = verify.output().unwrap();
            (output.status.code(), text(&output.stdout))
        })
    };
    assert_eq!(verdicts(), [(); 2].map(|()| (Some(0), "proof 0: verifies\n".to_owned())));
    let mut lists: Vec<Vec<String>> = serde_json::from_str(&fs::read_to_string(&inputs).unwrap()).unwrap();
    assert_eq!(lists[0].len(), 21);
    let digit = lists[0][1].pop().unwrap().to_digit(16).unwrap();
    lists[0][1].push(char::from_digit(digit ^ 1, 16).unwrap());
    fs::write(&inputs, serde_json::to_string(&lists).unwrap()).unwrap();
    assert_eq!(verdicts(), [(); 2].map(|()| (Some(1), "proof 0: does not verify\n".to_owned())));
}
