//! `ablate report`: pages and tables again from recorded samples. Nothing is built or measured.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::bundle;
use crate::cli::ReportArgs;
use crate::experiment::{self, Experiment};
use crate::judge::{Outcome, judge, outcome};
use crate::output;
use crate::record::{Run, Sample, locate, of_experiment, read};
use crate::report::{self, terminal};

/// The order in which one outcome outranks another.
const WORST_FIRST: [Outcome; 6] = [
    Outcome::BuildFinding,
    Outcome::NothingMeasured,
    Outcome::Unfit,
    Outcome::Regression,
    Outcome::Inconclusive,
    Outcome::Clean,
];

/// Judges the runs again and writes their reports. The exit code is that of the run that came out worst; a run that cannot
/// be reported on is an error, which never keeps the others from theirs.
pub fn run(args: &ReportArgs, root: Option<&Path>) -> Result<ExitCode> {
    let root = experiment::find_root(root, Path::new(""))?;
    let again = |name: &String| again(name, &root).with_context(|| format!("cannot report on run `{name}`"));
    let mut outcomes = Vec::new();
    let mut failed = None;
    for name in &args.runs {
        match again(name) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => {
                if let Some(earlier) = failed.replace(error) {
                    output::say(&format!("error: {earlier:#}"));
                }
            }
        }
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let worst = WORST_FIRST.into_iter().find(|outcome| outcomes.contains(outcome));
    Ok(ExitCode::from(worst.unwrap_or(Outcome::Clean).code()))
}

fn again(name: &str, root: &Path) -> Result<Outcome> {
    let file = Path::new(name);
    let folder = if file.is_file() { bundle::import(file, root)? } else { locate(root, name)? };
    let mut recorded = read(&folder)?;
    recorded.run.notices.append(&mut recorded.notices);
    let experiment = experiment::load(&folder.join("experiment.toml"), Some(root))?;
    of_experiment(&experiment, &folder, &recorded.run, &recorded.samples)?;
    conclude(&experiment, &recorded.run, &recorded.samples, &destination(&folder, root, &recorded.run.id))
}

/// Judges a run, writes its report into `dir` and prints the table.
pub(super) fn conclude(experiment: &Experiment, run: &Run, samples: &[Sample], dir: &Path) -> Result<Outcome> {
    let judgement = judge(experiment, run, samples);
    report::write(experiment, run, samples, &judgement, dir)?;
    let table = terminal::table(&judgement, run, style());
    output::answer(&format!("{table}\nreport: {}\n", dir.join("index.html").display()))?;
    Ok(outcome(run, &judgement))
}

/// Where the report of a run lies: in reports/ as the run lies in results/.
pub(super) fn destination(folder: &Path, root: &Path, id: &str) -> PathBuf {
    let results = root.join("results");
    let results = results.canonicalize().unwrap_or(results);
    root.join("reports").join(folder.strip_prefix(results).unwrap_or(Path::new(id)))
}

/// Colour on a terminal, unless `NO_COLOR` is set; as wide as the terminal.
fn style() -> terminal::Style {
    let colour = stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = comfy_table::Table::new().width().unwrap_or(terminal::Style::PLAIN.width);
    terminal::Style { colour, width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_lie_as_results_do() {
        let place = |folder: &str| destination(Path::new(folder), Path::new("/p"), "id");
        assert_eq!(place("/p/results/r1"), Path::new("/p/reports/r1"));
        assert_eq!(place("/p/results/published/r1"), Path::new("/p/reports/published/r1"));
        assert_eq!(place("/elsewhere/r1"), Path::new("/p/reports/id"));
    }
}
