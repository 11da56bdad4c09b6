//! Other people's projects: workspaces elsewhere with their own settings, and archives of any `-sys` crate.

use std::fs;
use std::process::Command;

use crate::subject::{run_json, sample_lines, the_run};
use crate::support::Project;

/// The triple of this machine.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let said = String::from_utf8(output.stdout).expect("text");
    said.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned()
}

#[test]
fn a_workspace_elsewhere_is_built_by_its_own_settings() {
    let (here, there) = (Project::new(), Project::new());
    // Cargo would stop at this file if it were started here.
    here.write("rust-toolchain.toml", "[toolchain]\nchannel = \"no-such-toolchain\"\n");
    there.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"2\"\nmembers = [\"program\"]\n[profile.release]\nopt-level = 0\n",
    );
    fs::remove_dir_all(there.path().join("src")).expect("removed");
    there.write(
        "program/Cargo.toml",
        "[package]\nname = \"program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[features]\nfast = []\n",
    );
    there.write(
        "program/src/main.rs",
        "#[cfg(not(seen))]\ncompile_error!(\"the configuration was not read\");\nfn main() {\n    \
         println!(\"{} {}\", env!(\"SEEN\"), cfg!(feature = \"fast\"));\n}\n",
    );
    there.write(
        ".cargo/config.toml",
        &format!(
            "[build]\ntarget = \"{}\"\ntarget-dir = \"elsewhere\"\nrustflags = [\"--cfg\", \"seen\"]\n[env]\nSEEN = \"1\"\n\
             [alias]\nbuild-all = \"build --workspace\"\n",
            host()
        ),
    );
    let manifest = there.path().join("program/Cargo.toml");
    here.write(
        "x.toml",
        &format!(
            "schema = 1\nname = \"x\"\nquestion = \"?\"\n[target]\nmanifest = {manifest:?}\npackage = \"program\"\n\
             [[factor]]\nid = \"F\"\nfeature = \"fast\"\n[[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n\
             [measure]\nlooks = [8]\nmin_effect = \"5%\"\n"
        ),
    );
    let answer = here.ablate(&["verify", "x.toml", "--json"]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    assert!(there.has("elsewhere/ablate"), "it has its own target folder");
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).expect("one JSON object");
    assert_eq!(json["arms"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["provenance"]["control"]["differing"], serde_json::json!([]));
    let settings = json["provenance"]["settings"].as_object().expect("an object");
    assert!(settings.keys().any(|file| file.ends_with(".cargo/config.toml")), "{settings:?}");
}

/// A program that multiplies points by blst, whose feature `portable` it passes on.
#[test]
#[ignore = "needs the registry, and compiles blst three times"]
fn an_experiment_over_a_feature_of_blst_verifies_and_measures() {
    let project = Project::new();
    project.write(
        "Cargo.toml",
        "[package]\nname = \"points\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[features]\nportable = [\"blst/portable\"]\n\
         [dependencies]\nblst = \"0.3.16\"\n[workspace]\n",
    );
    project.write(
        "src/main.rs",
        "use blst::min_pk::SecretKey;\n\nfn main() {\n    let key = SecretKey::key_gen(&[7; 32], &[]).unwrap();\n    \
         for at in 0..8u8 {\n        assert_eq!(key.sign(&[at], b\"tag\", &[]).compress().len(), 96);\n    }\n}\n",
    );
    project.write(
        "blst.toml",
        "schema = 1\nname = \"blst\"\nquestion = \"What does the portable build of blst cost?\"\n[target]\npackage = \"points\"\n\
         [[archive]]\npackage = \"blst\"\nfile = \"libblst.a\"\n[[factor]]\nid = \"P\"\nfeature = \"portable\"\n\
         changes = [\"archive-host\", \"binary\"]\n[[bench]]\nname = \"sign\"\nparse = \"process\"\nmetric = \"span\"\n\
         [measure]\nlooks = [10]\nmin_effect = \"5%\"\n",
    );
    let answer = project.ablate(&["run", "blst.toml"]);
    assert!(matches!(answer.code, Some(0 | 1 | 3)), "{:?}\n{}\n{}", answer.code, answer.stdout, answer.stderr);
    let run = the_run(&project);
    let json = run_json(&run);
    assert_eq!(json["findings"], serde_json::json!([]));
    assert_eq!(json["provenance"]["control"]["differing"], serde_json::json!([]));
    let samples = sample_lines(&run);
    assert_eq!(samples.len(), 3 * 10);
    assert!(samples.iter().all(|line| line.contains("\"status\":\"ok\"")), "{samples:?}");
    let id = run.file_name().expect("a name").to_str().expect("text");
    let explained = project.ablate(&["explain", id, "P", "--against", "base"]);
    assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    assert!(explained.stdout.contains("libblst.a"), "{}", explained.stdout);
}

#[test]
fn an_archive_of_c_plus_plus_is_verified_like_one_of_c() {
    let project = crate::archives::project(&[("fast", crate::archives::HOST_AND_BINARY)]);
    let script = include_str!("../fixtures/native/k-sys/build.rs").replace("\"gcc\"", "\"g++\"").replace("k.c", "k.cc");
    // C++ keeps a constant to its own file unless it is told otherwise.
    let script = script.replace("format!(\"__attribute__", "format!(\"extern \\\"C\\\" __attribute__");
    assert!(script.contains("extern"), "{script}");
    project.write("k-sys/build.rs", &script);
    fs::remove_file(project.path().join("k-sys/k.c")).expect("removed");
    project.write(
        "k-sys/k.cc",
        "#include \"k.h\"\n#include <cstdint>\nnamespace {\ntemplate <typename T> T times(T n) {\n#ifdef FAST\n    return K * n;\n\
         #else\n    return K + n;\n#endif\n}\n}\nextern \"C\" uint32_t k() { return times<uint32_t>(3); }\n",
    );
    let answer = crate::archives::verify(&project, 0);
    assert!(answer.stdout.contains("host changed, as declared"), "{}", answer.stdout);
}
