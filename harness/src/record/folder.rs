//! The folder of a run: made whole or not at all, written by one process at a time.

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::lock::Lock;
use super::{ArchiveParts, Format, Run, Sample, check, parts, samples};

const EXPERIMENT: &str = "experiment.toml";
const RUN: &str = "run.json";
const SAMPLES: &str = "samples.jsonl";

/// An open run folder: this process alone writes it.
#[derive(Debug)]
pub struct RunFolder {
    /// Canonical: the marks of the run's processes are made from it.
    path: PathBuf,
    samples: File,
    _lock: Lock,
}

/// A run as it was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// `run.json`.
    pub run: Run,
    /// `samples.jsonl`, without a last line that a kill has cut.
    pub samples: Vec<Sample>,
    /// What the reader should know of the reading.
    pub notices: Vec<String>,
}

impl RunFolder {
    /// Makes the folder of a new run in `results`, named by [`Run::id`], or that and a number where the name is taken;
    /// the id is then changed. The folder appears complete, under its name, or not at all.
    pub fn create(results: &Path, source: &str, run: &mut Run, archives: &[ArchiveParts]) -> Result<Self> {
        fs::create_dir_all(results).with_context(|| format!("cannot make {}", results.display()))?;
        let making = tempfile::Builder::new()
            .prefix(".making-")
            .permissions(Permissions::from_mode(0o777))
            .tempdir_in(results)
            .with_context(|| format!("cannot make a run in {}", results.display()))?;
        let lock = Lock::take(making.path())?;
        let write = |name: &str, content: &[u8]| {
            write_synced(&making.path().join(name), content)
                .with_context(|| format!("cannot write {name} of a new run"))
        };
        write(EXPERIMENT, source.as_bytes())?;
        write(SAMPLES, b"")?;
        if !archives.is_empty() {
            fs::create_dir(making.path().join(parts::FOLDER)).context("cannot make a new run")?;
        }
        for archive in archives {
            let file = making.path().join(archive.place());
            write_synced(&file, archive.json()?.as_bytes())
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        run.question = Some(check::digest(source));
        let wanted = run.id.clone();
        for number in 1..=100 {
            if number > 1 {
                run.id = format!("{wanted}-{number}");
            }
            write(RUN, &json(run)?)?;
            let path = results.join(&run.id);
            match fs::rename(making.path(), &path) {
                Ok(()) => {
                    let _ = making.keep();
                    sync_folder(results)?;
                    let path = fs::canonicalize(&path).with_context(|| format!("cannot find {}", path.display()))?;
                    let samples = samples::open(&path.join(SAMPLES), 0)?;
                    return Ok(Self { path, samples, _lock: lock });
                }
                Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory) => {}
                Err(error) => return Err(error).with_context(|| format!("cannot make {}", path.display())),
            }
        }
        bail!("{} has a hundred runs of one name within a second", results.display())
    }

    /// Opens a run to go on with it. A last line that a kill has cut is removed, which a notice tells.
    pub fn resume(path: &Path) -> Result<(Self, Recorded)> {
        expect_run(path)?;
        let lock = Lock::take(path)?;
        let run = read_run(path)?;
        let contents = samples::read(&path.join(SAMPLES))?;
        check::of_one_run(path, &run, &contents.samples)?;
        let samples = samples::open(&path.join(SAMPLES), contents.whole_bytes)?;
        let notices = cut_notice(contents.cut_bytes, "removed").into_iter().collect();
        let recorded = Recorded { run, samples: contents.samples, notices };
        Ok((Self { path: path.to_owned(), samples, _lock: lock }, recorded))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The experiment as it was read.
    pub fn experiment(&self) -> PathBuf {
        self.path.join(EXPERIMENT)
    }

    /// Appends a sample and waits until it is on the disk.
    pub fn append(&mut self, sample: &Sample) -> Result<()> {
        samples::append(&mut self.samples, sample)
    }

    /// Replaces `run.json` in one step.
    pub fn save(&self, run: &Run) -> Result<()> {
        let save = || -> Result<()> {
            // As open to others as every other file: the user's umask decides.
            let permissions = Permissions::from_mode(0o666);
            let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(&self.path)?;
            file.write_all(&json(run)?)?;
            file.as_file().sync_all()?;
            file.persist(self.path.join(RUN))?;
            sync_folder(&self.path)
        };
        save().with_context(|| format!("cannot write {}", self.path.join(RUN).display()))
    }
}

/// Reads a run without taking its lock, also while it is being measured.
pub fn read(path: &Path) -> Result<Recorded> {
    expect_run(path)?;
    let run = read_run(path)?;
    let contents = samples::read(&path.join(SAMPLES))?;
    check::of_one_run(path, &run, &contents.samples)?;
    let notices = cut_notice(contents.cut_bytes, "left out").into_iter().collect();
    Ok(Recorded { run, samples: contents.samples, notices })
}

/// The folder of a run that is named as on the command line: by its id, or by its folder.
pub fn locate(root: &Path, run: &str) -> Result<PathBuf> {
    let candidates = [root.join("results").join(run), PathBuf::from(run)];
    match candidates.iter().find(|path| path.join(RUN).is_file()) {
        Some(path) => fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display())),
        None => bail!(
            "there is no run `{run}` in {}, and no folder of that name with a {RUN}; `ablate list` shows the runs",
            root.join("results").display()
        ),
    }
}

