//! The worker protocol on real processes.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use groth16_prover::params::cache::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::program::{digest, events, fresh_folder, prepared, prover, refuse, succeed, text};

/// A letter for each event: what matters of the order, without the times.
fn order(events: &[Value]) -> String {
    let letter = |event: &Value| match event["ev"].as_str().unwrap() {
        "hello" => 'H',
        "phase" => 'p',
        "fact" => 'f',
        "total" => 'T',
        "proof" => 'P',
        "bye" => 'B',
        other => panic!("an event of an unknown kind: {other}"),
    };
    let mut letters: Vec<char> = events.iter().map(letter).collect();
    letters.dedup_by(|a, b| a == b && (*a == 'p' || *a == 'f'));
    letters.into_iter().collect()
}

fn expected_features() -> Vec<&'static str> {
    let all = [
        ("cuda", cfg!(feature = "cuda")),
        ("host-pin", cfg!(feature = "host-pin")),
        ("msm-windows", cfg!(feature = "msm-windows")),
        ("parallel-b-g2", cfg!(feature = "parallel-b-g2")),
        ("porep", cfg!(feature = "porep")),
        ("presize", cfg!(feature = "presize")),
        ("smallvec", cfg!(feature = "smallvec")),
    ];
    all.into_iter().filter_map(|(name, on)| on.then_some(name)).collect()
}

#[test]
fn hello_tells_what_was_built_and_what_runs() {
    let hello = events(&succeed(prepared("prove", &["--iterations", "0", "--threads", "2"])))[0].take();
    assert_eq!(hello["features"], json!(expected_features()));
    assert_eq!(
        (&hello["ev"], &hello["protocol"], &hello["program"], &hello["backend"], &hello["threads"]),
        (&json!("hello"), &json!(1), &json!("prover"), &json!("cpu"), &json!(2))
    );
    assert_eq!(hello["stamp"].as_str().map(str::len), cfg!(feature = "cuda").then_some(64));
    assert_eq!(hello["version"], env!("CARGO_PKG_VERSION"));
    assert!(!hello["device"].as_str().unwrap().is_empty());
}

/// One cold iteration and two warm ones of two circuits.
#[test]
fn a_bench_prints_its_events_in_order() {
    let folder = fresh_folder("order");
    let proofs = folder.join("proofs");
    let output =
        succeed(prepared("prove", &["--circuits", "2", "--iterations", "2", "--proof", proofs.to_str().unwrap()]));
    let events = events(&output);
    assert_eq!(order(&events), "HpfTPpfTPpfTPB");
    assert_eq!(events.last(), Some(&json!({"ev": "bye", "ok": true})));

    for event in &events[1..] {
        if let Some(iteration) = event["iteration"].as_u64() {
            let warmup = event.get("warmup").map(|warmup| warmup.as_bool().unwrap());
            assert!(warmup.is_none() || warmup == Some(iteration == 0), "{event}");
        }
    }
    let proofs = std::fs::read(proofs).unwrap();
    assert_eq!(proofs.len(), 2 * 192);
    assert_ne!(proofs[..192], proofs[192..]);
    let digest = hex(&Sha256::digest(&proofs));
    for proof in events.iter().filter(|event| event["ev"] == "proof") {
        assert_eq!((&proof["digest"], &proof["verified"]), (&json!(digest), &json!(true)));
    }
}

/// Loading is told once and is in nothing; all other phases lie within the span.
#[test]
fn phases_lie_within_the_span_and_loading_outside() {
    let events = events(&succeed(prepared("prove", &["--iterations", "1"])));
    for iteration in [0, 1] {
        let of = |kind: &str| {
            let kind = json!(kind);
            events.iter().filter(move |event| event["ev"] == kind && event["iteration"] == iteration)
        };
        let total = of("total").next().unwrap();
        let (total_ns, span_ns) = (total["total_ns"].as_u64().unwrap(), total["span_ns"].as_u64().unwrap());
        assert!(0 < total_ns && total_ns <= span_ns);
        assert!(total["peak_rss_bytes"].as_u64().is_none_or(|peak| peak > 1 << 20));

        let mut names: Vec<&str> = of("phase").map(|phase| phase["name"].as_str().unwrap()).collect();
        let loads = names.iter().filter(|name| **name == "load_params").count();
        assert_eq!(loads, usize::from(iteration == 0));
        for phase in of("phase").filter(|phase| phase["name"] != "load_params") {
            let end = phase["start_ns"].as_u64().unwrap() + phase["ns"].as_u64().unwrap();
            assert!(end <= span_ns, "{phase} of {total}");
        }
        names.sort_unstable();
        names.dedup();
        let work =
            ["assemble", "batch_add", "free", "msm_a", "msm_b_g1", "msm_b_g2", "msm_h", "msm_l", "ntt", "synthesis"];
        assert!(work.iter().all(|name| names.contains(name)), "{names:?}");
    }
}

