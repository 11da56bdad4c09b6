//! Each thing that goes into the archive, changed after a build: cargo builds again, or the archive is found `stale`. Never
//! neither.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{FILE, experiment, lock, project, tracked};
use crate::nvcc::nvcc;
use crate::support::{Answer, Project, answer, command};

const MANIFEST: &str = "[workspace]\nmembers = [\"cuda\"]\n[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
    build = false\n[dependencies]\ngroth16-cuda = { path = \"cuda\" }\n[profile.release]\nopt-level = 0\n";

/// The package without what its Rust code needs; the crates whose headers it reads are in the project.
const PACKAGE: &str = "[package]\nname = \"groth16-cuda\"\nversion = \"0.1.0\"\nedition = \"2024\"\nbuild = \"../build.rs\"\n\
    links = \"groth16_cuda\"\n[features]\ndefault = [\"native\"]\nnative = []\n[dependencies]\nblst = { path = \"../blst\" }\n\
    sppark = { path = \"../sppark\" }\n[build-dependencies]\ncc = \"1.2\"\nsha2 = \"0.11\"\n";

const LIBRARY: &str = "//! Calls into the archive.\n\nunsafe extern \"C\" {\n    static groth16_cuda_stamp: [u8; 65];\n    \
    safe fn answer() -> u32;\n}\n\n/// The archive's stamp.\npub fn stamp() -> String {\n    \
    // SAFETY: the archive defines it.\n    let stamp = unsafe { &groth16_cuda_stamp };\n    \
    format!(\"{} {}\", answer(), String::from_utf8_lossy(&stamp[..64]))\n}\n";

const KERNEL: &str = "#include \"outside.cuh\"\n\n__global__ void kernel(unsigned* out) { *out = OUTSIDE; }\n\n\
    extern \"C\" unsigned answer() {\n    kernel<<<1, 1>>>(nullptr);\n    return OUTSIDE + 1;\n}\n";

/// The repository's build script over a kernel, a header outside of cuda/, and otherwise empty files of the right names.
fn tiny(name: &str) -> Project {
    // Cargo knows packages of a workspace by name, version and place in it; these share a target folder.
    let versioned = |manifest: &str| manifest.replace("0.1.0", &format!("0.1.0-{name}"));
    let project = project(name, &versioned(MANIFEST));
    project.write("cuda/Cargo.toml", &versioned(PACKAGE));
    project.write("cuda/src/lib.rs", LIBRARY);
    project.write("cuda/include/groth16_cuda.h", "\n");
    for file in tracked("cuda/src") {
        if file.extension().is_some_and(|end| end == "cpp" || end == "cu") {
            project.write(file.to_str().expect("text"), "\n");
        }
    }
    project.write("cuda/src/msm_g1.cu", KERNEL);
    for (name, key, folder) in [("sppark", "ROOT", "sppark"), ("blst", "C_SRC", "src")] {
        let manifest =
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlinks = \"{name}\"\n");
        project.write(&format!("{name}/Cargo.toml"), &versioned(&manifest));
        let says = format!("println!(\"cargo::metadata={key}={{}}/{folder}\", env!(\"CARGO_MANIFEST_DIR\"))");
        // As those of the real crates, they do not have cargo watch the headers.
        let watched = "println!(\"cargo::rerun-if-changed=build.rs\")";
        project.write(&format!("{name}/build.rs"), &format!("fn main() {{\n    {says};\n    {watched};\n}}\n"));
        project.write(&format!("{name}/src/lib.rs"), "//! Headers alone.\n");
    }
    project.write("sppark/sppark/util/all_gpus.cpp", "\n");
    project.write("sppark/sppark/outside.cuh", "#define OUTSIDE 41\n");
    lock(&project);
    project.write(FILE, &experiment("[[factor]]\nid = \"W\"\narg = \"--w\"\nlevels = [\"1\", \"2\"]\n"));
    project
}

/// Verifies in an environment of its own, with nothing set that leads to an nvcc or adds to its flags but what is given.
fn verify(project: &Project, environment: &[(&str, &str)]) -> Answer {
    verify_with(project, &[], environment)
}

fn verify_with(project: &Project, flags: &[&str], environment: &[(&str, &str)]) -> Answer {
    let mut command = command(project.path(), &[&["verify", FILE], flags].concat());
    for name in ["NVCC", "CUDA_HOME", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CXXFLAGS", "ABLATE_CUDA_ARCH"] {
        command.env_remove(name);
    }
    answer(command.envs(environment.iter().copied()))
}

/// Nothing is found. Gives back base's line of the table.
#[track_caller]
fn base_of(answer: &Answer) -> String {
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    let line = answer.stdout.lines().find(|line| line.trim_start().starts_with("base "));
    line.unwrap_or_else(|| panic!("no base:\n{}", answer.stdout)).to_owned()
}

/// The stamp of base's archive, as verification says it. What is told apart by it may have the same code.
fn stamp(project: &Project, environment: &[(&str, &str)]) -> String {
    let answer = verify_with(project, &["--json"], environment);
    let verified: Value = serde_json::from_str(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}:\n{}\n{}", answer.stdout, answer.stderr));
    verified["builds"][0]["archives"][0]["stamp"].as_str().expect("our archive has a stamp").to_owned()
}

