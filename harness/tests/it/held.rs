//! `ablate verify` over programs whose executable holds another code than that of their archive.

use crate::support::{Answer, Project};

const FILE: &str = "experiments/native.toml";

/// The project with the archive, its build script and program changed, and one feature that both builds differ by.
fn verify(build_script: &[(&str, &str)], program: &[(&str, &str)]) -> Answer {
    let project = Project::new();
    let changed = |text: &str, changes: &[(&str, &str)]| {
        changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    };
    let files = [
        ("Cargo.toml", include_str!("../fixtures/native/Cargo.toml").to_owned()),
        ("src/main.rs", changed(include_str!("../fixtures/native/src/main.rs"), program)),
        ("k-sys/Cargo.toml", include_str!("../fixtures/native/k-sys/Cargo.toml").to_owned()),
        ("k-sys/build.rs", changed(include_str!("../fixtures/native/k-sys/build.rs"), build_script)),
        ("k-sys/src/lib.rs", include_str!("../fixtures/native/k-sys/src/lib.rs").to_owned()),
        ("k-sys/k.c", include_str!("../fixtures/native/k-sys/k.c").to_owned()),
        ("k-sys/k.h", include_str!("../fixtures/native/k-sys/k.h").to_owned()),
    ];
    for (name, text) in files {
        project.write(name, &text);
    }
    project.write(
        FILE,
        "schema = 1\nname = \"native\"\nquestion = \"?\"\n[target]\npackage = \"native\"\n[[factor]]\nid = \"lost\"\n\
         feature = \"lost\"\n[[archive]]\npackage = \"k-sys\"\nfile = \"libk.a\"\n[design]\nkind = \"add-one\"\n\
         [[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n[measure]\nlooks = [12]\nmin_effect = \"5%\"\n",
    );
    project.ablate(&["verify", FILE])
}

/// Without a stamp only the code can tell.
const NO_STAMP: [(&str, &str); 2] =
    [(".arg(&k).arg(&stamp)", ".arg(&k)"), ("out.join(\"k.manifest\")", "out.join(\"k.txt\")")];

#[test]
fn an_archive_without_a_stamp_that_was_linked_passes() {
    let answer = verify(&NO_STAMP, &[]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
}

#[test]
fn a_second_library_earlier_on_the_link_path_is_found() {
    let search = "println!(\"cargo::rustc-link-search=native={}\", out.display());";
    let second = format!(
        "let other = out.join(\"other\");\n    fs::create_dir_all(&other).expect(\"made\");\n    \
         run(Command::new(\"gcc\").args([\"-O2\", \"-fPIC\", \"-DFAST\", \"-c\"]).arg(format!(\"{{here}}/k.c\")).arg(\"-o\").arg(other.join(\"k.o\")));\n    \
         let _ = fs::remove_file(other.join(\"libk.a\"));\n    \
         run(Command::new(\"ar\").arg(\"crs\").arg(other.join(\"libk.a\")).arg(other.join(\"k.o\")).arg(out.join(\"stamp.o\")));\n    \
         println!(\"cargo::rustc-link-search=native={{}}\", other.display());\n    {search}"
    );
    // With a stamp, too: the second library may well bear the same.
    for script in [&[(search, second.as_str())][..], &[NO_STAMP[0], NO_STAMP[1], (search, &second)]] {
        let answer = verify(script, &[]);
        assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
        for words in ["wrong binary", "k of k.o has another content", "a second libk.a on the link path"] {
            assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
        }
    }
}

#[test]
fn code_that_the_linker_dropped_is_found() {
    let archive = [NO_STAMP[0], NO_STAMP[1], ("static:+whole-archive=k", "static=k")];
    let answer = verify(&archive, &[("println!(\"{}\", k_sys::k());", "")]);
    assert_eq!(answer.code, Some(4), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["wrong binary", "none of the 1 functions and data of"] {
        assert!(answer.stdout.contains(words), "{words}:\n{}", answer.stdout);
    }
}
