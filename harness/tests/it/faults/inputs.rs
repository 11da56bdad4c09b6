//! What goes into an archive is changed, and cargo does not notice.

use std::fs;
use std::process::Command;

use super::Step::{Do, Edit, EditSecretly, Write};
use super::{FAST, catalogue};
use crate::support::Project;

/// k.c reads a header of a package that lies beside its own, and the build script writes it into the manifest.
const VENDORED: [super::Step; 4] = [
    Write("vendor/z.h", "#define Z 1\n"),
    Edit("k-sys/k.c", "#include \"k.h\"", "#include \"k.h\"\n#include \"../vendor/z.h\""),
    Edit("k-sys/k.c", "K * ", "K * Z * "),
    Edit("k-sys/build.rs", "[\"k.c\", \"k.h\"]", "[\"k.c\", \"k.h\", \"../vendor/z.h\"]"),
];

/// Builds with features that base does not have, so that there are three folders beside base's own, all of them newer. The
/// archive in the newest is another's.
fn old_builds(project: &Project) {
    for features in ["", "fast", "idle", "fast,idle"] {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--release", "--target-dir", "target/ablate", "--features", features]);
        let output = cargo.current_dir(project.path()).env_remove("CARGO_TARGET_DIR").output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    super::overwrite(&super::archive(project, "-DFAST -DIDLE"), &super::archive(project, "-DIDLE"));
}

catalogue! {
    an_input_edited_in_place_under_its_old_date: FAST,
        twin [], fault [EditSecretly("k-sys/k.c", "K * 2", "K * 4")]
        => [("base stale", "k/k.c"), ("fast stale", "k/k.c")];

    /// The build script names k.c to cargo, and no header.
    a_header_that_the_build_script_does_not_name: FAST,
        twin [], fault [Edit("k-sys/k.h", "21", "22")]
        => [("base stale", "k/k.h"), ("fast stale", "k/k.h")];

    a_header_of_a_vendored_dependency: FAST,
        twin VENDORED, fault [Edit("vendor/z.h", "1", "2")]
        => [("base stale", "vendor/z.h"), ("fast stale", "vendor/z.h")];

    an_input_that_is_gone: FAST,
        twin VENDORED, fault [Do(|project| fs::remove_file(project.path().join("vendor/z.h")).expect("removed"))]
        => [("base stale", "is gone"), ("fast stale", "is gone")];

    /// Only the archive that cargo names counts, whatever stands beside it and however new that is.
    the_newest_of_several_build_folders_is_not_the_live_one: FAST,
        twin [Do(old_builds)],
        fault [Do(|project| super::overwrite(&super::archive(project, ""), &super::archive(project, "-DIDLE")))]
        => [("base stale", "is not the archive of the manifest beside it")];
}