/// Cargo built again.
#[track_caller]
fn assert_rebuilt(answer: &Answer) {
    let base = base_of(answer);
    assert!(base.contains(" rebuilt "), "{base}");
}

#[track_caller]
fn assert_stale(answer: &Answer, input: &str) {
    assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["base stale", input] {
        assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
    }
}

/// Replaces text in a file; under the old time of modification where `secretly`.
fn edit(project: &Project, file: &str, (from, to): (&str, &str), secretly: bool) {
    let path = project.path().join(file);
    let old = fs::metadata(&path).expect("there").modified().expect("a time");
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.contains(from), "{file}: {from}");
    fs::write(&path, text.replace(from, to)).expect("written");
    if secretly {
        set_time(&path, old);
    }
}

fn set_time(path: &Path, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("opened");
    file.set_times(FileTimes::new().set_modified(time)).expect("set");
}

#[test]
fn a_cu_file_edited_in_place_under_its_old_date_is_stale() {
    let project = tiny("secret");
    let nvcc = [("NVCC", nvcc().to_str().expect("text"))];
    base_of(&verify(&project, &nvcc));
    assert!(base_of(&verify(&project, &nvcc)).contains(" fresh "), "nothing changed");
    edit(&project, "cuda/src/msm_g1.cu", ("+ 1", "+ 2"), true);
    assert_stale(&verify(&project, &nvcc), "cuda/src/msm_g1.cu");
    edit(&project, "cuda/src/msm_g1.cu", ("+ 2", "+ 1"), true);
    assert!(base_of(&verify(&project, &nvcc)).contains(" fresh "), "the archive's own sources again");
}

#[test]
fn a_header_edited_outside_of_the_package_is_noticed() {
    let project = tiny("header");
    let nvcc = [("NVCC", nvcc().to_str().expect("text"))];
    base_of(&verify(&project, &nvcc));
    let before = stamp(&project, &nvcc);
    edit(&project, "sppark/sppark/outside.cuh", ("41", "42"), false);
    assert_rebuilt(&verify(&project, &nvcc));
    assert_ne!(before, stamp(&project, &nvcc));
    edit(&project, "sppark/sppark/outside.cuh", ("42", "43"), true);
    assert_stale(&verify(&project, &nvcc), "sppark/outside.cuh");
}

#[test]
fn changed_flags_of_nvcc_are_built_with() {
    let project = tiny("flags");
    let nvcc = ("NVCC", nvcc().to_str().expect("text"));
    base_of(&verify(&project, &[nvcc]));
    let before = stamp(&project, &[nvcc]);
    let more = [nvcc, ("NVCC_APPEND_FLAGS", "-DMORE=1")];
    assert_rebuilt(&verify(&project, &more));
    assert_ne!(before, stamp(&project, &more));
    assert!(base_of(&verify(&project, &more)).contains(" fresh "), "nothing changed");
}

/// A script that calls the real nvcc. With other words it is another file.
fn script(path: &Path, words: &str) {
    let text = format!("#!/bin/sh\n# {words}\nexec '{}' \"$@\"\n", nvcc().display());
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("made executable");
}

#[test]
fn an_nvcc_exchanged_on_path_is_noticed() {
    let project = tiny("path");
    let [early, folder] = ["early", "bin"].map(|name| project.path().join(name));
    fs::create_dir(&early).expect("made");
    fs::create_dir(&folder).expect("made");
    let [nvcc, old, other]: [PathBuf; 3] = ["nvcc", "old", "other"].map(|name| folder.join(name));
    let earlier = early.join("nvcc");
    let long_ago = SystemTime::now() - Duration::from_hours(24);
    for (path, words) in [(&old, "an nvcc"), (&other, "another nvcc")] {
        script(path, words);
        set_time(path, long_ago);
    }
    symlink(&old, &nvcc).expect("linked");
    let path = format!("{}:{}:{}", early.display(), folder.display(), std::env::var("PATH").expect("set"));
    let path = [("PATH", path.as_str())];
    base_of(&verify(&project, &path));
    let before = stamp(&project, &path);

    fs::remove_file(&nvcc).expect("removed");
    symlink(&other, &nvcc).expect("linked");
    assert_stale(&verify(&project, &path), "nvcc/nvcc");

    // In a folder that comes before on a PATH that stays as it is.
    fs::remove_file(&nvcc).expect("removed");
    symlink(&old, &nvcc).expect("linked");
    fs::copy(&other, &earlier).expect("copied");
    assert_stale(&verify(&project, &path), "nvcc/nvcc");
    fs::remove_file(&earlier).expect("removed");
    assert!(base_of(&verify(&project, &path)).contains(" fresh "), "the first one again");

    fs::remove_file(&nvcc).expect("removed");
    script(&nvcc, "another nvcc");
    assert_rebuilt(&verify(&project, &path));
    assert_ne!(before, stamp(&project, &path));
}
