//! Toggles that do not do what they are said to do.

use std::fs;

use super::Step::{Do, Edit, Write};
use super::{FAST, FILE, LOST, catalogue};

/// The toggle changes one number in a table, and no instruction.
const TABLE: &str = "#include <stdint.h>\n#ifdef FAST\n#define LAST 5\n#else\n#define LAST 4\n#endif\n\
    const uint32_t table[4] = {1, 2, 3, LAST};\nuint32_t k(void) { volatile int i = 3; return table[i]; }\n";

/// A package between the program and the native one.
const BETWEEN: [super::Step; 3] = [
    Write("other/src/lib.rs", "//! Nothing.\n"),
    Write(
        "other/Cargo.toml",
        "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nk-sys = { path = \"../k-sys\" }\n",
    ),
    Edit("Cargo.toml", "[dependencies]", "[dependencies]\nother = { path = \"other\" }"),
];

/// Another member of the workspace.
const SIBLING: [super::Step; 3] = [
    Write("sibling/src/lib.rs", "//! Nothing.\n"),
    Write(
        "sibling/Cargo.toml",
        "[package]\nname = \"sibling\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
         k-sys = { path = \"../k-sys\", features = [\"fast\"] }\n",
    ),
    Edit("Cargo.toml", "[workspace]", "[workspace]\nmembers = [\"sibling\"]\nresolver = \"2\""),
];

/// Of the same package as the program's, for its tests.
const FOR_TESTS: [super::Step; 1] = [Edit(
    "Cargo.toml",
    "[workspace]",
    "[dev-dependencies]\nk-sys = { path = \"k-sys\", features = [\"fast\"] }\n[workspace]\nresolver = \"2\"",
)];

catalogue! {
    a_feature_that_is_not_forwarded: FAST,
        twin [], fault [Edit("Cargo.toml", "[\"k-sys/fast\"]", "[]")]
        => [("fast inert", "`fast` does not reach it: forward it")];

    a_define_that_nothing_reads: FAST,
        twin [], fault [Edit("k-sys/k.c", "#ifdef FAST", "#ifdef FSAT")]
        => [("fast inert", "the feature reaches the compiler (the stamps differ)")];

    a_feature_that_the_build_script_does_not_read: FAST,
        twin [], fault [Edit("k-sys/build.rs", "[\"FAST\", \"IDLE\"]", "[\"FSAT\", \"IDLE\"]")]
        => [("fast inert", "does not read the feature")];

    /// One more feature renames every symbol, and so the bytes of the file always change.
    an_inert_feature_in_pure_rust: LOST,
        twin [], fault [Edit("src/main.rs", "feature = \"lost\"", "feature = \"lots\"")]
        => [("lost inert", "no code that is compiled asks for `lost`")];

    /// Its twin would be inert to a digest that is blind to data.
    a_toggle_that_changes_only_a_table_of_constants: FAST,
        twin [Write("k-sys/k.c", TABLE)], fault [Edit(FILE, "[\"archive-host\", \"binary\"]", "[\"binary\"]")]
        => [("fast leaking", "table in k.o changed")];

    a_toggle_that_changes_more_than_it_says: FAST,
        twin [], fault [Edit(FILE, "[\"archive-host\", \"binary\"]", "[\"binary\"]")]
        => [("fast leaking", "archive-host changed from base to fast")];

    a_dependency_that_turns_the_feature_on: FAST,
        twin BETWEEN,
        fault [Edit("other/Cargo.toml", "path = \"../k-sys\"", "path = \"../k-sys\", features = [\"fast\"]")]
        => [("base leaking", "feature `fast` of package `k-sys` is on"), ("fast inert", "CPU code of the archive")];

    /// The same from a sibling in the workspace: only what the program itself depends on counts.
    a_sibling_that_turns_the_feature_on: FAST,
        twin SIBLING,
        fault [
            Edit("Cargo.toml", "[dependencies]", "[dependencies]\nsibling = { path = \"sibling\" }"),
            Do(|project| fs::remove_file(project.path().join("Cargo.lock")).expect("removed")),
        ]
        => [("base leaking", "feature `fast` of package `k-sys` is on"), ("fast inert", "CPU code of the archive")];

    /// cargo#10423, cargo#8550: the first resolver gives the program what its tests ask for.
    a_dependency_for_tests_that_turns_the_feature_on: FAST,
        twin FOR_TESTS, fault [Edit("Cargo.toml", "resolver = \"2\"", "resolver = \"1\"")]
        => [("base leaking", "`cargo tree -e features -i k-sys`"), ("fast inert", "CPU code of the archive")];
}
