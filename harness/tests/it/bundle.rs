//! From a project to a bundle, from there to a machine without cargo, and back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::archives::{self, HOST_AND_BINARY};
use crate::control::with_the_time;
use crate::subject::{FILE, experiment, project, run_json, sample_keys, sample_lines};
use crate::support::{Answer, Project, answer};

/// Blocks that the shared experiment plans, of three samples each: base, its twin, and `slow`.
const BLOCKS: usize = 8;

/// The bundle of an experiment, made once for all tests that do not change its project.
fn shared() -> &'static [u8] {
    static BUNDLE: OnceLock<Vec<u8>> = OnceLock::new();
    BUNDLE.get_or_init(|| {
        let project = project();
        project.write(FILE, &experiment(&["slow"], &["--sleep", "20"], "[8]"));
        project.write("extra file.txt", "more");
        let made = project.ablate(&["build", FILE, "--bundle", "x.bundle", "--with", "extra file.txt"]);
        assert_answer(&made, 0, &["measure it there with: sh x.bundle"]);
        bundle_of(&project)
    })
}

fn bundle_of(project: &Project) -> Vec<u8> {
    fs::read(project.path().join("x.bundle")).expect("a bundle")
}

/// A machine that has nothing but the bundle.
struct Host {
    folder: TempDir,
}

impl Host {
    fn with(bundle: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("x.bundle"), bundle).expect("written");
        Self { folder }
    }

    fn new() -> Self {
        Self::with(shared())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.path()).env_clear().env("PATH", "/nowhere").env("NO_COLOR", "1");
        command.stdin(Stdio::null());
        command
    }

    fn bench(&self, args: &[&str]) -> Answer {
        let all = [&["bench", "x.bundle"], args].concat();
        answer(&mut self.command(env!("CARGO_BIN_EXE_ablate"), &all))
    }

    fn start(&self, args: &[&str]) -> Child {
        let all = [&["bench", "x.bundle"], args].concat();
        let mut command = self.command(env!("CARGO_BIN_EXE_ablate"), &all);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
    }

    /// The folder of the only run, if there is one.
    fn begun(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(self.path("x/results")).ok()?.map(|entry| entry.expect("an entry").path());
        let is_made = |path: &PathBuf| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
        let mut runs: Vec<PathBuf> = entries.filter(is_made).collect();
        assert!(runs.len() < 2, "{runs:?}");
        runs.pop()
    }

    fn run(&self) -> PathBuf {
        self.begun().expect("a run")
    }

    /// The only results file.
    fn results(&self) -> PathBuf {
        let entries = fs::read_dir(self.folder.path()).expect("listed").map(|entry| entry.expect("an entry").path());
        let is_results = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "results");
        let [file] = entries.filter(is_results).collect::<Vec<_>>().try_into().expect("one results file");
        file
    }

    /// Changes `run.json` of the only run.
    fn edit_run(&self, change: impl FnOnce(&mut Value)) {
        let (file, mut run) = (self.run().join("run.json"), run_json(&self.run()));
        change(&mut run);
        fs::write(file, run.to_string()).expect("written");
    }
}

#[track_caller]
fn assert_answer(answer: &Answer, code: i32, words: &[&str]) {
    assert_eq!(answer.code, Some(code), "{}\n{}", answer.stdout, answer.stderr);
    let said = format!("{}{}", answer.stdout, answer.stderr);
    let missing: Vec<_> = words.iter().filter(|word| !said.contains(*word)).collect();
    assert!(missing.is_empty(), "without {missing:?}:\n{said}");
}

