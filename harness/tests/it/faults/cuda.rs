//! The same with the real nvcc: what toggles do to GPU code.

use super::Step::{Do, Edit, EditSecretly, Write};
use super::{FAST, FILE, catalogue};
use crate::nvcc::nvcc;
use crate::support::Project;

/// The toggle changes the CPU's part alone.
const SOURCE: &str = r#"#include "k.h"

#ifdef FAST
#define HOST 3
#else
#define HOST 2
#endif
#define GPU 2
#define LAST 5

__constant__ unsigned table[2] = {3, LAST};

__global__ void kernel(unsigned* out) { out[threadIdx.x] = K * GPU + table[threadIdx.x & 1]; }

namespace {
// Its name has a hash of this file's path in it.
__global__ void hidden(unsigned* out) { *out = K; }
}

extern "C" unsigned k() {
    kernel<<<1, 2>>>(nullptr);
    hidden<<<1, 1>>>(nullptr);
    return K * HOST;
}
"#;

/// k.cu in the place of k.c, as machine code alone: PTX would tell of constants in words. Nothing keeps nvcc from naming a symbol after its temporary files.
fn by_nvcc(project: &Project) {
    let libraries = nvcc().parent().and_then(|bin| bin.parent()).expect("a toolkit").join("lib64");
    let script = include_str!("../../fixtures/native/k-sys/build.rs")
        .replace("k.c\"", "k.cu\"")
        .replacen("Command::new(\"gcc\")", &format!("Command::new(\"{}\")", nvcc().display()), 1)
        .replacen(
            "[\"-O2\", \"-fPIC\", \"-c\"]",
            "[\"-O2\", \"-gencode=arch=compute_90,code=sm_90\", \"-Xcompiler\", \"-fPIC\", \"-c\"]",
            1,
        )
        .replace(
            "    println!(\"cargo::rerun",
            &format!(
                "    println!(\"cargo::rustc-link-search=native={}\");\n    for name in [\"static=cudart_static\", \
                 \"dylib=stdc++\", \"dylib=dl\", \"dylib=pthread\", \"dylib=rt\"] {{\n        \
                 println!(\"cargo::rustc-link-lib={{name}}\");\n    }}\n    println!(\"cargo::rerun",
                libraries.display()
            ),
        );
    project.write("k-sys/build.rs", &script);
}

pub(super) const CUDA: [super::Step; 2] = [Write("k-sys/k.cu", SOURCE), Do(by_nvcc)];

catalogue! {
    a_toggle_for_the_cpu_that_changes_gpu_code: FAST,
        twin CUDA, fault [Edit("k-sys/k.cu", "#define GPU 2", "#define GPU HOST")]
        => [("fast leaking", "archive-device changed from base to fast")];

    a_toggle_that_changes_only_a_table_on_the_gpu: FAST,
        twin CUDA, fault [Edit("k-sys/k.cu", "#define LAST 5", "#define LAST HOST")]
        => [("fast leaking", "archive-device changed from base to fast")];

    /// `rules_cuda`#494: two builds of one source differ in a symbol named after nvcc's process.
    a_define_that_nothing_reads_in_a_cu_file: FAST,
        twin CUDA, fault [Edit("k-sys/k.cu", "#ifdef FAST", "#ifdef FSAT")]
        => [("fast inert", "the CPU code of the archive of fast is that of base")];

    a_toggle_for_the_gpu_that_does_not_reach_it: FAST,
        twin CUDA, fault [Edit(FILE, "\"archive-host\", ", "\"archive-host\", \"archive-device\", ")]
        => [("fast inert", "the GPU code of the archive of fast is that of base")];

    a_cu_file_edited_in_place_under_its_old_date: FAST,
        twin CUDA, fault [EditSecretly("k-sys/k.cu", "#define LAST 5", "#define LAST 6")]
        => [("base stale", "k/k.cu"), ("fast stale", "k/k.cu")];

    /// `supra_seal`#46: nvcc's own words are what helps.
    an_architecture_that_nvcc_no_longer_has: FAST,
        twin CUDA,
        fault [Edit("k-sys/build.rs", "\"-gencode=arch=compute_90,code=sm_90\"", "if defines.is_empty() { \"-gencode=arch=compute_90,code=sm_90\" } else { \"-gencode=arch=compute_70,code=sm_70\" }")]
        => [("fast build failed", "Unsupported gpu architecture 'compute_70'")];
}
