//! Reads an experiment file: text to wire types to checked values, with every error at its line.

use std::fs;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::error::{LoadError, Place, Problem, hint};
use super::{Experiment, locate, validate, wire};

/// Reads and checks the experiment in `file`. The project's root is `root` where it is given, else the folder of the
/// nearest Cargo.toml at or above the file.
pub fn load(file: &Path, root: Option<&Path>) -> Result<Experiment, LoadError> {
    let source = fs::read_to_string(file).map_err(|source| LoadError::Unreadable { file: file.into(), source })?;
    let text = Text { file, source: &source };
    text.check_schema()?;
    let wire = text.read()?;
    let root = find_root(root, file.parent().unwrap_or(Path::new("")))?;
    let mut experiment = validate::experiment(wire, root).map_err(|problem| text.value_error(problem))?;
    experiment.file = file.into();
    experiment.source = source;
    Ok(experiment)
}

/// The project's root as an absolute path: `named` (by `-C`) where it is given, else the folder of the nearest Cargo.toml
/// in `start` or above. An empty `start` is the current folder.
pub fn find_root(named: Option<&Path>, start: &Path) -> Result<PathBuf, LoadError> {
    if let Some(named) = named {
        return enter(named);
    }
    let from = if start.as_os_str().is_empty() { Path::new(".") } else { start };
    let absolute = enter(from)?;
    absolute
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| LoadError::NoRoot { from: from.into() })
}

fn enter(root: &Path) -> Result<PathBuf, LoadError> {
    let bad = |source| LoadError::BadRoot { root: root.into(), source };
    let absolute = root.canonicalize().map_err(bad)?;
    fs::read_dir(&absolute).map_err(bad)?;
    Ok(absolute)
}

/// The file's text, which turns offsets and keys into places.
struct Text<'a> {
    file: &'a Path,
    source: &'a str,
}

impl Text<'_> {
    /// Refuses another schema before its keys are called unknown.
    fn check_schema(&self) -> Result<(), LoadError> {
        let table = DeTable::parse(self.source).map_err(|error| LoadError::Syntax {
            place: self.place_at(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let text = match table.get_ref().get("schema").map(toml::Spanned::get_ref) {
            Some(DeValue::Integer(number)) if number.as_str() == wire::SCHEMA.to_string() => return Ok(()),
            Some(_) => format!("this program reads schema {} alone; write `schema = {0}`", wire::SCHEMA),
            None => format!("missing; write `schema = {}` on the first line", wire::SCHEMA),
        };
        Err(self.value_error(Problem::new("schema", text)))
    }

    fn read(&self) -> Result<wire::File, LoadError> {
        let deserializer = toml::Deserializer::parse(self.source).map_err(|error| self.read_error("", &error))?;
        serde_path_to_error::deserialize(deserializer)
            .map_err(|error| self.read_error(&error.path().to_string(), error.inner()))
    }

    fn read_error(&self, path: &str, error: &toml::de::Error) -> LoadError {
        let place = self.place_at(error.span().map_or(0, |span| span.start));
        let message = error.message();
        let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        match names.as_slice() {
            [key, known @ ..] if message.starts_with("unknown field") => {
                LoadError::UnknownKey { place, key: (*key).to_owned(), table: table_of(path), hint: hint(key, known) }
            }
            [key] if message.starts_with("missing field") => {
                let key = if path == "." { (*key).to_owned() } else { format!("{path}.{key}") };
                LoadError::Value { place, text: missing(&key), key }
            }
            _ => LoadError::Value { place, key: path.to_owned(), text: rephrase(path, message) },
        }
    }

    fn value_error(&self, problem: Problem) -> LoadError {
        let line = locate::line_of_key(self.source, &problem.key);
        LoadError::Value { place: Place { file: self.file.into(), line }, key: problem.key, text: problem.text }
    }

    fn place_at(&self, offset: usize) -> Place {
        Place { file: self.file.into(), line: locate::line_at(self.source, offset) }
    }
}

/// What to write where a required key is missing.
fn missing(key: &str) -> String {
    let example = match key.rsplit('.').next().unwrap_or(key) {
        "measure" => "add a [measure] table with `looks` and `min_effect`",
        "looks" => "name the numbers of blocks at which to judge, such as `looks = [16, 24]`",
        "min_effect" => "name the smallest change that matters to you, such as `min_effect = \"1%\"`",
        "metric" => "name what is compared: `total`, `span`, `peak_rss` or a phase",
        "question" => "say what the experiment asks, in one sentence",
        "package" => "name the Cargo package",
        "id" | "name" => "give it a short name of its own",
        "command" => "name the program and its leading arguments, such as `command = [\"peer\", \"prove\"]`",
        "args" => "name the arguments, such as `args = [\"setup\"]`",
        "kind" => "write \"full\", \"add-one\" or \"list\"",
        "file" => "name the archive's file, such as `file = \"libnative.a\"`",
        "version" => "name the toolkit's version, such as `version = \"13.0\"`",
        "arch" => "name the architectures, such as `arch = [\"sm_90\"]`",
        _ => "this key is required",
    };
    format!("missing; {example}")
}

/// Serde's words for a wrong type, in those of the file.
fn rephrase(path: &str, message: &str) -> String {
    if path.contains(['.', '[']) || !message.contains("expected a sequence") {
        return message
            .replace("expected a sequence", "expected a list")
            .replace("sequence", "list")
            .replace("map", "table")
            .replace("expected i64", "expected a whole number")
            .replace("expected f64", "expected a number");
    }
    format!("expected tables; write [[{path}]]")
}

/// The table that the last key of a path stands in, as a phrase.
fn table_of(path: &str) -> String {
    let Some((table, _)) = path.rsplit_once('.') else { return "at the top level".into() };
    match table.strip_suffix(']').and_then(|table| table.rsplit_once('[')) {
        Some((list, _)) => format!("in [[{list}]]"),
        None => format!("in [{table}]"),
    }
}
