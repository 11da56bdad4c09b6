//! Samples of programs that behave and of programs that do not: the worker is given shell scripts to run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ablate::experiment::{Bench, Metric, Parse};
use ablate::interrupt::Interrupt;
use ablate::record::{Exit, Role, RunArm, Sample, Status};
use ablate::worker::{Mark, Unit, end_all_of, take};

const HELLO: &str = r#"{"ev":"hello","protocol":1,"program":"p","version":"1","features":["x"],"threads":1}"#;
const COLD: &str = r#"{"ev":"total","iteration":0,"warmup":true,"total_ns":9,"span_ns":10,"peak_rss_bytes":11}"#;
const WARM: &str = r#"{"ev":"total","iteration":1,"warmup":false,"total_ns":5,"span_ns":6,"peak_rss_bytes":7}"#;
const BYE: &str = r#"{"ev":"bye","ok":true}"#;

fn command_arm(script: &str) -> RunArm {
    RunArm {
        id: "arm".into(),
        role: Role::Command,
        levels: BTreeMap::new(),
        features: Vec::new(),
        args: Vec::new(),
        env: BTreeMap::new(),
        command: ["/bin/sh", "-c", script].map(str::to_owned).into(),
        binary: None,
        program: None,
        same_as: None,
        implied: Vec::new(),
        stamp: None,
    }
}

fn bench(parse: Parse) -> Bench {
    Bench {
        name: "bench".into(),
        args: Vec::new(),
        metric: Metric::Span,
        parse,
        iterations: 1,
        timeout: None,
        arms: Vec::new(),
    }
}

