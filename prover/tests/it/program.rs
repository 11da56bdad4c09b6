//! The built program as its users meet it: arguments, lines on standard output, exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

/// The circuit that most tests use: the smallest that has both kinds of witness.
pub(crate) const CIRCUIT: &str = "mixed:1,1";

/// A folder that holds the parameters of [`CIRCUIT`], made anew by every run of the tests.
static PARAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("params");
    let setup = prover(&["setup", "--circuit", CIRCUIT]).arg("--params-dir").arg(&folder).output().unwrap();
    assert!(setup.status.success(), "{}", text(&setup.stderr));
    folder
});

pub(crate) fn params_folder() -> &'static Path {
    &PARAMS
}

/// An empty folder for one test.
pub(crate) fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program with some arguments.
pub(crate) fn prover(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prover"));
    command.args(args).stdin(Stdio::null());
    command
}

/// `prover COMMAND --circuit mixed:1,1` with the parameters made before, and further arguments.
pub(crate) fn prepared(command: &str, args: &[&str]) -> Command {
    let mut prover = prover(&[command, "--circuit", CIRCUIT]);
    prover.arg("--params-dir").arg(params_folder()).args(args);
    prover
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The events on standard output, each line one JSON object.
pub(crate) fn events(output: &Output) -> Vec<Value> {
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .inspect(|event: &Value| assert!(event.is_object(), "{event}"))
        .collect()
}

/// Runs to the end, and demands the exit code 0.
pub(crate) fn succeed(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}\n{}", text(&output.stdout), text(&output.stderr));
    output
}

/// Runs to the end, and demands exit code 2, nothing on standard output, and returns what was said.
pub(crate) fn refuse(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// The digest in a run's first `proof` event.
pub(crate) fn digest(output: &Output) -> String {
    let events = events(output);
    let proof = events.iter().find(|event| event["ev"] == "proof").expect("a proof event");
    proof["digest"].as_str().unwrap().to_owned()
}
