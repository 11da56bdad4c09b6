//! Files that somebody overwrites after the build.

use std::fs;
use std::path::PathBuf;

use super::Step::Do;
use super::{FAST, archive, catalogue, overwrite};
use crate::support::Project;

/// Every executable that cargo keeps becomes the one that was linked last.
fn one_executable_for_all(project: &Project) {
    let folder = project.path().join("target/ablate/release");
    let last = fs::read(folder.join("native")).expect("linked");
    let kept = fs::read_dir(folder.join("deps")).expect("built").map(|entry| entry.expect("an entry").path());
    let executable = |path: &PathBuf| {
        path.extension().is_none()
            && path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"native-"))
    };
    let kept: Vec<_> = kept.filter(executable).collect();
    assert_eq!(kept.len(), 2, "one for each arm: {kept:?}");
    for path in kept {
        fs::write(path, &last).expect("written");
    }
}

catalogue! {
    an_archive_overwritten_by_another_arms: FAST,
        twin [], fault [Do(|project| overwrite(&archive(project, ""), &archive(project, "-DFAST")))]
        => [("base stale", "is not the archive of the manifest beside it"), ("fast inert", "CPU code of the archive")];

    an_archive_overwritten_by_nothing: FAST,
        twin [], fault [Do(|project| fs::write(archive(project, "-DFAST"), "!<arch>\n").expect("written"))]
        => [("fast stale", "it has no members")];

    an_executable_overwritten_by_another_arms: FAST,
        twin [], fault [Do(one_executable_for_all)]
        => [("base stale", "was not linked with"), ("fast stale", "is, byte for byte, that of base")];
}
