//! The archive's toggles with their macros taken out of the sources.

use std::fs;

use toml::{Table, Value};

use super::{FILE, copy_tracked, experiment, lock, project};
use crate::nvcc::{nvcc, repository};
use crate::support::{answer, command};

/// A program that only passes the toggles on. It is not optimised; the archive is, whatever the profile.
const PROGRAM: &str = r#"[package]
name = "own"
version = "0.1.0"
edition = "2024"
# The build script that lies beside it is the native package's.
build = false

[features]
parallel-b-g2 = ["groth16-cuda/parallel-b-g2"]
host-pin = ["groth16-cuda/host-pin"]
msm-windows = ["groth16-cuda/msm-windows"]

[dependencies]
groth16-cuda = { path = "cuda", features = ["native"] }

[profile.release]
opt-level = 0
"#;

/// The workspace without the prover, and that program.
fn manifest() -> String {
    let text = fs::read_to_string(repository().join("Cargo.toml")).expect("the workspace's manifest");
    let manifest: Table = text.parse().expect("TOML");
    let mut workspace = manifest["workspace"].as_table().expect("a table").clone();
    workspace["members"] = Value::Array(vec!["cuda".into()]);
    workspace.remove("exclude");
    format!("{}\n{PROGRAM}", Table::from_iter([("workspace".to_owned(), workspace.into())]))
}

/// Those of experiments/archive.toml that have their macros in one file, but for B2, which would cost another build.
const TOGGLES: [(&str, &str); 3] = [("A4", "parallel-b-g2"), ("B1", "host-pin"), ("D4", "msm-windows")];

#[test]
#[ignore = "slow: five builds of the archive"]
fn each_toggle_whose_macro_nothing_reads_is_inert() {
    let project = project("toggles", &manifest());
    copy_tracked("cuda", project.path());
    let toggles = project.path().join("cuda/src/toggles.hpp");
    let text = fs::read_to_string(&toggles).expect("the one place that looks at the macros");
    assert_eq!(text.matches("#ifdef GROTH16_").count(), TOGGLES.len() + 1, "{text}");
    fs::write(&toggles, text.replace("#ifdef GROTH16_", "#ifdef GONE_")).expect("written");
    lock(&project);
    let factors = TOGGLES.map(|(id, feature)| {
        format!("[[factor]]\nid = \"{id}\"\nfeature = \"{feature}\"\nchanges = [\"archive-host\", \"binary\"]\n")
    });
    project.write(FILE, &experiment(&format!("{}[design]\nkind = \"add-one\"\n", factors.concat())));
    let answer = answer(command(project.path(), &["verify", FILE]).env("NVCC", nvcc()));
    assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
    for (arm, feature) in TOGGLES {
        let words =
            format!("{arm} inert: factor {arm} switches feature `{feature}` on, and the CPU code of the archive");
        assert!(answer.stdout.contains(&words), "{words}\n{}", answer.stdout);
    }
    assert!(answer.stdout.contains("the feature reaches the compiler (the stamps differ)"), "{}", answer.stdout);
    assert!(!answer.stdout.contains(" stale") && !answer.stdout.contains(" leaking"), "{}", answer.stdout);
}