/// The signature's digest is over the file with zeros in its place.
fn sealed(text: &[u8]) -> Vec<u8> {
    let at = text.windows(7).position(|part| part == b"sha256=").expect("a signature") + 7;
    let mut zeroed = text.to_vec();
    zeroed[at..at + 64].fill(b'0');
    let digest = ablate::build::store::hex(&Sha256::digest(&zeroed));
    zeroed[at..at + 64].copy_from_slice(digest.as_bytes());
    zeroed
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).expect("it is there");
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[test]
fn a_bundle_starts_itself_and_its_results_come_home() {
    let host = Host::new();
    let mut command = host.command("/bin/sh", &["x.bundle"]);
    command.env("PATH", "/usr/bin:/bin");
    let there = answer(&mut command);
    assert_answer(&there, 1, &["regression", "results: ./"]);
    let run = host.run();
    assert_eq!(sample_keys(&run).len(), 3 * BLOCKS);
    assert_eq!(fs::read_to_string(host.path("x/extra file.txt")).expect("a file"), "more");

    let recorded = run_json(&run);
    assert_eq!(recorded["bundle"]["stays"].as_array().map(Vec::len), Some(1));
    assert_eq!(recorded["bundle"]["built_on"]["name"], recorded["host"]["name"]);
    assert!(recorded["toolchains"]["rustc"].is_string(), "the building machine's: {recorded}");
    assert_eq!(recorded["builds"].as_array().map(Vec::len), Some(2));
    assert!(recorded["notices"].to_string().contains("measured from a bundle"), "{recorded}");

    let file = host.results();
    let home = project();
    let here = home.ablate(&["report", &file.display().to_string()]);
    assert_answer(&here, 1, &["regression", "measured from a bundle"]);
    let id = run.file_name().expect("a name").to_string_lossy().into_owned();
    for page in ["index.html", "comparison.csv", "summary.md"] {
        let made = |root: &Path| fs::read_to_string(root.join("reports").join(&id).join(page)).expect("a page");
        assert_eq!(made(home.path()), made(&host.path("x")), "{page}");
    }
    let summary = fs::read_to_string(home.path().join(format!("reports/{id}/summary.md"))).expect("a page");
    assert!(summary.contains("measured from a bundle in 1 stay"), "{summary}");
    assert_answer(&home.ablate(&["report", &id]), 1, &[]);
    assert_answer(&home.ablate(&["report", &file.display().to_string()]), 1, &[]);
}

#[test]
fn a_damaged_bundle_and_one_for_another_machine_are_refused_before_they_are_unpacked() {
    let host = Host::new();
    let whole = shared().to_vec();
    let mut changed = whole.clone();
    let middle = whole.len() / 2;
    changed[middle] ^= 1;
    let glibc = sealed(&replaced(&whole, "\"glibc\":\"2.", "\"glibc\":\"9."));
    let gpu = sealed(&replaced(&replaced(&whole, "\"gpu\":false", "\"gpu\":true"), "{\"made\"", " {\"made\""));
    let cases: [(&[u8], i32, &str); 8] = [
        (&whole[..whole.len() - 1], 2, "is cut"),
        (&whole[..100], 2, "is cut"),
        (&changed, 2, "was changed after it was made"),
        (&replaced(&whole, "ablate-bundle 1.", "ablate-bundle 2."), 2, "has format 2.0, this ablate reads 1.x"),
        (&sealed(&replaced(&whole, "\"arch\":\"x86_64\"", "\"arch\":\"risc64\"")), 5, "made for linux on risc64"),
        (&glibc, 5, "its programs need glibc 9."),
        (&gpu, 5, "this machine has none"),
        (b"#!/bin/sh\n", 2, "is not a bundle of ablate"),
    ];
    for (bytes, code, words) in cases {
        fs::write(host.path("x.bundle"), bytes).expect("written");
        assert_answer(&host.bench(&[]), code, &[words]);
        assert!(!host.path("x").exists(), "{words}: something was unpacked");
    }
}

#[test]
fn a_second_stay_begins_with_a_block_of_its_own() {
    let host = Host::new();
    assert_answer(
        &host.bench(&["--blocks", "3"]),
        3,
        &["the 3 blocks that were asked for are done; go on with `sh x.bundle"],
    );
    let run = host.run();
    let samples = sample_lines(&run);
    assert_eq!(samples.len(), 9);
    // As if the first machine had been taken away in its third block, and this were another one.
    fs::write(run.join("samples.jsonl"), format!("{}\n", samples[..8].join("\n"))).expect("written");
    host.edit_run(|run| run["bundle"]["stays"][0]["boot"] = "another".into());

    let run_folder = run.display().to_string();
    assert_answer(&host.bench(&["--resume", &run_folder]), 1, &["stay 2", "1 block is begun but not complete"]);
    let stays = run_json(&run)["bundle"]["stays"].clone();
    assert_eq!((stays.as_array().map(Vec::len), &stays[1]["first_block"]), (Some(2), &3.into()));
    assert_eq!(sample_lines(&run)[..8], samples[..8], "what was there stays, byte for byte");
    let keys = sample_keys(&run);
    assert_eq!(keys.iter().filter(|(block, ..)| *block == 2).count(), 2, "the block of the first stay stays as it was");
    let complete = (0..20).filter(|block| keys.iter().filter(|(of, ..)| of == block).count() == 3).count();
    assert_eq!(complete, BLOCKS);
    let page = fs::read_to_string(host.path("x/reports").join(run.file_name().expect("a name")).join("index.html"));
    assert!(page.expect("a page").contains("2 stays"));
}

