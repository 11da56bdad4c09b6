//! One build by cargo, read from its JSON messages.
//!
//! What was compiled, what was fresh and where the executable lies is what cargo says; nothing is guessed from file
//! names or times. The lock file is never rewritten: where there is one, cargo is told `--locked`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use cargo_metadata::diagnostic::DiagnosticLevel;
use cargo_metadata::{Artifact, Message};

use crate::experiment::Target;
use crate::shell;

/// What is built, and with what.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The package and its binary.
    pub target: &'a Target,
    /// Features on.
    pub features: &'a [String],
    /// Whether the lock file must stay as it is.
    pub locked: bool,
    /// Where cargo is started: what it finds there and above, such as `.cargo/config.toml` and `rust-toolchain.toml`, counts.
    pub root: &'a Path,
    /// Where cargo builds.
    pub target_dir: &'a Path,
    /// Variables that it gets besides those it inherits.
    pub env: &'a [(String, String)],
}

/// What cargo said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The command line, with the variables that were set for it in front.
    pub command: Vec<String>,
    /// Packages of which anything was compiled, sorted.
    pub compiled: Vec<String>,
    /// How many packages were up to date.
    pub fresh: u32,
    /// Folders of the build scripts that belong to this very build, by package. One that is built for the host too, with
    /// other features or for another target, has several.
    pub out_dirs: BTreeMap<String, Vec<PathBuf>>,
    /// Folder and features of every package, by name and version.
    pub packages: BTreeMap<String, Built>,
    /// How long it took.
    pub time: Duration,
    /// The executable, or why there is none.
    pub executable: Result<Executable, String>,
}

/// A package as it was built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The folder of its Cargo.toml.
    pub folder: PathBuf,
    /// Features that were on, in any of its builds for this binary.
    pub features: BTreeSet<String>,
    /// Whether its sources lie on this machine's disk, where they may change.
    pub local: bool,
    /// Its build scripts, compiled.
    pub scripts: Vec<PathBuf>,
}

/// The binary as cargo left it. The next build overwrites it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it was linked again.
    pub rebuilt: bool,
}

/// Builds, with everything cargo says written to `log` and each line of its progress given to `progress`. Fails only
/// where cargo itself cannot be run: a failed build is an outcome. A linker that cannot keep relocations is asked again
/// without; the executable then has none.
pub fn build(order: Order, log: &Mutex<File>, progress: &(dyn Fn(&str) + Sync)) -> Result<Outcome> {
    let first = build_by(&command_line(order, &FOR_DIGESTS), order, log, progress)?;
    match &first.executable {
        Err(reason) if reason.contains("emit-relocs") => {
            let mut second = build_by(&command_line(order, &FOR_DIGESTS[2..]), order, log, progress)?;
            second.time += first.time;
            second.compiled.extend(first.compiled);
            second.compiled.sort();
            second.compiled.dedup();
            Ok(second)
        }
        _ => Ok(first),
    }
}

