//! Device digests of what the real nvcc makes.

use std::env;
use std::sync::OnceLock;

use super::*;
use crate::toolchain::nvcc::{Lookup, Provisioner, find_or_provision};

/// The nvcc that the environment leads to, else one that is fetched once into the repository's `.ablate`.
fn compiler() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| {
        let variable = |name| env::var_os(name);
        let lookup = Lookup { nvcc: variable("NVCC"), cuda_home: variable("CUDA_HOME"), path: variable("PATH") };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("harness/ lies in it");
        let provisioner = Provisioner::of_project(repository);
        find_or_provision(&lookup, "13.0", Some(&provisioner), &mut |_| ()).expect("an nvcc").program
    })
}

/// Two kernels, one that asserts and prints; constants, a variable, names in an anonymous namespace; one host function.
const SOURCE: &str = r#"#include <cassert>
#include <cstdio>
namespace {
__constant__ int table[4] = {1, 2, 3, 5};
__device__ int counter = 3;
__global__ void scale(int* out) { out[threadIdx.x] *= table[threadIdx.x & 3]; }
}
__global__ void add(int* out, int n) { assert(n > 0); out[threadIdx.x] += n + counter; if (n == 77) printf("%d\n", n); }
static int half(int x) { return x / 2; }
extern "C" int launch(int* out, int n) {
  add<<<1, 32>>>(out, n);
  scale<<<1, 32>>>(out);
  return half(n);
}
"#;

const SM_90: &str = "arch=compute_90,code=sm_90";

/// Compiles a source, named by its absolute path as cc does, for each `-gencode` value.
fn nvcc(workshop: &Workshop, text: &str, codes: &[&str], flags: &[&str]) -> ArchiveDigest {
    let source = workshop.write("k.cu", text);
    let object = source.with_extension("o");
    let mut command = Command::new(compiler());
    command.args(["-O2", "-std=c++17", "-Xcompiler", "-fPIC", "-c"]).args(flags).arg("-o").arg(&object);
    for code in codes {
        command.args(["-gencode", code]);
    }
    run(command.arg(&source));
    workshop.digest(&workshop.ar("D", &[&object]))
}

#[test]
fn one_source_compiled_twice_or_elsewhere_has_one_digest() {
    let workshop = Workshop::new();
    let plain = nvcc(&workshop, SOURCE, &[SM_90], &[]);
    assert_eq!(plain.notes, [""; 0]);
    assert_eq!(plain.device.keys().collect::<Vec<_>>(), ["sm_90"]);
    let again = nvcc(&workshop, SOURCE, &[SM_90], &[]);
    let elsewhere = nvcc(&Workshop::named(&"long".repeat(20)), SOURCE, &[SM_90], &[]);
    for other in [again, elsewhere] {
        assert_ne!(other.raw, plain.raw);
        assert_eq!(parts(&plain, &other), [""; 0]);
        assert_eq!((other.host, other.device), (plain.host.clone(), plain.device.clone()));
    }
}

#[test]
fn a_change_is_found_where_it_is() {
    let workshop = Workshop::new();
    let plain = nvcc(&workshop, SOURCE, &[SM_90], &[]);
    let kernel = |name: &str| format!("{name} for sm_90 in k.o changed");
    let table = [
        ("{1, 2, 3, 5}", "{1, 2, 3, 6}", false, kernel("data")),
        ("+= n +", "+= 5 * n +", false, kernel("_Z3addPii")),
        ("__global__ void add", "__global__ __launch_bounds__(64) void add", false, kernel("_Z3addPii")),
        ("x / 2", "x / 3", true, "launch in k.o changed".to_owned()),
    ];
    for (from, to, host, expected) in table {
        assert!(SOURCE.contains(from), "{from}");
        let other = nvcc(&workshop, &SOURCE.replace(from, to), &[SM_90], &[]);
        assert_eq!(other.host != plain.host, host, "{to}: {:?}", parts(&plain, &other));
        assert_eq!(other.device_all == plain.device_all, host, "{to}");
        assert_eq!(parts(&plain, &other), [expected], "{to}");
    }
}

#[test]
fn a_further_kernel_leaves_the_others_as_they_are() {
    let workshop = Workshop::new();
    let plain = nvcc(&workshop, SOURCE, &[SM_90], &[]);
    let more = SOURCE.replace("static int half", "__global__ void more(int* out) { out[0] = 1; }\nstatic int half");
    let other = nvcc(&workshop, &more, &[SM_90], &[]);
    let device: Vec<String> = parts(&plain, &other).into_iter().filter(|part| part.contains("sm_90")).collect();
    assert_eq!(device, ["_Z4morePi for sm_90 in k.o added"]);
}

#[test]
fn each_architecture_has_its_digest_compressed_or_not() {
    let workshop = Workshop::new();
    let codes =
        [SM_90, "arch=compute_80,code=sm_80", "arch=compute_90a,code=sm_90a", "arch=compute_90,code=compute_90"];
    let all = nvcc(&workshop, SOURCE, &codes, &[]);
    assert_eq!(all.notes, [""; 0]);
    assert_eq!(all.device.keys().collect::<Vec<_>>(), ["compute_90", "sm_80", "sm_90", "sm_90a"]);
    let small = nvcc(&workshop, SOURCE, &codes, &["--compress-mode=size"]);
    assert_ne!(small.raw, all.raw);
    assert_eq!((small.device, small.host), (all.device.clone(), all.host.clone()));
    let one = nvcc(&workshop, SOURCE, &[SM_90], &[]);
    assert_eq!(one.device["sm_90"], all.device["sm_90"]);
    assert_ne!(one.device_all, all.device_all);

    // What only one architecture compiles.
    let only = SOURCE.replace("+= n +", "+=\n#if __CUDA_ARCH__ == 800\n7 *\n#endif\nn +");
    let even = SOURCE.replace("+= n +", "+=\n#if __CUDA_ARCH__ == 999\n7 *\n#endif\nn +");
    let [only, even] = [only, even].map(|text| nvcc(&workshop, &text, &codes, &[]));
    assert_ne!(only.device["sm_80"], even.device["sm_80"]);
    assert_eq!((&only.device["sm_90"], &only.host), (&even.device["sm_90"], &even.host));
}

#[test]
fn line_information_and_relocatable_code_are_told_apart_from_the_code() {
    let workshop = Workshop::new();
    let plain = nvcc(&workshop, SOURCE, &[SM_90], &[]);
    let lines = nvcc(&workshop, SOURCE, &[SM_90], &["-lineinfo"]);
    assert_ne!(lines.raw, plain.raw);
    assert_eq!(lines.device, plain.device, "{:?}", parts(&plain, &lines));

    let here = nvcc(&workshop, SOURCE, &[SM_90], &["-rdc=true"]);
    let there = nvcc(&Workshop::named("elsewhere"), SOURCE, &[SM_90], &["-rdc=true"]);
    assert_eq!(parts(&here, &there), [""; 0]);
    assert!(here.device.contains_key("sm_90"));
}