fn unique_mark() -> Mark {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    Mark::new(Path::new(&format!("/worker-tests/{}", std::process::id())), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn sample_of(arm: &RunArm, bench: &Bench, limit: Duration) -> Sample {
    let root = std::env::temp_dir();
    let unit = Unit::new(arm, bench, None, &root).expect("a command");
    take(&unit, (0, 0), &unique_mark(), limit, &Interrupt::default()).expect("nobody interrupts")
}

fn sample(script: &str, parse: Parse) -> Sample {
    sample_of(&command_arm(script), &bench(parse), Duration::from_mins(1))
}

/// The sample of a program that prints these lines.
fn printed(lines: &[&str]) -> Sample {
    sample(&format!("cat <<'END'\n{}\nEND", lines.join("\n")), Parse::Protocol)
}

#[track_caller]
fn assert_failed(sample: &Sample, words: &[&str]) {
    let reason = sample.reason.as_deref().unwrap_or_default();
    assert_eq!(sample.status, Status::Failed, "{sample:?}");
    assert!(words.iter().all(|word| reason.contains(word)), "{reason}");
    assert!(sample.cold.is_none() && sample.warm.is_empty(), "a failed sample has no numbers: {sample:?}");
}

#[test]
fn a_program_that_does_everything_right_is_a_number() {
    let phases = [
        r#"{"ev":"phase","iteration":1,"warmup":false,"name":"ntt","start_ns":3,"ns":2}"#,
        r#"{"ev":"phase","iteration":1,"warmup":false,"name":"synthesis","start_ns":0,"ns":3}"#,
    ];
    let proof = r#"{"ev":"proof","iteration":0,"digest":"d","verified":true}"#;
    let fact = r#"{"ev":"fact","name":"w","value":{"l":12}}"#;
    let sample = printed(&[HELLO, COLD, proof, phases[0], phases[1], WARM, fact, BYE]);
    assert_eq!((sample.status, sample.reason), (Status::Ok, None));
    assert_eq!(sample.cold.expect("a cold iteration").span_ns, Some(10));
    let [warm] = sample.warm.as_slice() else { panic!("{:?}", sample.warm) };
    assert_eq!((warm.total_ns, warm.span_ns, warm.peak_rss_bytes), (Some(5), Some(6), Some(7)));
    assert_eq!(warm.phases.iter().map(|phase| phase.name.as_str()).collect::<Vec<_>>(), ["synthesis", "ntt"]);
    assert_eq!((sample.proof.as_deref(), &sample.facts["w"]["l"]), (Some("d"), &12.into()));
    assert_eq!(sample.exit, Exit::Code { code: 0 });
    assert!(sample.conditions.wall_ns > 0 && sample.conditions.minor_faults > Some(0), "{:?}", sample.conditions);
}

#[test]
fn what_breaks_the_protocol_is_a_failed_sample() {
    let old = HELLO.replace("\"protocol\":1", "\"protocol\":2");
    let second_warm = WARM.replace("\"iteration\":1", "\"iteration\":2");
    let wrong_warmup = WARM.replace("false", "true");
    let unverified = r#"{"ev":"proof","iteration":1,"digest":"d","verified":false}"#;
    let cases: [(&[&str], &[&str]); 13] = [
        (&[], &["nothing was printed"]),
        (&[COLD, WARM, BYE], &["line 1", "expected a `hello`"]),
        (&[&old, COLD, WARM, BYE], &["protocol 2", "expected 1"]),
        (&[HELLO, HELLO, COLD, WARM, BYE], &["line 2", "second `hello`"]),
        (&[HELLO, COLD, WARM], &["without a `bye`"]),
        (&[HELLO, COLD, WARM, r#"{"ev":"bye","ok":false}"#], &["not ok"]),
        (&[HELLO, COLD, WARM, BYE, WARM], &["line 5", "after `bye`"]),
        (&[HELLO, COLD, BYE], &["no `total` of iteration 1"]),
        (&[HELLO, COLD, WARM, WARM, BYE], &["line 4", "second `total`"]),
        (&[HELLO, COLD, WARM, &second_warm, BYE], &["iteration 2 was not asked for"]),
        (&[HELLO, COLD, &wrong_warmup, BYE], &["line 3", "warm-up"]),
        (&[HELLO, COLD, WARM, unverified, BYE], &["line 4", "does not verify"]),
        (&[HELLO, COLD, WARM, r#"{"ev":"news"}"#, BYE], &["line 4", "news"]),
    ];
    for (lines, words) in cases {
        assert_failed(&printed(lines), words);
    }
}

/// Facts are kept in samples.jsonl, which must be read again.
#[test]
fn a_fact_that_could_not_be_read_back_fails_its_sample() {
    let fact = |depth: usize| {
        let value = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        format!("{{\"ev\":\"fact\",\"name\":\"deep\",\"value\":{value}}}")
    };
    let fine = printed(&[HELLO, COLD, WARM, &fact(32), BYE]);
    assert_eq!(fine.status, Status::Ok, "{:?}", fine.reason);
    let line = serde_json::to_string(&fine).expect("JSON");
    assert_eq!(serde_json::from_str::<Sample>(&line).expect("read back"), fine);
    for depth in [33, 126, 10_000] {
        assert_failed(&printed(&[HELLO, COLD, WARM, &fact(depth), BYE]), &["line 4"]);
    }
}

#[test]
fn a_sum_of_phases_that_does_not_fit_fails_its_sample() {
    let phase = |warmup: bool, ns: u64| {
        let iteration = u32::from(!warmup);
        format!(r#"{{"ev":"phase","iteration":{iteration},"warmup":{warmup},"name":"work","start_ns":0,"ns":{ns}}}"#)
    };
    let half = (1 << 63) + 5;
    for warmup in [true, false] {
        let phases = [phase(warmup, half), phase(warmup, half)];
        assert_failed(&printed(&[HELLO, COLD, &phases[0], &phases[1], WARM, BYE]), &["phase `work`", "64 bits"]);
        let fine = printed(&[HELLO, COLD, &phases[0], WARM, BYE]);
        assert_eq!(fine.status, Status::Ok, "{:?}", fine.reason);
    }
    let lines = "echo 'work: 9000000000000000000 ns'; echo 'work: 9000000000000000000 ns'";
    let pattern = r"(?<name>\w+): (?<ns>\d+) ns".to_owned();
    assert_failed(&sample(&format!("{lines}; {lines}"), Parse::Regex(pattern)), &["phase `work`", "64 bits"]);
}

#[test]
fn a_value_that_is_no_number_fails_with_its_line_and_text() {
    for value in ["NaN", "1e999", "-1", "1.5", "null", "\"6\""] {
        let line = WARM.replace("\"span_ns\":6", &format!("\"span_ns\":{value}"));
        assert_failed(&printed(&[HELLO, COLD, &line, BYE]), &["line 3", &format!("\"span_ns\":{value}")]);
    }
    assert_failed(&printed(&[HELLO, COLD, "garbage", WARM, BYE]), &["line 3", "garbage"]);
}

#[test]
fn a_metric_that_is_missing_is_no_empty_pass() {
    let phase = Bench { metric: Metric::Phase("ntt".into()), ..bench(Parse::Protocol) };
    let script = format!("cat <<'END'\n{HELLO}\n{COLD}\n{WARM}\n{BYE}\nEND");
    assert_failed(&sample_of(&command_arm(&script), &phase, Duration::from_mins(1)), &["`ntt`"]);
}

#[test]
fn a_crash_explains_itself_by_its_last_words() {
    let crashed = sample("echo first >&2; echo 'circuit is not satisfied' >&2; echo >&2; exit 3", Parse::Process);
    assert_failed(&crashed, &["exit code 3", "circuit is not satisfied"]);
    assert_eq!(crashed.exit, Exit::Code { code: 3 });
    let sample = sample("kill -SEGV $$", Parse::Process);
    assert_failed(&sample, &["signal 11"]);
    assert_eq!(sample.exit, Exit::Signal { signal: 11 });
}

#[test]
fn a_program_that_is_not_there_never_ran() {
    let arm = RunArm { command: vec!["./no-such-program".into()], ..command_arm("") };
    let sample = sample_of(&arm, &bench(Parse::Process), Duration::from_mins(1));
    assert_failed(&sample, &["no-such-program", "could not be started"]);
    assert_eq!(sample.exit, Exit::NotStarted);
}

#[test]
fn a_flood_is_ended() {
    assert_failed(&sample("yes", Parse::Process), &["more than 64 MiB"]);
    let sample = sample("yes >&2 & sleep 0.3; kill $!; exit 1", Parse::Process);
    assert_failed(&sample, &["exit code 1: y"]);
}

#[test]
fn regular_expressions_read_what_speaks_no_protocol() {
    let parse = || Parse::Regex(r"(?P<name>\w+): (?P<ns>\S+) ns".into());
    let ok = sample("echo 'span: 1,024,312 ns'", parse());
    assert_eq!((ok.status, ok.warm[0].span_ns, ok.cold), (Status::Ok, Some(1_024_312), None));
    let split = sample("echo 'span: 1,024,'; echo 'error: out of memory'; echo '312 ns'", parse());
    assert_failed(&split, &["no line of the output matches"]);
}

#[test]
fn a_process_is_timed_from_start_to_exit() {
    let sample = sample("sleep 0.2", Parse::Process);
    let span = sample.warm[0].span_ns.expect("a span");
    assert_eq!(span, sample.conditions.wall_ns);
    assert!(span >= 200_000_000, "{span}");
}

/// Whether a living process has exactly this command line.
fn running(command: &str) -> bool {
    let wanted: Vec<u8> = command.bytes().map(|byte| if byte == b' ' { 0 } else { byte }).chain([0]).collect();
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    processes.into_iter().any(|process| fs::read(process.path().join("cmdline")).is_ok_and(|line| line == wanted))
}

#[test]
fn a_running_process_is_seen() {
    let mut sleep = Command::new("sleep").arg("20.0001").spawn().expect("started");
    // A new process has its command line only a moment after its start.
    let start = Instant::now();
    while !running("sleep 20.0001") {
        assert!(start.elapsed() < Duration::from_secs(10), "it is not seen");
        thread::sleep(Duration::from_millis(1));
    }
    sleep.kill().and_then(|()| sleep.wait()).expect("ended");
    assert!(!running("sleep 20.0001"));
}

#[test]
fn a_timeout_ends_everything_within_a_second() {
    // Lengths that nobody else sleeps, to find the processes by.
    for (script, lengths) in [
        ("sleep 20.0101 & sleep 20.0102", ["20.0101", "20.0102"]),
        ("setsid sleep 20.0103 & sleep 20.0104", ["20.0103", "20.0104"]),
        ("trap '' TERM INT HUP; sleep 20.0105; sleep 20.0106", ["20.0105", "20.0106"]),
    ] {
        let start = Instant::now();
        let sample = sample_of(&command_arm(script), &bench(Parse::Process), Duration::from_secs(1));
        assert!(start.elapsed() < Duration::from_secs(10), "{script} took {:?}", start.elapsed());
        assert_failed(&sample, &["timeout", "1 s"]);
        assert_eq!(sample.exit, Exit::Timeout { limit_ns: 1_000_000_000 });
        assert!(lengths.iter().all(|length| !running(&format!("sleep {length}"))), "{script} left something behind");
    }
}

#[test]
fn a_process_left_behind_is_told_and_ended() {
    let start = Instant::now();
    let sample = sample("setsid sleep 20.0201 & sleep 0.2; exit 0", Parse::Process);
    assert!(start.elapsed() < Duration::from_secs(10), "it waited for the pipe: {:?}", start.elapsed());
    assert_failed(&sample, &["left processes behind", "sleep 20.0201"]);
    assert!(!running("sleep 20.0201"));
}

#[test]
fn an_interrupt_ends_the_sample_and_gives_none() {
    let interrupt = Interrupt::default();
    interrupt.request();
    let (arm, bench, root) = (command_arm("sleep 20.0301"), bench(Parse::Process), std::env::temp_dir());
    let unit = Unit::new(&arm, &bench, None, &root).expect("a command");
    assert!(take(&unit, (0, 0), &unique_mark(), Duration::from_mins(1), &interrupt).is_none());
    assert!(!running("sleep 20.0301"));
}

#[test]
fn what_a_killed_run_left_is_ended_and_what_another_left_is_not() {
    let (killed, other) = (Path::new("/worker-tests/killed"), Path::new("/worker-tests/other"));
    let start = |run: &Path, length: &str| {
        let mark = Mark::new(run, 3);
        Command::new("sleep").arg(length).env("ABLATE_SAMPLE", mark.value()).spawn().expect("started")
    };
    let (mut left, mut foreign) = (start(killed, "20.0401"), start(other, "20.0402"));
    thread::sleep(Duration::from_millis(100));
    assert_eq!(end_all_of(killed), ["sleep 20.0401"]);
    assert!(!left.wait().expect("ended").success());
    assert!(foreign.try_wait().expect("asked").is_none(), "it goes on");
    foreign.kill().and_then(|()| foreign.wait()).expect("ended");
}
