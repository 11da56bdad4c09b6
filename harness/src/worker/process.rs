//! One child process from start to end, with nothing of it left behind.
//!
//! The child runs in a process group of its own with its output captured and bounded. Whatever happens, [`run`] comes
//! back soon after the limit: it waits for the child's exit, never for a pipe that somebody else may hold open.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::leftover::{self, Mark};
use crate::interrupt::Interrupt;
use crate::record::{Conditions, Exit};

/// More on stdout than this is a flood, and ends the process.
pub const STDOUT_LIMIT: usize = 64 << 20;
/// This much of the end of stderr is kept.
pub const STDERR_KEPT: usize = 64 << 10;

/// How long anything may take that has been killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a waiting run looks whether the user asked to stop.
const GLANCE: Duration = Duration::from_millis(100);

/// What to start.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The executable: an absolute path, or a name that is looked up in `PATH`.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// Added to the environment of this process.
    pub env: &'a BTreeMap<String, String>,
    /// The folder to start in.
    pub dir: &'a Path,
    /// Tells its processes from all others.
    pub mark: &'a Mark,
    /// A process that takes longer is ended.
    pub limit: Option<Duration>,
    /// When its work is done.
    pub until: Until,
}

/// When a process has done what it was started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When it exits.
    Exit,
    /// When it has printed a line; then it is ended.
    FirstLine,
}

/// What became of a process.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Why the waiting ended.
    pub ending: Ending,
    /// How the process ended.
    pub exit: Exit,
    /// What it printed, up to [`STDOUT_LIMIT`].
    pub stdout: Vec<u8>,
    /// The last [`STDERR_KEPT`] bytes of its stderr.
    pub stderr: String,
    /// Times, faults and switches.
    pub conditions: Conditions,
    /// Command lines of processes that were still there when it had exited by itself, and were then ended.
    pub left_behind: Vec<String>,
    /// Command lines of processes that could not be ended.
    pub survivors: Vec<String>,
}

impl Ended {
    /// The last line on stderr that is not blank.
    pub fn last_words(&self) -> Option<&str> {
        self.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty())
    }
}

/// Why the waiting for a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited.
    Exited,
    /// It printed the line that was waited for.
    FirstLine,
    /// It outlasted its limit.
    Timeout,
    /// It printed too much.
    Flooded,
    /// The user asked to stop.
    Interrupted,
}

enum Event {
    Exited(Instant),
    FirstLine,
    Flooded,
    Closed,
}

/// Runs a process to its end and cleans up behind it. Fails only where it could not be started.
pub fn run(launch: Launch, interrupt: &Interrupt) -> io::Result<Ended> {
    let load = load_average();
    let start = Instant::now();
    let mut child = spawn(launch)?;
    let pid = Pid::from_child(&child);
    running().push((pid, launch.mark.clone()));
    let (events, inbox) = channel();
    let stdout = read_stdout(&mut child, launch.until, events.clone());
    let stderr = read_stderr(&mut child, events.clone());
    thread::spawn(move || watch(pid, &events));

    let mut seen = Seen::default();
    let ending = wait(&inbox, &mut seen, start, launch, interrupt);
    let (left_behind, survivors) = clean_up(ending, pid, launch.mark);
    running().retain(|(other, _)| *other != pid);
    let (status, usage) = reap(&mut child, &inbox, &mut seen)?;
    seen.await_pipes(&inbox);

    let wall = seen.exited.unwrap_or_else(Instant::now).saturating_duration_since(start);
    Ok(Ended {
        ending,
        exit: exit(ending, status, launch.limit),
        stdout: take(&stdout),
        stderr: String::from_utf8_lossy(&take(&stderr)).into_owned(),
        conditions: Conditions { wall_ns: nanoseconds(wall), load, ..usage },
        left_behind,
        survivors,
    })
}

/// The processes that are not reaped yet, with their marks.
static RUNNING: Mutex<Vec<(Pid, Mark)>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<(Pid, Mark)>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every process that [`run`] has started and not yet ended, for a program that exits at once.
pub(crate) fn end_running() {
    // While the list is locked none of them is reaped, so the groups' numbers are their own.
    for (pid, mark) in running().iter() {
        let _ = kill_process_group(*pid, Signal::KILL);
        leftover::end(mark, Some(*pid), PATIENCE / 2);
    }
}

fn spawn(launch: Launch) -> io::Result<Child> {
    let mut command = Command::new(launch.program);
    command
        .args(launch.args)
        .envs(launch.env)
        .env(leftover::VARIABLE, launch.mark.value())
        .current_dir(launch.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    // A fork elsewhere in this process may, for a moment, hold a just written executable open.
    let mut attempts = 0;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && attempts < 20 => {
                attempts += 1;
                thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
}

/// Tells when the process has exited, and leaves it to be reaped: until then its number, and its group's, stay its own.
fn watch(pid: Pid, events: &Sender<Event>) {
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
    // The receiver is gone only if the process outlived a SIGKILL; then nobody asks any more.
    let _ = events.send(Event::Exited(Instant::now()));
}

type Captured = Arc<Mutex<Vec<u8>>>;

fn read_stdout(child: &mut Child, until: Until, events: Sender<Event>) -> Captured {
    let mut line_awaited = until == Until::FirstLine;
    capture(child.stdout.take(), events, move |kept, chunk, events| {
        kept.extend_from_slice(chunk);
        if line_awaited && chunk.contains(&b'\n') {
            line_awaited = false;
            let _ = events.send(Event::FirstLine);
        }
        let flooded = kept.len() > STDOUT_LIMIT;
        if flooded {
            let _ = events.send(Event::Flooded);
        }
        !flooded
    })
}

fn read_stderr(child: &mut Child, events: Sender<Event>) -> Captured {
    capture(child.stderr.take(), events, |kept, chunk, _| {
        kept.extend_from_slice(chunk);
        if kept.len() > 2 * STDERR_KEPT {
            kept.drain(..kept.len() - STDERR_KEPT);
        }
        true
    })
}

/// Reads a pipe on a thread of its own until it ends or `keep` says no.
fn capture<R, K>(pipe: Option<R>, events: Sender<Event>, mut keep: K) -> Captured
where
    R: Read + Send + 'static,
    K: FnMut(&mut Vec<u8>, &[u8], &Sender<Event>) -> bool + Send + 'static,
{
    let captured = Captured::default();
    let kept = Arc::clone(&captured);
    thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        if let Some(mut pipe) = pipe {
            loop {
                match pipe.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                    Ok(length) => {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        if !keep(&mut kept, &buffer[..length], &events) {
                            break;
                        }
                    }
                }
            }
        }
        let _ = events.send(Event::Closed);
    });
    captured
}

