//! `ablate explain`: the provenance of one binary as text.

use insta::{assert_snapshot, with_settings};

use crate::archives::{FILE, HOST_AND_BINARY, project};
use crate::subject::{id, the_run};

#[test]
fn one_binary_and_what_differs_from_another() {
    let project = project(&[("fast", HOST_AND_BINARY)]);
    let answer = project.ablate(&["run", FILE]);
    assert!(matches!(answer.code, Some(0 | 1 | 3)), "{}\n{}", answer.stdout, answer.stderr);
    let run = the_run(&project);
    let root = project.path().canonicalize().expect("it is there").display().to_string();
    let explain = |args: &[&str]| {
        let answer = project.ablate(&[&["explain", id(&run)], args].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        let lines = answer.stdout.lines().filter(|line| !line.starts_with("variable") && !line.contains("/.cargo/"));
        lines.map(|line| line.replace(&root, "ROOT")).collect::<Vec<_>>().join("\n")
    };
    let filters = [
        (r"\d{8}-\d{6}-native(-\d+)?", "RUN"),
        (r"[0-9a-f]{64}", "DIGEST"),
        (r"k-sys-[0-9a-f]{16}", "k-sys-HASH"),
        (r"\d{4,} bytes", "SIZE bytes"),
        (r"(?m)^(cargo|rustc) .*$", "$1 VERSION"),
        (r"bytes became \d+", "bytes became SIZE"),
        (r"\d+ files on disk", "N files on disk"),
    ];
    with_settings!({ filters => filters }, {
        assert_snapshot!("of_base", explain(&["base"]));
        assert_snapshot!("against_base", explain(&["fast", "--against", "base"]));
    });
    let unknown = project.ablate(&["explain", id(&run), "fsat"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("has no arm `fsat`; it has base, base-again, fast"), "{}", unknown.stderr);
}
