//! What changes no code: nothing is found, and the archives' digests are what they were.

use std::fs;

use super::Step::{self, Edit};
use super::{FAST, FILE, assert_found, by_shell, code, take, verify};
use crate::archives::project;
use crate::compiled::table;
use crate::support::{ablate, answer};

/// Verifies, takes the steps, and verifies again.
#[track_caller]
fn check(steps: &[Step]) {
    let project = project(FAST);
    let first = verify(&project);
    assert_found(&first, &[]);
    let before = code(project.path());
    take(steps, &project);
    let after = verify(&project);
    assert_found(&after, &[]);
    assert_eq!(after.stdout.matches(" rebuilt ").count(), 3, "base, its twin and the toggle\n{}", after.stdout);
    assert_eq!(code(project.path()), before);
    assert_eq!(table(&after.stdout), table(&first.stdout), "executables, too");
}

#[test]
fn a_touched_source() {
    check(&[Edit("k-sys/k.c", "K * 2", "K * 2")]);
}

#[test]
fn a_comment_that_moves_no_line() {
    check(&[Edit("k-sys/k.c", "return K * 2;", "return K * 2; /* forty-two */")]);
}

#[test]
fn a_comment_in_a_rust_source_that_moves_no_line() {
    check(&[Edit("src/main.rs", "println!(\"lost\");", "println!(\"lost\"); // forty-two")]);
}

#[test]
fn a_touched_rust_source() {
    check(&[Edit("k-sys/src/lib.rs", "native::k()", "native::k()")]);
}

#[test]
fn a_build_from_clean() {
    check(&[Step::Do(|project| fs::remove_dir_all(project.path().join("target")).expect("removed"))]);
}

#[test]
fn another_umask_another_temporary_folder_and_another_user() {
    let project = project(FAST);
    assert_found(&verify(&project), &[]);
    let before = code(project.path());
    fs::remove_dir_all(project.path().join("target")).expect("removed");
    project.write("temporary/here", "");
    let mut command = by_shell(project.path(), "umask 077");
    command.env("TMPDIR", project.path().join("temporary")).env("USER", "somebody").env("LOGNAME", "somebody");
    assert_found(&answer(&mut command), &[]);
    assert_eq!(code(project.path()), before);
}

/// Prepares a project, verifies it, and again where it has been moved to.
#[track_caller]
fn check_moved(steps: &[Step]) {
    let project = project(FAST);
    take(steps, &project);
    assert_found(&verify(&project), &[]);
    let before = code(project.path());
    fs::remove_dir_all(project.path().join("target")).expect("removed");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let moved = elsewhere.path().join("a-checkout-whose-path-is-longer");
    fs::rename(project.path(), &moved).expect("moved");
    assert_found(&ablate(&moved, &["verify", FILE]), &[]);
    assert_eq!(code(&moved), before);
}

#[test]
fn a_checkout_that_was_moved() {
    check_moved(&[Edit(
        "k-sys/k.c",
        "#include <stdint.h>",
        "#include <stdint.h>\nconst char *const k_source = __FILE__;",
    )]);
}

/// nvcc puts a hash of the source's path into names.
#[test]
fn a_checkout_with_gpu_code_that_was_moved() {
    check_moved(&super::cuda::CUDA);
}