/// Makes sure that a folder of the project can be written later, without making it: a run that cannot be written must
/// be found before anything is built.
pub fn check_writable(folder: &Path) -> Result<()> {
    let probed = match (fs::metadata(folder), fs::symlink_metadata(folder)) {
        (Ok(_), _) => folder,
        (Err(error), Ok(_)) => {
            return Err(error).with_context(|| {
                format!("{} is a link that leads nowhere; remove it, or make the folder it names", folder.display())
            });
        }
        (Err(_), Err(_)) => folder.parent().unwrap_or(folder),
    };
    tempfile::tempfile_in(probed).map(drop).with_context(|| {
        format!("cannot write into {}; make it a writable folder, or name another root with -C", folder.display())
    })
}

fn expect_run(path: &Path) -> Result<()> {
    if path.join(RUN).is_file() {
        return Ok(());
    }
    bail!("{} is not a run: it has no {RUN}", path.display())
}

/// The version is looked at before the rest: another major version may mean anything.
fn read_run(folder: &Path) -> Result<Run> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        format: Format,
    }
    let path = folder.join(RUN);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let damaged = || format!("{} is damaged", path.display());
    let Versioned { format } = serde_json::from_str(&text).with_context(damaged)?;
    if format.major != Format::CURRENT.major {
        bail!(
            "{} has format {}.{}, this program reads {}.x; use the version that wrote it",
            path.display(),
            format.major,
            format.minor,
            Format::CURRENT.major
        );
    }
    let run: Run = serde_json::from_str(&text).with_context(damaged)?;
    if !is_plain_name(&run.id) {
        bail!("{} is damaged: its id {:?} is not the name of a folder", path.display(), run.id);
    }
    Ok(run)
}

/// Reports are written under a run's id: it must not lead anywhere else.
fn is_plain_name(id: &str) -> bool {
    !id.is_empty() && !id.starts_with('.') && !id.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

fn cut_notice(bytes: u64, done: &str) -> Option<String> {
    (bytes > 0).then(|| format!("the last line of samples.jsonl was cut after {bytes} bytes and was {done}: no sample"))
}

fn json(run: &Run) -> Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(run).context("cannot write the run as JSON")?;
    json.push(b'\n');
    Ok(json)
}

