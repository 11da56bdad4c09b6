//! Finding the processes that a sample left behind.
//!
//! Every process of a sample inherits a mark in its environment, so one that left the process group is still found by
//! looking through `/proc`. A process that clears its environment and leaves the group escapes; nothing short of a
//! container would hold it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use sha2::{Digest, Sha256};

use crate::build::store::hex;

/// The environment variable that carries the mark.
pub(crate) const VARIABLE: &str = "ABLATE_SAMPLE";

/// What tells one sample's processes from all others. Its length never varies, so that neither does the size of a
/// sample's environment, on which the alignment of its stack depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

impl Mark {
    /// The mark of the sample with that number in the run whose folder this is.
    pub fn new(run: &Path, number: u32) -> Self {
        Self(format!("{}{number:010}", run_prefix(run)))
    }

    /// The variable's value.
    pub fn value(&self) -> &str {
        &self.0
    }
}

/// 16 hexadecimal digits and a hyphen, the same for all samples of a run.
fn run_prefix(run: &Path) -> String {
    let digest = hex(&Sha256::digest(run.as_os_str().as_encoded_bytes()));
    format!("{}-", &digest[..16])
}

/// A process that carries a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leftover {
    pub(super) pid: Pid,
    /// Its command line.
    pub(super) command: String,
}

/// The living processes, other than `except`, that carry the mark.
pub(super) fn find(mark: &Mark, except: Option<Pid>) -> Vec<Leftover> {
    find_prefix(mark.value(), except)
}

/// Ends what carries the mark and gives back what did not end within `patience`.
pub(super) fn end(mark: &Mark, except: Option<Pid>, patience: Duration) -> Vec<Leftover> {
    end_prefix(mark.value(), except, patience)
}

/// Ends whatever an earlier, killed execution of the run left behind, and gives back the ended command lines.
pub fn end_all_of(run: &Path) -> Vec<String> {
    let prefix = run_prefix(run);
    let found = find_prefix(&prefix, None);
    if !found.is_empty() {
        end_prefix(&prefix, None, Duration::from_secs(1));
    }
    found.into_iter().map(|leftover| leftover.command).collect()
}

fn end_prefix(prefix: &str, except: Option<Pid>, patience: Duration) -> Vec<Leftover> {
    let start = Instant::now();
    loop {
        let alive = find_prefix(prefix, except);
        if alive.is_empty() || start.elapsed() > patience {
            return alive;
        }
        for leftover in &alive {
            // It may have ended by itself meanwhile; the next look tells.
            let _ = kill_process(leftover.pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn find_prefix(prefix: &str, except: Option<Pid>) -> Vec<Leftover> {
    let wanted = format!("{VARIABLE}={prefix}");
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
            (Some(pid) != except && carries(pid, wanted.as_bytes()))
                .then(|| Leftover { pid, command: command_line(pid) })
        })
        .collect()
}

/// A zombie's environment is empty, so processes that merely wait to be reaped are never found.
fn carries(pid: Pid, wanted: &[u8]) -> bool {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()))
        .is_ok_and(|environment| environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(wanted)))
}

fn command_line(pid: Pid) -> String {
    let raw = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
    let words: Vec<_> = raw.split(|&byte| byte == 0).map(String::from_utf8_lossy).collect();
    words.join(" ").trim_end().to_owned()
}
