//! `ablate report`: the same files again from the samples alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::subject::{FILE, experiment, id, project, the_run};

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("a report").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), fs::read_to_string(&path).expect("text"))).collect()
}

#[test]
fn a_report_is_made_again_from_samples_alone() {
    let project = project();
    project.write(FILE, &experiment(&["slow"], &[], "[8]"));
    let first = project.ablate(&["run", FILE]);
    let run = the_run(&project);
    let folder = project.path().join("reports").join(id(&run));
    let written = files(&folder);
    assert_eq!(written.len(), 7, "{:?}", written.keys());

    fs::remove_dir_all(&folder).expect("removed");
    fs::remove_file(project.path().join(FILE)).expect("removed");
    let again = project.ablate(&["report", id(&run)]);
    assert_eq!(again.code, first.code, "{}", again.stderr);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(files(&folder), written);

    let by_folder = project.ablate(&["report", &format!("results/{}", id(&run)), id(&run)]);
    assert_eq!((by_folder.code, files(&folder)), (first.code, written), "{}", by_folder.stderr);
}

#[test]
fn a_run_that_is_not_there_is_named() {
    let answer = project().ablate(&["report", "yesterday"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("`yesterday`") && answer.stderr.contains("ablate list"), "{}", answer.stderr);
}
