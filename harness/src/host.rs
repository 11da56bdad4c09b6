//! The machine, the toolchain and the state of the project's repository, as they are recorded with a run.
//!
//! What cannot be read is left out or empty; it never fails a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use git2::{DiffOptions, Repository};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::build::store::hex;
use crate::gpu;
use crate::record::{Git, Host};

/// This machine.
pub fn host() -> Host {
    let (mut gpus, mut driver) = (gpus(), driver());
    if gpus.is_empty()
        && let Some(found) = gpu::inventory()
    {
        gpus = found.gpus.into_iter().map(|gpu| gpu.name).collect();
        driver = driver.or(Some(found.driver));
    }
    Host {
        name: name(),
        os: format!("{} {}", line("/proc/sys/kernel/ostype"), line("/proc/sys/kernel/osrelease")),
        cpu: field("/proc/cpuinfo", "model name").unwrap_or_default(),
        cpus: std::thread::available_parallelism().ok().and_then(|cpus| u32::try_from(cpus.get()).ok()).unwrap_or(1),
        memory_bytes: memory_bytes().unwrap_or_default(),
        gpus,
        driver,
    }
}

/// The time of this machine's clock. One beyond what can be written, the years −9999 to 9999, is the nearest that can.
pub fn now() -> Timestamp {
    timestamp(SystemTime::now())
}

fn timestamp(time: SystemTime) -> Timestamp {
    let bound = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(bound)
}

/// This machine's name.
pub fn name() -> String {
    line("/proc/sys/kernel/hostname")
}

fn line(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// The first value of a file of `name : value` lines.
pub(crate) fn field(path: impl AsRef<Path>, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

fn memory_bytes() -> Option<u64> {
    let kibibytes: u64 = field("/proc/meminfo", "MemTotal")?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn gpus() -> Vec<String> {
    let Ok(folders) = fs::read_dir("/proc/driver/nvidia/gpus") else { return Vec::new() };
    let mut models: Vec<_> =
        folders.filter_map(|folder| field(folder.ok()?.path().join("information"), "Model")).collect();
    models.sort();
    models
}

/// The kernel module's version is the first number with a point in its line.
fn driver() -> Option<String> {
    let text = fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let words = text.lines().next()?.split_whitespace();
    words
        .into_iter()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
}

/// Versions of the programs that build, as `PATH` finds them in the project's root.
pub fn toolchains(root: &Path) -> BTreeMap<String, String> {
    ["cargo", "rustc"]
        .into_iter()
        .filter_map(|program| {
            let output = Command::new(program).arg("--version").current_dir(root).output().ok()?;
            let said = String::from_utf8_lossy(&output.stdout);
            Some((program.to_owned(), said.trim().trim_start_matches(program).trim().to_owned()))
        })
        .collect()
}

/// The commit and what differs from it. `None` outside of a repository and before its first commit.
pub fn git(root: &Path) -> Option<Git> {
    let repository = Repository::discover(root).ok()?;
    let commit = repository.head().ok()?.peel_to_commit().ok()?;
    Some(Git { commit: commit.id().to_string(), dirty_digest: dirty_digest(&repository, root)? })
}

/// SHA-256 over the differences of the working tree from HEAD, new files included. What runs leave behind is no
/// difference. The outer `None`: git could not tell.
#[expect(clippy::option_option, reason = "unknown and clean are two things")]
fn dirty_digest(repository: &Repository, root: &Path) -> Option<Option<String>> {
    let head = repository.head().ok()?.peel_to_tree().ok()?;
    let project = root.canonicalize().ok()?.strip_prefix(repository.workdir()?.canonicalize().ok()?).ok()?.to_owned();
    let left_behind = ["results", "reports"].map(|folder| project.join(folder));
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).show_untracked_content(true).show_binary(true);
    let differences = repository.diff_tree_to_workdir_with_index(Some(&head), Some(&mut options)).ok()?;
    let mut hasher = Sha256::new();
    let mut any = false;
    let print = differences.print(git2::DiffFormat::Patch, |delta, _, line| {
        let path = delta.new_file().path().or(delta.old_file().path());
        if !path.is_some_and(|path| left_behind.iter().any(|folder| path.starts_with(folder))) {
            any = true;
            hasher.update([line.origin() as u8]);
            hasher.update(line.content());
        }
        true
    });
    print.ok()?;
    Some(any.then(|| hex(&hasher.finalize())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name_cpus_and_memory() {
        let host = host();
        assert!(!host.name.is_empty() && host.os.starts_with("Linux "), "{host:?}");
        assert!(host.cpus > 0 && host.memory_bytes > 1 << 20, "{host:?}");
    }

    #[test]
    fn a_clock_beyond_the_year_9999_is_no_panic() {
        let far = std::time::Duration::from_mins(5_000_000_000);
        let end = timestamp(SystemTime::UNIX_EPOCH + far);
        assert_eq!(end.strftime("%Y%m%d").to_string(), "99991230");
        assert!(timestamp(SystemTime::UNIX_EPOCH - far).strftime("%Y").to_string().starts_with('-'));
        assert_eq!(timestamp(SystemTime::UNIX_EPOCH), Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn a_change_and_a_new_file_make_a_tree_dirty_and_results_do_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        assert_eq!(git(root), None);
        let repository = Repository::init(root).expect("a repository");
        assert_eq!(git(root), None);
        fs::write(root.join("a"), "1").expect("written");
        let mut index = repository.index().expect("an index");
        index.add_path(Path::new("a")).expect("added");
        index.write().expect("written");
        let tree = repository.find_tree(index.write_tree().expect("a tree")).expect("found");
        let author = git2::Signature::now("a", "a@example.com").expect("a signature");
        let commit = repository.commit(Some("HEAD"), &author, &author, "a", &tree, &[]).expect("a commit");

        fs::create_dir(root.join("results")).expect("made");
        fs::write(root.join("results/x"), "1").expect("written");
        assert_eq!(git(root), Some(Git { commit: commit.to_string(), dirty_digest: None }));
        let dirty = || git(root).expect("a repository").dirty_digest.expect("dirty");
        fs::write(root.join("a"), "2").expect("written");
        let changed = dirty();
        fs::write(root.join("a"), "3").expect("written");
        assert_ne!(dirty(), changed);
        fs::write(root.join("a"), "1").expect("written");
        fs::write(root.join("new"), "1").expect("written");
        assert_ne!(dirty(), changed);
    }
}