fn write_synced(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).with_context(|| format!("cannot sync {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;

    use super::*;
    use crate::record::{Conditions, Exit, Host, Role, RunArm, State, Status};

    fn run() -> Run {
        Run {
            format: Format::CURRENT,
            id: "20261130-151604-x".into(),
            experiment: "x".into(),
            created: Timestamp::UNIX_EPOCH,
            state: State::Measuring,
            host: Host {
                name: "h".into(),
                os: "Linux".into(),
                cpu: "c".into(),
                cpus: 2,
                memory_bytes: 1,
                gpus: Vec::new(),
                driver: None,
            },
            git: None,
            toolchains: BTreeMap::new(),
            seed: 1,
            arms: vec![RunArm::new("base", Role::Base)],
            builds: Vec::new(),
            findings: Vec::new(),
            notices: Vec::new(),
            provenance: None,
            bundle: None,
            question: None,
        }
    }

    fn sample(block: u32) -> Sample {
        Sample {
            block,
            position: 0,
            arm: "base".into(),
            bench: "b\n".into(),
            started: Timestamp::UNIX_EPOCH,
            binary: None,
            status: Status::Failed,
            reason: Some("line\nbreaks".into()),
            cold: None,
            warm: Vec::new(),
            facts: BTreeMap::new(),
            proof: None,
            conditions: Conditions::default(),
            exit: Exit::Timeout { limit_ns: 1 },
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let results = tempfile::tempdir().expect("a folder");
        let mut run = run();
        let mut folder = RunFolder::create(&results.path().join("results"), "text", &mut run, &[]).expect("made");
        for block in 0..3 {
            folder.append(&sample(block)).expect("appended");
        }
        run.state = State::Stopped { reason: "enough".into() };
        folder.save(&run).expect("saved");
        let recorded = read(folder.path()).expect("read");
        assert_eq!(recorded, Recorded { run, samples: (0..3).map(sample).collect(), notices: Vec::new() });
        assert_eq!(fs::read_to_string(folder.experiment()).expect("a file"), "text");
        let left: Vec<_> = fs::read_dir(results.path().join("results")).expect("listed").collect();
        assert_eq!(left.len(), 1, "nothing half made is left: {left:?}");
    }

    #[test]
    fn runs_of_one_second_have_two_names() {
        let results = tempfile::tempdir().expect("a folder");
        let (mut first, mut second) = (run(), run());
        let one = RunFolder::create(results.path(), "", &mut first, &[]).expect("made");
        let two = RunFolder::create(results.path(), "", &mut second, &[]).expect("made");
        assert_eq!((first.id.as_str(), second.id.as_str()), ("20261130-151604-x", "20261130-151604-x-2"));
        assert_eq!(read(two.path()).expect("read").run.id, second.id);
        assert_ne!(one.path(), two.path());
    }

    #[test]
    fn an_id_that_leads_elsewhere_is_refused() {
        let results = tempfile::tempdir().expect("a folder");
        let mut run = run();
        let folder = RunFolder::create(results.path(), "", &mut run, &[]).expect("made");
        for id in ["../../evil", "/tmp/evil", "a/b", "..", ".", "", "a\n"] {
            run.id = id.to_owned();
            folder.save(&run).expect("saved");
            let refused = read(folder.path()).expect_err(id).to_string();
            assert!(refused.contains("run.json is damaged") && refused.contains(&format!("{id:?}")), "{refused}");
        }
    }

    /// The mode of a file made without further ado tells the umask.
    #[test]
    fn every_file_is_as_open_as_the_umask_says() {
        let results = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        let (file, subfolder) = (results.path().join("file"), results.path().join("folder"));
        fs::write(&file, "").expect("written");
        fs::create_dir(&subfolder).expect("made");
        let mut run = run();
        let folder = RunFolder::create(&results.path().join("results"), "", &mut run, &[]).expect("made");
        folder.save(&run).expect("saved");
        assert_eq!(mode(folder.path()), mode(&subfolder));
        for entry in fs::read_dir(folder.path()).expect("listed") {
            let path = entry.expect("an entry").path();
            assert_eq!(mode(&path), mode(&file), "{}", path.display());
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_is_no_folder() {
        let root = tempfile::tempdir().expect("a folder");
        let results = root.path().join("results");
        assert!(check_writable(&results).is_ok());
        std::os::unix::fs::symlink(root.path().join("gone"), &results).expect("linked");
        let refused = check_writable(&results).expect_err("nowhere").to_string();
        assert!(refused.contains("a link that leads nowhere; remove it"), "{refused}");
        fs::create_dir(root.path().join("gone")).expect("made");
        assert!(check_writable(&results).is_ok());
    }

    #[test]
    fn a_folder_has_one_writer() {
        let results = tempfile::tempdir().expect("a folder");
        let mut run = run();
        let folder = RunFolder::create(results.path(), "", &mut run, &[]).expect("made");
        let refused = RunFolder::resume(folder.path()).expect_err("locked").to_string();
        assert!(refused.contains(&format!("is being written by process {}", std::process::id())), "{refused}");
        let path = folder.path().to_owned();
        drop(folder);
        assert_eq!(RunFolder::resume(&path).expect("free").1.run, run);
    }

    #[test]
    fn another_major_version_is_refused_and_says_so() {
        let results = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(results.path(), "", &mut run(), &[]).expect("made");
        fs::write(folder.path().join(RUN), r#"{"format":{"major":2,"minor":3},"news":1}"#).expect("written");
        let refused = read(folder.path()).expect_err("refused").to_string();
        assert!(refused.contains("has format 2.3, this program reads 1.x"), "{refused}");
        assert!(read(results.path()).expect_err("no run").to_string().contains("is not a run"));
    }
}
