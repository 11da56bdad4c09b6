//! The least that can be reported, and numbers that are none.

use super::fixture::fixture;
use super::markup::read;
use super::{data, records, written};
use crate::judge::{Interval, Verdict};
use crate::report::terminal::{Style, table};

#[test]
fn one_sample_makes_a_whole_report() {
    let mut fixture = fixture();
    fixture.samples.truncate(1);
    fixture.judgement.blocks = 0;
    fixture.judgement.look = None;
    fixture.judgement.noise.clear();
    for comparison in &mut fixture.judgement.comparisons {
        (comparison.pairs, comparison.ratio, comparison.p, comparison.base) = (0, None, None, None);
        (comparison.arm_value, comparison.verdict) = (None, Verdict::MeasuredNothing);
    }
    let files = written(&fixture);
    assert!(read(&files["index.html"]).len() > 100);
    assert_eq!(records(&files["samples.csv"]).len(), 1);
    assert_eq!(data(&files["index.html"])["outcome"]["code"], 5);
    assert!(files["summary.md"].contains("Nothing was measured"));
}

#[test]
fn nothing_at_all_makes_a_whole_report() {
    let mut fixture = fixture();
    fixture.samples.clear();
    fixture.judgement.blocks = 0;
    fixture.judgement.comparisons.clear();
    fixture.judgement.noise.clear();
    fixture.run.builds.clear();
    let files = written(&fixture);
    assert!(read(&files["index.html"]).len() > 30);
    assert_eq!(records(&files["effects.csv"]).len(), 0);
    assert!(files["effects.csv"].starts_with("factor,level,"));
    assert!(table(&fixture.judgement, &fixture.run, Style::PLAIN).contains("exit code 5"));
}

#[test]
fn numbers_that_are_none_are_null_and_not_available() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut fixture = fixture();
        let comparison = &mut fixture.judgement.comparisons[0];
        comparison.base = Some(0.0);
        comparison.arm_value = Some(value);
        comparison.p = Some(value);
        comparison.detectable = Some(value);
        comparison.verdict = Verdict::Inconclusive;
        comparison.ratio = Some(Interval { estimate: value, low: value, high: value, level: 0.005 });
        let files = written(&fixture);

        let row = data(&files["index.html"])["benches"][0]["primary"][0].clone();
        assert_eq!(row["base"], 0.0);
        for key in ["arm_value", "ratio", "p", "detectable"] {
            assert!(row[key].is_null(), "{key}: {row}");
        }
        let shown: Vec<String> = read(&files["index.html"])
            .into_iter()
            .filter(|e| e.name == "td" && e.attributes.get("class").is_some_and(|class| class.starts_with('n')))
            .take(4)
            .map(|e| e.text)
            .collect();
        assert_eq!(shown, ["0 ns", "n/a", "n/a", "n/a"]);

        let record = &records(&files["comparison.csv"])[0];
        assert_eq!(record["base"], "0");
        assert_eq!([&record["arm_value"], &record["ratio"], &record["p"]], ["", "", ""]);
        for (name, text) in files.iter().filter(|(name, _)| name.as_str() != "index.html") {
            assert!(!text.contains("NaN") && !text.contains("inf,"), "{name}");
        }
    }
}

#[test]
fn an_interval_open_to_one_side_says_so() {
    let mut fixture = fixture();
    fixture.judgement.comparisons[0].ratio =
        Some(Interval { estimate: 1.06, low: 1.01, high: f64::INFINITY, level: 0.005 });
    let files = written(&fixture);
    assert!(files["summary.md"].contains("| above +1.0% |"));
    assert!(files["summary.md"].contains("by 6.0% (at least 1.0%)"));
    assert!(data(&files["index.html"])["benches"][0]["primary"][0]["ratio"]["high"].is_null());
    assert!(read(&files["index.html"]).iter().any(|e| e.attributes.get("class").is_some_and(|c| c == "arrow")));
}

#[test]
fn intervals_of_several_levels_are_not_headed_by_one() {
    let mut fixture = fixture();
    let headed = |fixture: &super::Fixture| table(&fixture.judgement, &fixture.run, Style::PLAIN);
    assert!(headed(&fixture).contains("synth (total, 99.5% intervals)"));
    if let Some(ratio) = &mut fixture.judgement.comparisons[1].ratio {
        ratio.level = 0.0004;
    }
    assert!(headed(&fixture).contains("synth (total)"));
    assert!(headed(&fixture).contains("prove (span, 99.5% intervals)"));
    let page = written(&fixture).remove("index.html").unwrap();
    let titles: Vec<_> = read(&page).into_iter().filter_map(|e| e.attributes.get("title").cloned()).collect();
    assert!(titles.contains(&"99.96%".to_owned()) && titles.contains(&"99.5%".to_owned()));
}

#[test]
fn writing_again_replaces_and_a_folder_that_cannot_be_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = fixture();
    let write = |fixture: &super::Fixture, dir: &std::path::Path| {
        crate::report::write(&fixture.experiment, &fixture.run, &fixture.samples, &fixture.judgement, dir)
    };
    write(&fixture, dir.path()).unwrap();
    fixture.judgement.comparisons.clear();
    write(&fixture, dir.path()).unwrap();
    let comparison = std::fs::read_to_string(dir.path().join("comparison.csv")).unwrap();
    assert_eq!(comparison.lines().count(), 1);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 8, "no temporary file stays");

    let file = dir.path().join("summary.md");
    let error = format!("{:#}", write(&fixture, &file).unwrap_err());
    assert!(error.contains("summary.md"), "{error}");
}
