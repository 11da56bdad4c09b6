//! Build scripts that lie.

use std::fs;
use std::process::Command;

use super::Step::{Do, Edit, Write};
use super::{BARE, FAST, catalogue, made};
use crate::support::Project;

/// Before it tells cargo what to link, the build script takes its archive from a cache, by the macros that it is for.
const CACHE: super::Step = Edit(
    "k-sys/build.rs",
    "    println!(\"cargo::rustc-link-search",
    "    let cache = PathBuf::from(&here).join(\"cache\").join(key(&defines));\n    fs::create_dir_all(&cache).expect(\"made\");\n\
    \u{20}   for name in NAMES {\n        let (cached, made) = (cache.join(name), out.join(name));\n        \
    let (from, to) = if cached.exists() { (cached, made) } else { (made, cached) };\n        \
    fs::copy(from, to).expect(\"copied\");\n    }\n    println!(\"cargo::rustc-link-search",
);
const KEY: super::Step = Edit(
    "k-sys/build.rs",
    "fn sha256",
    "fn key(defines: &[String]) -> String {\n    format!(\"for{}\", defines.concat())\n}\n\nfn sha256",
);
const NO_KEY: super::Step = Edit("k-sys/build.rs", "defines.concat()", "&defines.concat()[..0]");

/// The Rust package has no need of its archive, so that it links whatever the archive holds.
const RUST: super::Step =
    Write("k-sys/src/lib.rs", "//! The same in Rust.\n\n/// 42.\npub fn k() -> u32 {\n    42\n}\n");

/// Before its own folder, the build script names one inside of it. (Cargo puts folders elsewhere behind both.)
const SEARCH: super::Step = Edit(
    "k-sys/build.rs",
    "    println!(\"cargo::rustc-link-search",
    "    println!(\"cargo::rustc-link-search=native={}/lib\", out.display());\n    println!(\"cargo::rustc-link-search",
);

/// A library of the archive's name, in the folder that is named first, with further members.
fn namesake(project: &Project, more: &str) {
    for archive in made(project.path()) {
        let folder = archive.with_file_name("lib");
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join("other.c"), "unsigned k(void) { return 7; }\n").expect("written");
        let script = format!("gcc -fPIC -c other.c -o other.o && ar crs libk.a other.o {more}");
        assert!(Command::new("sh").args(["-c", &script]).current_dir(folder).status().expect("sh runs").success());
    }
}

catalogue! {
    /// The manifest is of this build, the archive of another.
    a_cached_archive_of_other_features: FAST,
        twin [CACHE, KEY, Edit("k-sys/build.rs", "in NAMES", "in [\"libk.a\"]")], fault [NO_KEY]
        => [("fast stale", "is not the archive of the manifest beside it"), ("fast inert", "CPU code of the archive")];

    /// With the manifest from the cache as well, nothing is wrong with either; but the toggle changes nothing.
    a_cached_archive_with_the_manifest_of_other_features: FAST,
        twin [CACHE, KEY, Edit("k-sys/build.rs", "in NAMES", "in [\"libk.a\", \"k.manifest\"]")], fault [NO_KEY]
        => [("fast inert", "does not read the feature")];

    an_empty_archive_and_success: FAST,
        twin [], fault [RUST, Edit("k-sys/build.rs", ".arg(&archive).arg(&k).arg(&stamp)", ".arg(&archive)")]
        => [
            ("base stale", "it has no members"),
            ("fast stale", "it has no members"),
            ("fast inert", "no code that is compiled asks for"),
        ];

    no_archive_and_success: FAST,
        twin [], fault [
            RUST,
            Edit("k-sys/build.rs", "    println!(\"cargo::rustc-link-lib", "    //"),
            Edit("k-sys/build.rs", "    run(Command::new(\"ar\")", "    drop(Command::new(\"ar\")"),
        ]
        => [
            ("base stale", "it cannot be read"),
            ("fast stale", "it cannot be read"),
            ("fast inert", "no code that is compiled asks for"),
        ];

    /// Nothing of the program calls it, and the linker takes what is called.
    the_archives_code_dropped_by_the_linker: FAST,
        twin [BARE[0], BARE[1], Edit("k-sys/build.rs", "static:+whole-archive=k", "static=k")],
        fault [Edit("src/main.rs", "k_sys::k()", "42")]
        => [
            ("base wrong binary", "none of the 1 functions and data of"),
            ("fast wrong binary", "none of the 1 functions and data of"),
            ("fast stale", "although"),
        ];

    /// Without a stamp, its code tells.
    a_library_of_the_same_name_without_a_stamp: FAST,
        twin [BARE[0], BARE[1], SEARCH], fault [Do(|project| namesake(project, "")), Edit("k-sys/k.c", "K * 2", "K * 4")]
        => [
            ("base wrong binary", "k of k.o has another content"),
            ("fast wrong binary", "k of k.o has another content"),
            ("fast stale", "although"),
        ];

    a_library_of_the_same_name_earlier_on_the_link_path: FAST,
        twin [SEARCH], fault [Do(|project| namesake(project, "")), Edit("k-sys/k.c", "K * 2", "K * 4")]
        => [("base stale", "was not linked with"), ("fast stale", "was not linked with")];

    a_library_of_the_same_name_and_stamp: FAST,
        twin [SEARCH], fault [Do(|project| namesake(project, "../stamp.o")), Edit("k-sys/src/lib.rs", "    native::k()", "    {\n        native::k()\n    }")]
        => [
            ("base wrong binary", "k of k.o has another content"),
            ("fast wrong binary", "a second libk.a on the link path"),
            ("fast stale", "although"),
        ];
}