fn build_by(line: &[String], order: Order, log: &Mutex<File>, progress: &(dyn Fn(&str) + Sync)) -> Result<Outcome> {
    let command = with_env(order.env, line);
    let start = Instant::now();
    let mut child = Command::new(&line[0])
        .args(&line[1..])
        .envs(order.env.iter().map(|(name, value)| (name, value)))
        .current_dir(order.root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run cargo; install Rust, or put cargo into PATH")?;
    let stdout = child.stdout.take().context("cargo's stdout was not piped")?;
    let stderr = child.stderr.take().context("cargo's stderr was not piped")?;
    write_log(log, &format!("$ {}", shell::line(&command)));
    let (messages, said) = thread::scope(|scope| {
        let said = scope.spawn(|| follow(BufReader::new(stderr), log, progress));
        let messages = Messages::read(BufReader::new(stdout), &order.target.bin, log);
        (messages, said.join())
    });
    let messages = messages.context("cannot read cargo's messages")?;
    let said = said.unwrap_or_default();
    let status = child.wait().context("cannot wait for cargo")?;
    let executable = match (status.success(), messages.executable) {
        (true, _) if !messages.finished => Err(CUT_SHORT.to_owned()),
        (true, Some(executable)) => Ok(executable),
        (true, None) => Err(format!("cargo reported no executable of binary `{}`", order.target.bin)),
        (false, _) => Err(messages.first_error.unwrap_or_else(|| complaint(&said))),
    };
    let fresh = messages.seen.difference(&messages.compiled).count();
    Ok(Outcome {
        command,
        fresh: u32::try_from(fresh).unwrap_or(u32::MAX),
        compiled: messages.compiled.into_iter().collect(),
        out_dirs: messages.out_dirs,
        packages: messages.packages,
        time: start.elapsed(),
        executable,
    })
}

/// What the compiler of the executable is asked for, and no other: to keep the relocations, by which two executables are
/// compared, and the symbols, whatever the profile says of `strip`. Debug information is left out: with relocations of
/// its own it would make the file several times as large. Code and data are the same with and without.
const FOR_DIGESTS: [&str; 4] = ["-C", "link-arg=-Wl,--emit-relocs", "-C", "strip=debuginfo"];

/// Cargo's last message is there, or what came before it may not be all.
const CUT_SHORT: &str = "cargo's output ends before it says that the build is finished, so what was compiled is not known: look \
                         for a script that stands for cargo, or a full disk, and build again";

/// What is asked of cargo.
fn command_line(order: Order, for_compiler: &[&str]) -> Vec<String> {
    let target = order.target;
    let mut line: Vec<String> = ["cargo", "rustc"].map(str::to_owned).into();
    match target.profile.as_str() {
        "release" => line.push("--release".to_owned()),
        profile => line.extend(["--profile".to_owned(), profile.to_owned()]),
    }
    let manifest = target.manifest.display().to_string();
    for (flag, value) in [("--manifest-path", &manifest), ("--package", &target.package), ("--bin", &target.bin)] {
        line.extend([flag.to_owned(), value.clone()]);
    }
    line.extend(["--target-dir".to_owned(), order.target_dir.display().to_string()]);
    if !order.features.is_empty() {
        line.extend(["--features".to_owned(), order.features.join(",")]);
    }
    if order.locked {
        line.push("--locked".to_owned());
    }
    line.extend(["--message-format=json", "--"].map(str::to_owned));
    line.extend(for_compiler.iter().map(|&argument| argument.to_owned()));
    line
}

/// The command as it can be typed.
fn with_env(env: &[(String, String)], line: &[String]) -> Vec<String> {
    let set = env.iter().map(|(name, value)| format!("{name}={value}"));
    let set = (!env.is_empty()).then(|| "env".to_owned()).into_iter().chain(set);
    set.chain(line.iter().cloned()).collect()
}

/// Reads cargo's stderr to its end and gives back all of it.
fn follow(stderr: impl BufRead, log: &Mutex<File>, progress: &(dyn Fn(&str) + Sync)) -> String {
    let mut said = String::new();
    for line in stderr.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        write_log(log, &line);
        progress(line.trim());
        said.push_str(&line);
        said.push('\n');
    }
    said
}

/// The log is for people who look for more than was quoted; a full disk must not fail a build over it.
fn write_log(log: &Mutex<File>, line: &str) {
    if let Ok(mut file) = log.lock() {
        let _ = writeln!(file, "{line}");
    }
}

/// The part of cargo's own words that tells why it failed: from the first error on, cut where it is long.
fn complaint(said: &str) -> String {
    const LINES: usize = 40;
    let lines: Vec<&str> = said.lines().collect();
    let first = lines.iter().position(|line| line.trim_start().starts_with("error"));
    let from = first.unwrap_or(lines.len().saturating_sub(LINES));
    let quoted = lines[from..].iter().take(LINES).copied().collect::<Vec<_>>().join("\n");
    if quoted.is_empty() { "cargo failed and said nothing".to_owned() } else { quoted.trim_end().to_owned() }
}

/// What cargo's messages come to.
#[derive(Default)]
struct Messages {
    seen: BTreeSet<String>,
    compiled: BTreeSet<String>,
    out_dirs: BTreeMap<String, Vec<PathBuf>>,
    packages: BTreeMap<String, Built>,
    executable: Option<Executable>,
    first_error: Option<String>,
    finished: bool,
}

