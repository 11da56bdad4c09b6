//! Tests over whole reports: what they say, that they say the same, and that nothing in them can be broken from outside.

use crate as ablate;

mod agreement;
mod edges;
mod factors;
pub(super) mod fixture;
mod hostile;
mod markup;
mod recorded;
mod snapshots;

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};

use fixture::Fixture;

/// The files of a report by name.
fn written(fixture: &Fixture) -> BTreeMap<String, String> {
    let dir = tempfile::tempdir().unwrap();
    let Fixture { experiment, run, samples, judgement } = fixture;
    super::write(experiment, run, samples, judgement, dir.path()).unwrap();
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), read_to_string(&path).unwrap())
    };
    read_dir(dir.path()).unwrap().map(file).collect()
}

/// The data embedded in a page.
fn data(page: &str) -> serde_json::Value {
    let elements = markup::read(page);
    let script = elements.iter().find(|e| e.attributes.get("id").is_some_and(|id| id == "data")).unwrap();
    serde_json::from_str(&script.text).unwrap()
}

/// The records of a table by column.
fn records(table: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(table.as_bytes()).deserialize().map(|record| record.unwrap()).collect()
}
