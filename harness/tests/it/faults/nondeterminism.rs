//! Builds that come out different every time, and sources and settings that move while they are made.

use super::Step::{Edit, Write};
use super::{FAST, catalogue};

/// The build script gives the compiler a number that it puts into the object.
const NONCE: [super::Step; 2] = [
    Edit("k-sys/build.rs", ".args(&defines)", ".args(&defines).arg(format!(\"-DNONCE={}UL\", 7))"),
    Edit("k-sys/k.c", "#include <stdint.h>", "#include <stdint.h>\nunsigned long k_made_by = NONCE;"),
];

/// Where it builds the toggle, the build script does what is put in the place of this comment.
const MEANWHILE: super::Step = Edit(
    "k-sys/build.rs",
    "    let mut manifest",
    "    if env::var_os(\"CARGO_FEATURE_FAST\").is_some() {\n        /* meanwhile */\n    }\n    let mut manifest",
);

catalogue! {
    a_compiler_that_puts_its_process_id_into_the_object: FAST,
        twin NONCE, fault [Edit("k-sys/build.rs", "UL\", 7", "UL\", std::process::id()")]
        => [("base not reproducible", "k_made_by in k.o changed")];

    a_compiler_that_puts_the_time_into_the_object: FAST,
        twin NONCE,
        fault [Edit("k-sys/build.rs", "UL\", 7", "UL\", std::time::UNIX_EPOCH.elapsed().expect(\"now\").as_nanos() as u64")]
        => [("base not reproducible", "k_made_by in k.o changed")];

    /// What base was built from is gone, so that its control build, of the sources as they are now, tells nothing.
    a_source_edited_while_the_matrix_builds: FAST,
        twin [MEANWHILE],
        fault [Edit("k-sys/build.rs", "/* meanwhile */", "fs::write(format!(\"{here}/k.h\"), \"#define K 22\").expect(\"written\");")]
        => [("base inputs moved", "k-sys/k.h changed while the arms were being built")];

    /// Cargo reads its configuration when it starts: what is built after the edit has other flags.
    flags_of_the_compiler_edited_while_the_matrix_builds: &[FAST[0], super::LOST[0]],
        twin [MEANWHILE, Write(".cargo/config.toml", "[build]\nrustflags = [\"--cfg\", \"one\"]\n")],
        fault [Edit(
            "k-sys/build.rs",
            "/* meanwhile */",
            "fs::write(format!(\"{here}/../.cargo/config.toml\"), \"build.rustflags = ['-Copt-level=3']\").expect(\"written\");",
        )]
        => [("base inputs moved", ".cargo/config.toml changed while the arms were being built")];

    /// Already while base is built.
    flags_of_the_compiler_edited_while_base_builds: FAST,
        twin [Write(".cargo/config.toml", "[build]\nrustflags = [\"--cfg\", \"one\"]\n")],
        fault [Edit(
            "k-sys/build.rs",
            "    let mut manifest",
            "    fs::write(format!(\"{here}/../.cargo/config.toml\"), \"build.rustflags = ['-Copt-level=3']\").expect(\"written\");\n    let mut manifest",
        )]
        => [("base inputs moved", ".cargo/config.toml changed while the arms were being built")];
}
