//! How often a package with an archive is compiled for all combinations of its features and others.

use crate::archives::{FILE, project};

/// The table of a verification, without the words for what was built again and without its alignment.
pub(crate) fn table(text: &str) -> Vec<String> {
    let rows = text.lines().take_while(|line| !line.is_empty());
    let same = |word: &&str| *word != "rebuilt" && *word != "fresh";
    rows.map(|line| line.split_whitespace().filter(same).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn an_archive_is_compiled_once_for_each_of_its_own_sets_of_features_and_not_again() {
    let project = project(&[
        ("fast", "[\"archive-host\", \"binary\"]"),
        ("idle", "[\"binary\"]"),
        // Of the program alone.
        ("lost", "[\"binary\"]"),
    ]);
    let text = std::fs::read_to_string(project.path().join(FILE)).expect("read");
    project.write(FILE, &text.replace("kind = \"add-one\"", "kind = \"full\""));

    let first = project.ablate(&["verify", FILE]);
    let sentence = "\nk-sys was compiled 4 times for 8 arms with 2 distinct archives\n";
    assert!(first.stdout.contains(sentence), "{}\n{}", first.stdout, first.stderr);

    let again = project.ablate(&["verify", FILE]);
    for sentence in ["\nnothing was compiled\n", "\nk-sys was not compiled for 8 arms with 2 distinct archives\n"] {
        assert!(again.stdout.contains(sentence), "{}\n{}", again.stdout, again.stderr);
    }
    assert_eq!(table(&first.stdout), table(&again.stdout));
}
