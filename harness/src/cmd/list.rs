//! `ablate list`: the experiments and runs of a project.
//!
//! What cannot be read is a row with its error: one bad file never hides the others.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use comfy_table::{Table, presets};

use crate::cli::ListArgs;
use crate::record::{self, Recorded, State};
use crate::{design, experiment, output};

/// Prints both tables.
pub fn run(_args: &ListArgs, root: Option<&Path>) -> anyhow::Result<ExitCode> {
    let root = experiment::find_root(root, Path::new(""))?;
    let experiments = experiments(&root)?;
    let runs = runs(&root)?;
    let experiments = section("experiments/", &["experiment", "arms", "question"], &experiments);
    let runs = section("results/", &["run", "experiment", "state", "blocks", "created"], &runs);
    output::answer(&format!("{experiments}\n{runs}"))?;
    Ok(ExitCode::SUCCESS)
}

/// A row of a table: its name, then its other cells or why there are none.
struct Row {
    name: String,
    cells: anyhow::Result<Vec<String>>,
}

fn section(folder: &str, header: &[&str], rows: &[Row]) -> String {
    if rows.is_empty() {
        return format!("nothing in {folder}\n");
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.to_vec());
    for row in rows.iter().filter(|row| row.cells.is_ok()) {
        let cells = row.cells.iter().flatten().map(|cell| printable(cell));
        table.add_row([printable(&row.name)].into_iter().chain(cells).collect::<Vec<_>>());
    }
    let mut text = String::new();
    if table.row_count() > 0 {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{}", table.trim_fmt());
    }
    for row in rows {
        if let Err(error) = &row.cells {
            let _ = writeln!(text, " {}  error: {}", printable(&row.name), printable(&format!("{error:#}")));
        }
    }
    text
}

/// Names come from files and folders: control characters must not reach the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn experiments(root: &Path) -> anyhow::Result<Vec<Row>> {
    let mut files = entries(&root.join("experiments"))?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    Ok(files.iter().map(|file| Row { name: name_below(root, file), cells: experiment_cells(file, root) }).collect())
}

fn experiment_cells(file: &Path, root: &Path) -> anyhow::Result<Vec<String>> {
    let experiment = experiment::load(file, Some(root))?;
    let plan = design::arms(&experiment)?;
    Ok(vec![plan.arms.len().to_string(), experiment.question])
}

/// The folders of results/ and of results/published/, which is kept under version control.
fn runs(root: &Path) -> anyhow::Result<Vec<Row>> {
    let results = root.join("results");
    let published = results.join("published");
    let mut folders = entries(&results)?;
    folders.retain(|folder| folder.is_dir() && *folder != published);
    folders.extend(entries(&published)?.into_iter().filter(|folder| folder.is_dir()));
    Ok(folders.iter().map(|folder| Row { name: name_below(&results, folder), cells: run_cells(folder) }).collect())
}

fn run_cells(folder: &Path) -> anyhow::Result<Vec<String>> {
    let Recorded { run, samples, .. } = record::read(folder)?;
    let blocks: BTreeSet<u32> = samples.iter().map(|sample| sample.block).collect();
    let state = match run.state {
        State::Measuring => "measuring".to_owned(),
        State::Complete => "complete".to_owned(),
        State::Stopped { reason } => format!("stopped: {reason}"),
    };
    let created = run.created.strftime("%Y-%m-%d %H:%M UTC").to_string();
    Ok(vec![run.experiment, state, blocks.len().to_string(), created])
}

/// What lies in a folder and is not hidden, sorted; nothing where there is no such folder.
fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("cannot read {}", folder.display());
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(context),
    };
    let mut paths: Vec<PathBuf> =
        listing.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>().with_context(context)?;
    // Runs that are just being made have hidden names.
    paths.retain(|path| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")));
    paths.sort();
    Ok(paths)
}

fn name_below(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}
