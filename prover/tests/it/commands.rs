//! The commands that are not benches, and every way to call one wrongly.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{CIRCUIT, digest, events, fresh_folder, params_folder, prepared, prover, refuse, succeed, text};

const PARAMS_NAME: &str = "mixed-1-1.seed-1.params";

/// A copy of the prepared parameters in a folder of the test's own.
fn copied_params(folder: &str) -> (PathBuf, PathBuf) {
    let folder = fresh_folder(folder);
    for name in [PARAMS_NAME.to_owned(), format!("{PARAMS_NAME}.json")] {
        fs::copy(params_folder().join(&name), folder.join(&name)).unwrap();
    }
    let file = folder.join(PARAMS_NAME);
    (folder, file)
}

#[test]
fn wrong_arguments_are_refused_with_what_is_wrong() {
    let circuit = ["prove", "--circuit", CIRCUIT];
    let cases: [(&[&str], &str); 12] = [
        (&["prove", "--circuit", "sha3:1"], "unknown kind `sha3`; accepted are sha256:BLOCKS, mixed:BLOCKS,HASHES and"),
        (&["synth", "--circuit", "mixed:1"], "1 size where mixed:BLOCKS,HASHES wants 2"),
        (&["synth"], "--circuit <SPEC>"),
        (&[&circuit[..], &["--circuits", "0"]].concat(), "--circuits <N>"),
        (
            &[&circuit[..], &["--circuits", "99999999999"]].concat(),
            "--circuits 99999999999: so many of mixed:1,1 take at",
        ),
        (
            &["synth", "--circuit", "sha256:1", "--circuits", "100000000"],
            "--circuits 100000000: so many of sha256:1 take",
        ),
        (&[&circuit[..], &["--threads", "0"]].concat(), "--threads <N>': choose from 1 to 1024"),
        (&[&circuit[..], &["--threads", "1025"]].concat(), "--threads <N>': choose from 1 to 1024"),
        (&[&circuit[..], &["--threads", "100000"]].concat(), "--threads <N>': choose from 1 to 1024"),
        (&["info", "--circuit", "mixed:4097,1"], "BLOCKS is `4097`, not a whole number from 1 to 4096"),
        (&[&circuit[..], &["--window", "1"]].concat(), "--window 1: choose one from 2 to 16"),
        (&[&circuit[..], &["--resident", "--iterations", "2"]].concat(), "cannot be used with"),
    ];
    for (args, expected) in cases {
        let said = refuse(prover(args));
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}

/// Never a quiet run on the CPU: the build has no GPU code, or there is no GPU to be seen.
#[test]
fn a_backend_that_cannot_run_is_refused() {
    let reason =
        if cfg!(feature = "cuda") { "no CUDA device can be used: " } else { "this build has no feature `cuda`" };
    let reason = format!("--backend cuda: {reason}");
    for command in ["prove", "synth"] {
        let said = refuse({
            let mut prover = prover(&[command, "--circuit", CIRCUIT, "--backend", "cuda"]);
            prover.env("CUDA_VISIBLE_DEVICES", "");
            prover
        });
        assert!(said.contains(&reason), "{command}: {said}");
    }
}

#[test]
fn missing_parameters_are_refused_with_the_command_that_makes_them() {
    let folder = fresh_folder("missing");
    let mut prove = prover(&["prove", "--circuit", "mixed:1,1", "--setup-seed", "9"]);
    let said = refuse({
        prove.arg("--params-dir").arg(&folder);
        prove
    });
    let command = format!("run `prover setup --circuit mixed:1,1 --setup-seed 9 --params-dir {}`", folder.display());
    assert!(said.contains(&command), "{said}");
}

/// The system's words once, and the file at fault by name.
#[test]
fn faults_of_the_file_system_are_told_once() {
    let (folder, file) = copied_params("told-once");
    let missing = folder.join("missing");
    let said = refuse(prepared("prove", &["--params", missing.to_str().unwrap()]));
    let told_once = format!(
        "error: parameter file {}: opening failed: No such file or directory (os error 2)\n",
        missing.display()
    );
    assert_eq!(said, told_once);

    fs::remove_file(folder.join(format!("{PARAMS_NAME}.json"))).unwrap();
    let mut prove = prover(&["prove", "--circuit", CIRCUIT]);
    prove.arg("--params-dir").arg(&folder);
    let (said, file) = (refuse(prove), file.display());
    let expected = format!(
        "error: parameter file {file}: its sidecar {file}.json cannot be used: No such file or directory (os error 2); \
         delete the parameter file and run `prover setup --circuit mixed:1,1 --setup-seed 1 --params-dir {}`\n",
        folder.display()
    );
    assert_eq!(said, expected);
}

fn commands_that_load(folder: &Path) -> Vec<std::process::Command> {
    let (proof, inputs) = (folder.join("proof"), folder.join("inputs"));
    fs::write(&proof, [0; 192]).unwrap();
    fs::write(&inputs, "[[]]").unwrap();
    let arguments: [Vec<&str>; 3] = [
        vec!["setup"],
        vec!["prove"],
        vec!["verify", "--proof", proof.to_str().unwrap(), "--inputs", inputs.to_str().unwrap()],
    ];
    arguments
        .into_iter()
        .map(|args| {
            let mut command = prover(&args);
            command.args(["--circuit", CIRCUIT]).arg("--params-dir").arg(folder);
            command
        })
        .collect()
}

/// Cut short, or one byte changed where every point stays on its curve: refused by every command that loads, and left alone.
#[test]
fn damaged_parameters_are_refused_by_every_command() {
    let (folder, file) = copied_params("damaged");
    let good = fs::read(&file).unwrap();
    let sign_of_y = {
        // The file with a point of the last section replaced by its neighbour: whole, plausible, wrong.
        let mut bytes = good.clone();
        let end = bytes.len();
        bytes.copy_within(end - 192.., end - 384);
        bytes
    };
    let mut changed = good.clone();
    changed[good.len() / 2] ^= 1;
    for (bytes, fault) in [
        (&good[..good.len() - 1], "section b_g2: the count"),
        (&changed, "not on its curve"),
        (&sign_of_y, "its SHA-256 is"),
    ] {
        fs::write(&file, bytes).unwrap();
        for command in commands_that_load(&folder) {
            let said = refuse(command);
            assert!(said.contains(&format!("parameter file {}: ", file.display())), "{said}");
            assert!(said.contains(fault), "{said}");
            assert!(
                said.contains("delete the parameter file and run `prover setup --circuit mixed:1,1 --setup-seed 1"),
                "{said}"
            );
        }
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn set_ups_at_once_leave_one_good_file() {
    let folder = fresh_folder("at-once");
    let start = || {
        let mut setup = prover(&["setup", "--circuit", "sha256:1"]);
        setup.arg("--params-dir").arg(&folder).stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let said: Vec<String> = [start(), start()].map(|setup| text(&setup.wait_with_output().unwrap().stdout)).into();
    assert!(said.iter().any(|line| line.ends_with(": made\n")), "{said:?}");
    assert!(said.iter().any(|line| line.ends_with(": already there, and its checksum holds\n")), "{said:?}");
}

/// Parameters that are well-formed but wrong give proofs that do not verify: told, and never as success.
#[test]
fn a_proof_that_does_not_verify_fails_the_session() {
    let (folder, file) = copied_params("wrong");
    let mut bytes = fs::read(&file).unwrap();
    let end = bytes.len();
    bytes.copy_within(end - 192.., end - 384);
    let foreign = folder.join("foreign");
    fs::write(&foreign, bytes).unwrap();
    let output = prepared("prove", &["--params", foreign.to_str().unwrap(), "--iterations", "3"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let events = events(&output);
    let proofs: Vec<&Value> = events.iter().filter(|event| event["ev"] == "proof").collect();
    assert_eq!(proofs.iter().map(|proof| &proof["verified"]).collect::<Vec<_>>(), [false]);
    assert_eq!(events.last().unwrap()["ok"], false);
}

#[test]
fn parameters_of_another_circuit_are_refused() {
    let file = params_folder().join(PARAMS_NAME);
    let mut prove = prover(&["prove", "--circuit", "mixed:1,2"]);
    prove.arg("--params").arg(file);
    let said = refuse(prove);
    assert!(said.contains("section l has 26399 points, but mixed:1,2 needs 26794: it is of another circuit"), "{said}");
}

/// The same name, whole files, and a circuit of another shape behind it, as after a change of the circuit's definition.
#[test]
fn parameters_from_before_a_change_of_the_circuit_are_refused() {
    let folder = fresh_folder("stale");
    let file = folder.join("mixed-1-2.seed-1.params");
    fs::copy(params_folder().join(PARAMS_NAME), &file).unwrap();
    let sidecar = fs::read_to_string(params_folder().join(format!("{PARAMS_NAME}.json"))).unwrap();
    fs::write(folder.join("mixed-1-2.seed-1.params.json"), sidecar.replace(CIRCUIT, "mixed:1,2")).unwrap();
    for command in ["setup", "prove"] {
        let mut command = prover(&[command, "--circuit", "mixed:1,2"]);
        command.arg("--params-dir").arg(&folder);
        let said = refuse(command);
        let (file, folder) = (file.display(), folder.display());
        let expected = format!(
            "error: parameter file {file}: section l has 26399 points, but mixed:1,2 needs 26794: the circuit has changed since \
             it was made; delete the parameter file and run `prover setup --circuit mixed:1,2 --setup-seed 1 --params-dir \
             {folder}`\n"
        );
        assert_eq!(said, expected);
    }
}

#[test]
fn written_proofs_verify_and_changed_ones_do_not() {
    let folder = fresh_folder("verify");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (proof, inputs) = (path("proof"), path("inputs"));
    succeed(prepared("prove", &["--circuits", "2", "--iterations", "0", "--proof", &proof, "--inputs", &inputs]));
    let verify = || prepared("verify", &["--proof", &proof, "--inputs", &inputs]).output().unwrap();
    let good = verify();
    assert_eq!(
        (good.status.code(), text(&good.stdout)),
        (Some(0), "proof 0: verifies\nproof 1: verifies\n".to_owned())
    );

    let (proof_bytes, inputs_text) = (fs::read(&proof).unwrap(), fs::read_to_string(&inputs).unwrap());
    // One bit of the second proof's A.
    let mut flipped = proof_bytes.clone();
    flipped[192 + 47] ^= 1;
    fs::write(&proof, &flipped).unwrap();
    let bad = verify();
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad.stdout).starts_with("proof 0: verifies\nproof 1: does not verify"), "{}", text(&bad.stdout));

    // The two proofs' inputs exchanged.
    fs::write(&proof, &proof_bytes).unwrap();
    let mut lists: Vec<Value> = serde_json::from_str(&inputs_text).unwrap();
    lists.swap(0, 1);
    fs::write(&inputs, serde_json::to_string(&lists).unwrap()).unwrap();
    let bad = verify();
    assert_eq!(bad.status.code(), Some(1));
    assert_eq!(text(&bad.stdout), "proof 0: does not verify\nproof 1: does not verify\n");

    fs::write(&inputs, "[[]]").unwrap();
    let said = refuse(prepared("verify", &["--proof", &proof, "--inputs", &inputs]));
    assert!(said.contains("1 lists of inputs for 2 proofs"), "{said}");
    fs::write(&inputs, "[[],[]]").unwrap();
    let said = text(&verify().stderr);
    assert!(said.contains("0 public inputs given, but the verifying key has 2"), "{said}");
}

/// Outputs that would be lost to each other, or destroy what somebody else wrote.
#[test]
fn outputs_never_overwrite_what_is_not_their_own() {
    let (folder, file) = copied_params("outputs");
    let prove = |proof: &Path, inputs: &Path| {
        let mut prove = prover(&["prove", "--circuit", CIRCUIT, "--iterations", "0"]);
        prove.arg("--params-dir").arg(&folder).arg("--proof").arg(proof).arg("--inputs").arg(inputs);
        prove
    };
    let elsewhere = fresh_folder("outputs-elsewhere");
    let (same, inputs) = (elsewhere.join("same"), elsewhere.join("inputs"));
    let said = refuse(prove(&same, &same));
    assert!(said.contains("--proof and --inputs are both ") && said.contains("same: name two files"), "{said}");
    assert!(!same.exists());

    let good = fs::read(&file).unwrap();
    let said = refuse(prove(&file, &inputs));
    assert!(said.contains("mixed-1-1.seed-1.params lies in the folder of the parameters: name a file else"), "{said}");
    let said = refuse(prove(&same, &folder.join("new")));
    assert!(said.contains("new lies in the folder of the parameters"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), good);

    fs::write(&same, "somebody's").unwrap();
    let said = refuse(prove(&same, &inputs));
    assert!(said.contains("same is there already and holds no proofs: name another file, or delete it"), "{said}");
    assert_eq!(fs::read_to_string(&same).unwrap(), "somebody's");

    fs::remove_file(&same).unwrap();
    succeed(prove(&same, &inputs));
    succeed(prove(&same, &inputs));
}

/// The figures of the smallest circuit, and the sums that hold for any.
#[test]
fn info_prints_sizes_densities_and_windows() {
    let info: Value =
        serde_json::from_slice(&succeed(prover(&["info", "--circuit", CIRCUIT, "--json"])).stdout).unwrap();
    let number = |path: &str| info.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {info}"));
    let sizes = ["/constraints", "/domain", "/inputs", "/aux", "/a_aux_density", "/b_aux_density"].map(number);
    assert_eq!(sizes, [26_422, 32_768, 3, 26_399, 26_269, 7_136]);
    assert_eq!(number("/msms/l/bases"), 26_399);
    assert_eq!(number("/msms/b_g2/bases"), 7_136 + number("/b_input_density"));
    for msm in ["l", "a", "b_g1", "b_g2"] {
        let of = |name: &str| number(&format!("/msms/{msm}/{name}"));
        assert_eq!(of("bases"), of("zeros") + of("ones") + of("nontrivial"));
        assert!(of("nontrivial") > 0);
    }
    let sha256 = succeed(prover(&["info", "--circuit", "sha256:1", "--json"])).stdout;
    let sha256: Value = serde_json::from_slice(&sha256).unwrap();
    assert_eq!(sha256["msms"]["l"]["nontrivial"], 0);
    let table = text(&succeed(prover(&["info", "--circuit", CIRCUIT, "--window", "7"])).stdout);
    assert!(table.contains("constraints           26422\n") && table.ends_with("all windows are equal\n"), "{table}");
}

/// A whole second folder of parameters from the same seed gives the same proof; another seed gives another.
#[test]
fn parameters_are_reproducible() {
    let folder = fresh_folder("again");
    let run = |command: &str, setup_seed: &str, args: &[&str]| {
        let mut command = prover(&[&[command, "--circuit", CIRCUIT, "--setup-seed", setup_seed], args].concat());
        command.arg("--params-dir").arg(&folder);
        succeed(command)
    };
    run("setup", "1", &[]);
    run("setup", "2", &[]);
    assert_eq!(fs::read(folder.join(PARAMS_NAME)).unwrap(), fs::read(params_folder().join(PARAMS_NAME)).unwrap());
    let proof = digest(&succeed(prepared("prove", &["--iterations", "0"])));
    assert_eq!(digest(&run("prove", "1", &["--iterations", "0"])), proof);
    assert_ne!(digest(&run("prove", "2", &["--iterations", "0"])), proof);
}