impl Messages {
    fn read(stdout: impl BufRead, bin: &str, log: &Mutex<File>) -> std::io::Result<Self> {
        let mut messages = Self::default();
        let mut names = BTreeMap::new();
        for message in Message::parse_stream(stdout) {
            match message? {
                Message::CompilerArtifact(artifact) => messages.artifact(&artifact, bin, &mut names),
                Message::CompilerMessage(message) => {
                    let rendered = message.message.rendered.clone().unwrap_or_else(|| message.message.message.clone());
                    write_log(log, &rendered);
                    if matches!(message.message.level, DiagnosticLevel::Error | DiagnosticLevel::Ice) {
                        messages.first_error.get_or_insert_with(|| rendered.trim_end().to_owned());
                    }
                }
                Message::BuildScriptExecuted(script) => {
                    let folders = messages.out_dirs.entry(package_name(&script.package_id.repr)).or_default();
                    folders.push(script.out_dir.into());
                }
                Message::BuildFinished(_) => messages.finished = true,
                _ => {}
            }
        }
        Ok(messages)
    }

    fn artifact(&mut self, artifact: &Artifact, bin: &str, names: &mut BTreeMap<String, String>) {
        let repr = &artifact.package_id.repr;
        let name = names.entry(repr.clone()).or_insert_with(|| package_name(repr)).clone();
        if !artifact.fresh {
            self.compiled.insert(name.clone());
        }
        let package = self.packages.entry(name.clone()).or_default();
        package.folder = artifact.manifest_path.parent().map(Into::into).unwrap_or_default();
        package.local |= repr.starts_with("path+");
        package.features.extend(artifact.features.iter().cloned());
        if artifact.target.is_custom_build() {
            package.scripts.extend(artifact.filenames.iter().map(PathBuf::from));
        }
        self.seen.insert(name);
        if let Some(path) =
            artifact.executable.as_ref().filter(|_| artifact.target.is_bin() && artifact.target.name == bin)
        {
            self.executable = Some(Executable { path: path.clone().into(), rebuilt: !artifact.fresh });
        }
    }
}

/// `name version` out of cargo's package id: `…#name@version`, or `…/name#version` where the folder bears the name.
fn package_name(id: &str) -> String {
    let Some((source, fragment)) = id.rsplit_once('#') else { return id.to_owned() };
    match fragment.split_once('@') {
        Some((name, version)) => format!("{name} {version}"),
        None => format!("{} {fragment}", source.rsplit('/').next().unwrap_or(source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_ids_give_name_and_version() {
        assert_eq!(package_name("path+file:///p/harness#ablate@0.1.0"), "ablate 0.1.0");
        assert_eq!(package_name("path+file:///p/program#0.1.0"), "program 0.1.0");
        assert_eq!(package_name("registry+https://example.com/index#serde@1.0.2"), "serde 1.0.2");
    }

    #[test]
    fn a_complaint_starts_at_the_error() {
        let said =
            "   Compiling k v0.1.0\nerror: failed to run custom build command for `k`\n\n  nvcc fatal: no such arch\n";
        let expected = "error: failed to run custom build command for `k`\n\n  nvcc fatal: no such arch";
        assert_eq!(complaint(said), expected);
        assert_eq!(complaint(""), "cargo failed and said nothing");
    }

    #[test]
    fn the_command_line_names_everything_and_locks_on_demand() {
        let target = Target {
            manifest: "/p/Cargo.toml".into(),
            package: "p".into(),
            bin: "b".into(),
            features: Vec::new(),
            profile: "bench".into(),
        };
        let features = ["x".to_owned(), "y".to_owned()];
        let order = Order {
            target: &target,
            features: &features,
            locked: true,
            root: Path::new("/p"),
            target_dir: Path::new("/t"),
            env: &[],
        };
        let expected = "cargo rustc --profile bench --manifest-path /p/Cargo.toml --package p --bin b --target-dir /t --features x,y \
                        --locked --message-format=json -- -C link-arg=-Wl,--emit-relocs -C strip=debuginfo";
        assert_eq!(command_line(order, &FOR_DIGESTS).join(" "), expected);
        let env = [("NVCC".to_owned(), "/x/nvcc".to_owned())];
        let line = command_line(order, &FOR_DIGESTS);
        assert_eq!(with_env(&env, &line).join(" "), format!("env NVCC=/x/nvcc {expected}"));
        assert_eq!(with_env(&[], &line).join(" "), expected);
    }
}
