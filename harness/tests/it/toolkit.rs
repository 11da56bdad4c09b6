//! `[toolchain.cuda]`: found, checked and handed to the build before anything is built, by nvccs that are scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Answer, Project};

const FILE: &str = "experiments/gpu.toml";

/// A program that cannot be compiled unless the build is told of nvcc.
const MAIN: &str = "fn main() {\n    let on = cfg!(feature = \"fast\");\n    println!(\"{on} {}\", concat!(env!(\"NVCC\"), \
                    env!(\"ABLATE_CUDA_ARCH\"), env!(\"ABLATE_NVCC_DIGEST\")));\n}\n";

fn project() -> Project {
    let project = Project::new();
    project.write("src/main.rs", MAIN);
    project.write(
        FILE,
        "schema = 1\nname = \"gpu\"\nquestion = \"?\"\ntarget = { package = \"toy\" }\n\
         [toolchain.cuda]\nversion = \"13.0\"\narch = [\"sm_90\"]\n\
         [[factor]]\nid = \"F\"\nfeature = \"fast\"\n\
         [[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n\
         [measure]\nlooks = [12]\nmin_effect = \"5%\"\n",
    );
    project
}

/// Puts an nvcc into the project that says its version and does nothing.
fn install(project: &Project, version: &str) {
    project.write("cuda/bin/nvcc", &format!("#!/bin/sh\necho 'Cuda compilation tools, release 0, V{version}'\n"));
    let program = project.path().join("cuda/bin/nvcc");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("made executable");
}

/// `ablate verify`, with the project's toolkit or none on `PATH`.
fn verify(project: &Project) -> Answer {
    let rust = Path::new(env!("CARGO")).parent().expect("cargo lies in a folder");
    let linker = Path::new("/usr/bin");
    let mut folders = vec![project.path().join("cuda/bin"), rust.to_owned()];
    // Where nvcc is installed for everybody, only the tests that bring their own can have a linker.
    if project.has("cuda/bin/nvcc") {
        folders.push(linker.to_owned());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_ablate"))
        .args(["verify", FILE])
        .current_dir(project.path())
        .env("PATH", std::env::join_paths(folders).expect("folders without colons"))
        .env_remove("NVCC")
        .env_remove("CUDA_HOME")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("the program starts");
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_missing_nvcc_and_one_of_another_version_end_it_before_anything_is_built() {
    let project = project();
    let missing = verify(&project);
    assert_eq!(missing.code, Some(2), "{}\n{}", missing.stdout, missing.stderr);
    for words in ["there is no nvcc", "set CUDA_HOME", "`provision = \"python\"`"] {
        assert!(missing.stderr.contains(words), "{words}: {}", missing.stderr);
    }
    install(&project, "12.6.77");
    let other = verify(&project);
    assert_eq!(other.code, Some(2), "{}\n{}", other.stdout, other.stderr);
    for words in ["CUDA 13.0", "cuda/bin/nvcc (found through PATH) is of CUDA 12.6.77", "set CUDA_HOME"] {
        assert!(other.stderr.contains(words), "{words}: {}", other.stderr);
    }
    assert!(!project.has("target"), "nothing was built");
}

#[test]
fn a_build_is_told_of_nvcc_and_made_again_when_that_is_exchanged() {
    let project = project();
    install(&project, "13.0.88");
    let first = verify(&project);
    assert_eq!(first.code, Some(0), "{}\n{}", first.stdout, first.stderr);
    assert!(verify(&project).stdout.contains("nothing was compiled"));
    // In the same place, under the same `PATH`.
    install(&project, "13.0.96");
    let exchanged = verify(&project);
    assert_eq!(exchanged.code, Some(0), "{}\n{}", exchanged.stdout, exchanged.stderr);
    assert_eq!(exchanged.stdout.matches("rebuilt").count(), 3, "{}", exchanged.stdout);
}
