//! What goes into a build and nothing names to cargo: no manifest tells either, and only base built from nothing does.

use std::process::Command;

use super::Step::{Do, Edit, Write};
use super::{BARE, FAST, FILE, assert_found, catalogue, take};
use crate::archives::project;
use crate::support::{Answer, Project, answer, command};

/// One arm alone reads it.
const HEADER_OF_FAST: [super::Step; 2] = [
    Edit("k-sys/k.c", "#ifdef FAST\n    return K * 3;", "#ifdef FAST\n#include \"fast.h\"\n    return K * FAST_K;"),
    Write("k-sys/fast.h", "#define FAST_K 3\n"),
];

/// A library that somebody makes by hand and leaves among the sources, where the configuration leads the linker.
const BY_HAND: [super::Step; 3] = [
    Write(".cargo/config.toml", "[build]\nrustflags = [\"-Lnative=native\"]\n"),
    Write(
        "src/main.rs",
        "//! Calls into libk.a and libbyhand.a.\n\n#[link(name = \"byhand\", kind = \"static\")]\nunsafe extern \"C\" {\n    \
         safe fn by_hand() -> u32;\n}\n\nfn main() {\n    println!(\"{} {}\", k_sys::k(), by_hand());\n}\n",
    ),
    Do(|project| make_by_hand(project, 1)),
];

fn make_by_hand(project: &Project, value: u32) {
    project.write("native/by_hand.c", &format!("unsigned by_hand(void) {{ return {value}; }}\n"));
    let script = "gcc -O2 -fPIC -c by_hand.c -o by_hand.o && rm -f libbyhand.a && ar crs libbyhand.a by_hand.o";
    let made = Command::new("sh").args(["-c", script]).current_dir(project.path().join("native")).status();
    assert!(made.expect("sh runs").success());
}

catalogue! {
    /// larql#14.
    a_header_that_nothing_names: FAST,
        twin BARE, fault [Edit("k-sys/k.h", "21", "22")]
        => [
            ("base stale", "base built from nothing is another: libk.a: k in k.o changed"),
            ("fast stale", "since it was made, k-sys/k.h changed, and built from nothing it is another: libk.a: k in k.o changed"),
        ];

    /// Base has its control build; of an arm, the files tell that it needs one too.
    a_header_that_nothing_names_and_one_arm_reads: FAST,
        twin [BARE[0], BARE[1], HEADER_OF_FAST[0], HEADER_OF_FAST[1]], fault [Edit("k-sys/fast.h", "3", "4")]
        => [("fast stale", "since it was made, k-sys/fast.h changed, and built from nothing it is another: libk.a: k in k.o changed")];

    /// cargo#12502: cargo does not look at a library that is linked by name.
    a_library_made_again_by_hand: FAST,
        twin BY_HAND, fault [Do(|project| make_by_hand(project, 2))]
        => [("base stale", "native/libbyhand.a`")];
}

/// risc0#605.
#[test]
fn a_variable_that_a_build_script_reads_in_silence() {
    let project = project(FAST);
    take(&BARE, &project);
    let reads = ".args(&defines).args(env::var(\"K_FLAGS\"))";
    take(&[Edit("k-sys/build.rs", ".args(&defines)", reads), Edit("k-sys/k.c", "K * ", "K * V * ")], &project);
    let verify = |flags: &str| -> Answer { answer(command(project.path(), &["verify", FILE]).env("K_FLAGS", flags)) };
    assert_found(&verify("-DV=1"), &[]);
    let stale = [
        ("base stale", "no build script names it (such as `cargo::rerun-if-env-changed=K_FLAGS`)"),
        ("fast stale", "since it was made, $K_FLAGS changed"),
    ];
    assert_found(&verify("-DV=5"), &stale);
    assert_found(&verify("-DV=5"), &stale);
    assert_found(&verify("-DV=1"), &[]);

    let told = "    println!(\"cargo::rerun-if-env-changed=K_FLAGS\");\n    println!(\"cargo::rerun-if-changed=k.c\");";
    take(&[Edit("k-sys/build.rs", "    println!(\"cargo::rerun-if-changed=k.c\");", told)], &project);
    assert_found(&verify("-DV=1"), &[]);
    assert_found(&verify("-DV=5"), &[]);
}

/// A file of the package changed that no compiler read: the archive is built again once, and is the same.
#[test]
fn a_file_that_changes_nothing_is_found_to_change_nothing_once() {
    let project = project(FAST);
    take(&BARE, &project);
    take(&HEADER_OF_FAST, &project);
    assert_found(&super::verify(&project), &[]);
    Write("k-sys/notes.txt", "not read by anything\n").take(&project);
    let said = |answer: &Answer| answer.stdout.matches("k-sys/notes.txt changed, so it was built again").count();
    let first = super::verify(&project);
    assert_found(&first, &[]);
    assert_eq!(said(&first), 1, "{}", first.stdout);
    let second = super::verify(&project);
    assert_found(&second, &[]);
    assert_eq!(said(&second), 0, "{}", second.stdout);
}