fn take(captured: &Captured) -> Vec<u8> {
    std::mem::take(&mut captured.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What has been heard of the child so far.
#[derive(Default)]
struct Seen {
    exited: Option<Instant>,
    closed: u8,
}

impl Seen {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Exited(at) => self.exited = Some(*at),
            Event::Closed => self.closed += 1,
            Event::FirstLine | Event::Flooded => {}
        }
    }

    /// Lets the readers empty the pipes; one that a stranger holds open is given up.
    fn await_pipes(&mut self, inbox: &Receiver<Event>) {
        let start = Instant::now();
        while self.closed < 2 {
            match inbox.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(event) => self.note(&event),
                Err(_) => return,
            }
        }
    }
}

fn wait(inbox: &Receiver<Event>, seen: &mut Seen, start: Instant, launch: Launch, interrupt: &Interrupt) -> Ending {
    loop {
        let left = launch.limit.map(|limit| limit.saturating_sub(start.elapsed()));
        match inbox.recv_timeout(left.unwrap_or(GLANCE).min(GLANCE)) {
            Ok(event) => {
                seen.note(&event);
                match event {
                    Event::Exited(_) => return Ending::Exited,
                    Event::FirstLine => return Ending::FirstLine,
                    Event::Flooded => return Ending::Flooded,
                    Event::Closed => {}
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                if interrupt.requested() {
                    return Ending::Interrupted;
                }
                if left.is_some_and(|left| left.is_zero()) {
                    return Ending::Timeout;
                }
            }
        }
    }
}

/// Ends the group and every process that carries the mark. Gives back what a process that exited by itself had left
/// behind, and what could not be ended.
fn clean_up(ending: Ending, pid: Pid, mark: &Mark) -> (Vec<String>, Vec<String>) {
    let mut left_behind = Vec::new();
    if ending == Ending::Exited && !leftover::find(mark, Some(pid)).is_empty() {
        // Children may be ending at this very moment, which is no fault.
        thread::sleep(Duration::from_millis(50));
        left_behind = leftover::find(mark, Some(pid)).into_iter().map(|leftover| leftover.command).collect();
    }
    // The child is not reaped yet, so the group's number cannot be anybody else's; an empty group is no error here.
    let _ = kill_process_group(pid, Signal::KILL);
    let survivors = leftover::end(mark, Some(pid), PATIENCE / 2);
    (left_behind, survivors.into_iter().map(|leftover| leftover.command).collect())
}

/// Reaps the child and measures what it used: the difference of what all reaped children used, before and after.
/// A child that a SIGKILL did not end within a few seconds hangs in the kernel, which is an error of this machine.
fn reap(child: &mut Child, inbox: &Receiver<Event>, seen: &mut Seen) -> io::Result<(ExitStatus, Conditions)> {
    let start = Instant::now();
    while seen.exited.is_none() {
        match inbox.recv_timeout((5 * PATIENCE).saturating_sub(start.elapsed())) {
            Ok(event) => seen.note(&event),
            Err(_) => return Err(io::Error::other(format!("process {} cannot be ended by SIGKILL", child.id()))),
        }
    }
    let before = getrusage(UsageWho::RUSAGE_CHILDREN).ok();
    let status = child.wait()?;
    let after = getrusage(UsageWho::RUSAGE_CHILDREN).ok();
    Ok((status, before.zip(after).map(|(before, after)| used(&before, &after)).unwrap_or_default()))
}

fn used(before: &Usage, after: &Usage) -> Conditions {
    let nanoseconds = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000_000 + time.tv_usec() * 1_000;
    let difference = |before: i64, after: i64| u64::try_from(after - before).ok();
    Conditions {
        user_ns: difference(nanoseconds(before.user_time()), nanoseconds(after.user_time())),
        system_ns: difference(nanoseconds(before.system_time()), nanoseconds(after.system_time())),
        major_faults: difference(before.major_page_faults(), after.major_page_faults()),
        minor_faults: difference(before.minor_page_faults(), after.minor_page_faults()),
        voluntary_switches: difference(before.voluntary_context_switches(), after.voluntary_context_switches()),
        involuntary_switches: difference(before.involuntary_context_switches(), after.involuntary_context_switches()),
        ..Conditions::default()
    }
}

fn exit(ending: Ending, status: ExitStatus, limit: Option<Duration>) -> Exit {
    match (ending, limit) {
        (Ending::Timeout, Some(limit)) => Exit::Timeout { limit_ns: nanoseconds(limit) },
        _ => match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code { code },
            (None, signal) => Exit::Signal { signal: signal.unwrap_or_default() },
        },
    }
}

/// The one-minute load average.
fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