#[test]
fn synthesis_alone_needs_no_parameters() {
    let folder = fresh_folder("no-params");
    let mut synth = prover(&["synth", "--circuit", "mixed:1,1", "--circuits", "2", "--iterations", "1"]);
    synth.arg("--params-dir").arg(&folder);
    let events = events(&succeed(synth));
    assert_eq!(order(&events), "HpTpTB");
    let names: Vec<_> =
        events.iter().filter(|event| event["ev"] == "phase").map(|event| event["name"].clone()).collect();
    assert_eq!(names, ["synthesis", "free", "synthesis", "free"]);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn the_making_of_parameters_can_be_timed() {
    let events = events(&succeed(prover(&["generate", "--circuit", "mixed:1,1", "--iterations", "0"])));
    assert_eq!(order(&events), "HfTB");
    let file = crate::program::params_folder().join("mixed-1-1.seed-1.params");
    let digest = hex(&Sha256::digest(std::fs::read(file).unwrap()));
    assert_eq!(events[1], json!({"ev": "fact", "name": "parameters_sha256", "value": digest}));
}

/// Each answer is read before the next request is written, so a worker that kept its answers back would hang here.
#[test]
fn a_resident_worker_loads_once_and_answers_each_request() {
    let mut worker = prepared("prove", &["--resident"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut requests = worker.stdin.take().unwrap();
    let mut lines = BufReader::new(worker.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();

    assert_eq!(next()["ev"], "hello");
    for (iteration, warmup) in [(7, true), (3, false)] {
        writeln!(requests, "{}", json!({"run": "prove", "iteration": iteration, "warmup": warmup})).unwrap();
        let mut answer = Vec::new();
        while answer.last().is_none_or(|event: &Value| event["ev"] != "proof") {
            answer.push(next());
        }
        assert_eq!(order(&answer), "pfTP");
        assert_eq!(answer[0]["name"] == "load_params", warmup);
        let total = answer.iter().find(|event| event["ev"] == "total").unwrap();
        assert_eq!((&total["iteration"], &total["warmup"]), (&json!(iteration), &json!(warmup)));
        assert_eq!(answer.last().unwrap()["verified"], true);
    }
    drop(requests);
    assert_eq!(next(), json!({"ev": "bye", "ok": true}));
    assert!(worker.wait().unwrap().success());
}

#[test]
fn a_resident_worker_refuses_a_request_for_something_else() {
    let mut worker = prepared("synth", &["--resident"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(worker.stdin.take().unwrap(), "{}", json!({"run": "prove", "iteration": 0, "warmup": true})).unwrap();
    let output = worker.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(order(&events(&output)), "HB");
    assert_eq!(events(&output)[1]["ok"], false);
    assert!(text(&output.stderr).contains("this worker was started to run `synth`"), "{}", text(&output.stderr));
}

/// Whoever reads may stop reading: that is an error, not a panic.
#[test]
fn a_closed_standard_output_is_an_error() {
    let mut worker =
        prepared("prove", &["--iterations", "50"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(worker.stdout.take());
    let output = worker.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("standard output was closed") && !said.contains("panicked"), "{said}");
}

/// The seed fixes the proof; the windows and the number of threads do not change it.
#[test]
fn the_proof_depends_on_the_seed_alone() {
    let prove = |args: &[&str]| digest(&succeed(prepared("prove", &[&["--iterations", "0"], args].concat())));
    let proof = prove(&[]);
    assert_eq!(prove(&["--seed", "1"]), proof);
    assert_eq!(prove(&["--window", "5"]), proof);
    assert_eq!(prove(&["--threads", "1"]), proof);
    assert_ne!(prove(&["--seed", "2"]), proof);
}

/// The two arguments of the harness' self-test are there, hidden, and change no proof.
#[test]
fn the_spinning_arguments_are_hidden() {
    for command in ["synth", "prove"] {
        assert!(!text(&succeed(prover(&[command, "--help"])).stdout).contains("spin"));
    }
    let prove = |args: &[&str]| digest(&succeed(prepared("prove", &[&["--iterations", "0"], args].concat())));
    let proof = prove(&[]);
    assert_eq!(prove(&["--spin-synthesis", "10"]), proof);
    assert_eq!(prove(&["--spin-nothing", "10"]), proof);
    assert!(refuse(prover(&["synth", "--circuit", "mixed:1,1", "--spin-synthesis", "x"])).contains("--spin-synthesis"));
}