#[test]
fn another_kind_of_machine_is_refused_unless_it_is_said_and_then_marked() {
    let host = Host::new();
    host.bench(&["--blocks", "2"]);
    let file = host.results().display().to_string();
    host.edit_run(|run| {
        run["bundle"]["stays"][0]["boot"] = "another".into();
        run["bundle"]["stays"][0]["host"]["gpus"] = vec!["NVIDIA H100"].into();
    });
    let folder = host.run().display().to_string();
    let refused = host.bench(&["--resume", &folder]);
    assert_answer(&refused, 2, &["GPU none instead of NVIDIA H100", "--other-machine"]);
    assert_eq!(sample_keys(&host.run()).len(), 6, "nothing was measured");
    let gone_on = host.bench(&["--resume", &folder, "--other-machine"]);
    assert_answer(&gone_on, 1, &["stay 2 was on another kind of machine: GPU none instead of NVIDIA H100"]);
    assert_eq!(sample_keys(&host.run()).len(), 3 * BLOCKS);
    assert_answer(&host.bench(&["--resume", &file, "--blocks", "1"]), 1, &[]);
}

#[test]
fn a_killed_stay_leaves_every_whole_block_in_the_results_file() {
    let host = Host::new();
    let mut child = host.start(&[]);
    let begun = Instant::now();
    while host.begun().is_none_or(|run| sample_lines(&run).len() < 7) {
        assert!(begun.elapsed() < Duration::from_mins(2), "no seven samples within two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killed");
    child.wait().expect("it ends");
    let (run, file) = (host.run(), host.results());
    let before = sample_lines(&run);

    // All that is left of that machine is the bundle and the results file.
    let next = Host::new();
    let copy = next.path("taken.results");
    fs::copy(&file, &copy).expect("copied");
    let gone_on = next.bench(&["--resume", "taken.results", "--out", "taken.results"]);
    assert_answer(&gone_on, 1, &["regression"]);
    let after = sample_lines(&next.run());
    assert_eq!(after[..6], before[..6], "two whole blocks at least came along");
    assert_eq!(sample_keys(&next.run()).len(), 3 * BLOCKS);
    assert_eq!(run_json(&next.run())["bundle"]["stays"].as_array().map(Vec::len), Some(1), "the same boot");
    assert_eq!(run_json(&next.run())["state"]["kind"], "complete");

    let home = project();
    for (results, samples) in [(&file, 6), (&copy, 3 * BLOCKS), (&file, 3 * BLOCKS)] {
        home.ablate(&["report", &results.display().to_string()]);
        let imported = home.path().join("results").join(run.file_name().expect("a name"));
        assert!(sample_lines(&imported).len() >= samples, "the newer samples are kept");
    }
}

/// The same times, once in one stay and once in two with an unfinished block between them, give the same verdicts.
#[test]
fn verdicts_do_not_depend_on_the_stays() {
    let host = Host::new();
    assert_answer(&host.bench(&[]), 1, &[]);
    let run = host.run();
    let name = run.file_name().expect("a name").to_string_lossy().into_owned();
    let compared = || {
        let answer = answer(&mut host.command(env!("CARGO_BIN_EXE_ablate"), &["-C", "x", "report", &name]));
        let table = fs::read_to_string(host.path("x/reports").join(&name).join("comparison.csv")).expect("a table");
        (answer.code, table)
    };
    let unbroken = compared();
    let lines = sample_lines(&run);
    let later = |line: &String| {
        let mut sample: Value = serde_json::from_str(line).expect("a sample");
        sample["block"] = (sample["block"].as_u64().expect("a number") + 1).into();
        sample.to_string()
    };
    let (first, second) = lines.split_at(3 * 4);
    let unfinished = &second[..2];
    let all: Vec<String> =
        first.iter().cloned().chain(unfinished.iter().cloned()).chain(second.iter().map(later)).collect();
    fs::write(run.join("samples.jsonl"), format!("{}\n", all.join("\n"))).expect("written");
    host.edit_run(|run| {
        let mut stay = run["bundle"]["stays"][0].clone();
        stay["first_block"] = 5.into();
        run["bundle"]["stays"].as_array_mut().expect("stays").push(stay);
    });
    assert_eq!(compared(), unbroken);
}

#[test]
fn an_unpacked_bundle_is_used_again_only_if_it_is_whole() {
    let host = Host::new();
    assert_answer(&host.bench(&["--unpack"]), 0, &["unpacked into x"]);
    assert_answer(&host.bench(&["--unpack"]), 0, &[]);
    let store = host.path("x/.ablate/store");
    let executable = fs::read_dir(&store).expect("a store").next().expect("a file").expect("an entry").path();
    let content = fs::read(&executable).expect("bytes");
    fs::remove_file(&executable).expect("removed");
    assert_answer(&host.bench(&[]), 2, &["remove x"]);
    fs::write(&executable, &content[1..]).expect("written");
    assert_answer(&host.bench(&[]), 2, &["was changed since it was unpacked; remove x"]);
    fs::create_dir(host.path("y")).expect("made");
    fs::write(host.path("y/file"), "").expect("written");
    assert_answer(&host.bench(&["--dir", "y"]), 2, &["holds something else; name another folder with --dir"]);
    assert!(!host.path("x/results").exists());
}

#[test]
fn programs_of_command_arms_travel_and_missing_ones_are_named() {
    let project = project();
    // Two runs that begin within a second have one name if their experiments have.
    let text = experiment(&[], &[], "[10]").replacen("\"subject\"", "\"commands\"", 1).replace(
        "[design]",
        "[[factor]]\nid = \"W\"\narg = \"--slower\"\nlevels = [\"0\", \"20\"]\n\
         [[arm]]\nid = \"other\"\ncommand = [\"tools/other.sh\", \"--slower\", \"30\"]\n[design]",
    );
    project.write(FILE, &text);
    let build = |args: &[&str]| {
        project.ablate(&[&["build", FILE, "--bundle", "x.bundle", "--program", "/bin/sh"], args].concat())
    };
    project.write("tools/helper.sh", "exec \"$@\"\n");
    assert_answer(&build(&[]), 2, &["tools/other.sh"]);
    assert!(!project.has("x.bundle"), "nothing half made is left");
    project.write("tools/other.sh", "#!/bin/sh\nset -- .ablate/store/* \"$@\"\n. tools/helper.sh\n");
    let script = project.path().join("tools/other.sh");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    assert_answer(&build(&["--with", "nowhere"]), 2, &["--with nowhere: it cannot be read"]);
    // Base's is the only executable in the store.
    assert_answer(&build(&["--with", "tools"]), 0, &[]);

    let host = Host::with(&bundle_of(&project));
    assert_answer(&host.bench(&[]), 1, &["+20.0%", "+30.0%"]);
    assert_eq!(sample_keys(&host.run()).len(), 4 * 10);
    let arms = run_json(&host.run())["arms"].clone();
    let other = arms.as_array().and_then(|arms| arms.iter().find(|arm| arm["id"] == "other")).expect("an arm");
    assert_eq!(other["program"], ablate::build::store::hex(&Sha256::digest(fs::read(&script).expect("bytes"))));
    let other = Host::new();
    other.bench(&["--blocks", "1"]);
    let results = other.results().display().to_string();
    assert_answer(&host.bench(&["--resume", &results]), 2, &["was measured from another bundle"]);
}

#[test]
fn what_is_in_the_archives_travels_both_ways() {
    let project = archives::project(&[("fast", HOST_AND_BINARY)]);
    let made = project.ablate(&["build", archives::FILE, "--bundle", "x.bundle", "--program", "/bin/sh"]);
    assert_answer(&made, 0, &["control build of base: the same again"]);
    let host = Host::with(&bundle_of(&project));
    let there = host.bench(&[]);
    assert!(matches!(there.code, Some(0 | 1 | 3)), "{}\n{}", there.stdout, there.stderr);
    let id = host.run().file_name().expect("a name").to_string_lossy().into_owned();
    project.ablate(&["report", &host.results().display().to_string()]);

    let explain = ["explain", &id, "fast", "--against", "base"];
    let told = |answer: Answer| {
        assert_answer(&answer, 0, &["whose digest is right", "k in k.o changed", "base built a second time"]);
        answer.stdout.lines().filter(|line| !line.starts_with("store")).collect::<Vec<_>>().join("\n")
    };
    let over_there = answer(&mut host.command(env!("CARGO_BIN_EXE_ablate"), &[&["-C", "x"], &explain[..]].concat()));
    assert_eq!(told(project.ablate(&explain)), told(over_there));
}

#[test]
fn what_verification_found_and_what_was_allowed_hold_on_the_other_machine() {
    let project = with_the_time();
    let build = |args: &[&str]| {
        let all = [&["build", archives::FILE, "--bundle", "x.bundle", "--program", "/bin/sh"], args].concat();
        (project.ablate(&all), Host::with(&bundle_of(&project)))
    };
    let (made, host) = build(&[]);
    assert_answer(&made, 4, &["not reproducible"]);
    assert_answer(&host.bench(&[]), 4, &["base cannot be measured"]);
    assert!(sample_lines(&host.run()).is_empty(), "nothing is measured that could not be trusted");

    let (made, host) = build(&["--allow", "not-reproducible"]);
    assert_answer(&made, 0, &["base is not reproducible"]);
    let there = host.bench(&[]);
    assert!(matches!(there.code, Some(0 | 1 | 3)), "{}\n{}", there.stdout, there.stderr);
    let recorded = run_json(&host.run());
    assert_eq!(recorded["provenance"]["control"]["allowed"], true);
    assert!(recorded["notices"].to_string().contains("base is not reproducible"), "{recorded}");
}
