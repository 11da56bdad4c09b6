//! Twenty clean builds of the archive have one digest. Takes about half an hour on two cores:
//!
//! ```text
//! cargo test -p ablate --test it -- --ignored --nocapture rebuilds
//! ```
//!
//! Its output is kept in docs/rebuilds.txt.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use ablate::digest::{self, ArchiveDigest, Roots};
use ablate::stamp::Manifest;
use cargo_metadata::Message;

use super::copy_tracked;
use crate::nvcc::{nvcc, repository};

const HERE: usize = 15;
const ELSEWHERE: usize = 5;

/// Builds the package from clean into a target folder of its own, and digests the archive that cargo names.
fn build(checkout: &Path, target: &Path) -> ArchiveDigest {
    let cargo = |args: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(args).args(["--release", "-p", "groth16-cuda"]).current_dir(checkout);
        command.env("CARGO_TARGET_DIR", target).env("NVCC", nvcc()).stderr(Stdio::inherit());
        let output = command.output().expect("cargo runs");
        assert!(output.status.success(), "cargo {args:?} failed");
        output.stdout
    };
    cargo(&["clean"]);
    let said = cargo(&["build", "--features", "native", "--message-format=json"]);
    let scripts = Message::parse_stream(said.as_slice()).filter_map(|message| match message.expect("a message") {
        Message::BuildScriptExecuted(script) => Some(script.out_dir.join("libgroth16_cuda.a").into_std_path_buf()),
        _ => None,
    });
    let archive = scripts.into_iter().find(|path| path.is_file()).expect("the build leaves an archive");
    let manifest = Manifest::of(&archive).expect("read").expect("there is a manifest");
    let roots = Roots::new([("root", checkout), ("target", target)].into_iter().chain(manifest.roots()));
    let digest = digest::archive(&fs::read(archive).expect("read"), &roots).expect("digested");
    assert_eq!(digest.notes, [""; 0]);
    assert_eq!(digest.stamp.as_deref(), Some(manifest.stamp.as_str()));
    digest
}

#[test]
#[ignore = "slow: twenty builds"]
fn twenty_clean_rebuilds_have_one_digest_of_cpu_code_and_one_of_gpu_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = folder.path().join("a-checkout-that-lies-elsewhere");
    copy_tracked(".", &elsewhere);
    let builds =
        (0..HERE).map(|_| ("here", repository())).chain((0..ELSEWHERE).map(|_| ("elsewhere", elsewhere.clone())));
    let mut digests = Vec::new();
    println!("build  where      raw               host              device");
    for (number, (place, checkout)) in (1..).zip(builds) {
        let digest = build(&checkout, &folder.path().join(format!("target-{place}")));
        let [raw, host, device] = [&digest.raw, &digest.host, &digest.device_all].map(|digest| &digest[..16]);
        println!("{number:>5}  {place:<9}  {raw}  {host}  {device}");
        digests.push(digest);
    }
    let distinct = |of: fn(&ArchiveDigest) -> &String| digests.iter().map(of).collect::<BTreeSet<_>>().len();
    assert_eq!(distinct(|digest| &digest.host), 1, "{:?}", digest::differences(&digests[0], &digests[HERE]));
    assert_eq!(distinct(|digest| &digest.device_all), 1, "{:?}", digest::differences(&digests[0], &digests[HERE]));
    println!(
        "{} builds, {} different files, one digest each of CPU and GPU code",
        digests.len(),
        distinct(|digest| &digest.raw)
    );
}
