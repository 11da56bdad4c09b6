//! Names and texts from outside that have broken reports elsewhere.

use unicode_width::UnicodeWidthStr;

use super::fixture::{Fixture, fixture};
use super::markup::read;
use super::{data, records, written};
use crate::record::{Finding, FindingKind};
use crate::report::terminal::{Style, table};

const SCRIPT: &str = "</script><script>alert(1)</script>";
const IMAGE: &str = "<img src=x onerror=alert(1)>";

fn names() -> [String; 10] {
    let long = "x".repeat(10_000);
    ["a'b", "a\\", "two\nlines", SCRIPT, IMAGE, "a\u{202e}b", long.as_str(), "=1+2", "@SUM(A1)", "\ttab"]
        .map(str::to_owned)
}

/// The fixture with every name of an arm, a bench, a phase and every free text replaced.
fn named(name: &str) -> Fixture {
    let mut fixture = fixture();
    let rename = |text: &mut String| {
        if text == "A1" || text == "synth" || text == "free" {
            name.clone_into(text);
        }
    };
    fixture.run.arms.iter_mut().for_each(|arm| rename(&mut arm.id));
    fixture.run.builds.iter_mut().flat_map(|build| &mut build.arms).for_each(rename);
    fixture.experiment.benches.iter_mut().for_each(|bench| rename(&mut bench.name));
    for sample in &mut fixture.samples {
        rename(&mut sample.arm);
        rename(&mut sample.bench);
        let measurements = sample.warm.iter_mut().chain(&mut sample.cold);
        measurements.flat_map(|m| &mut m.phases).for_each(|phase| rename(&mut phase.name));
        sample.reason = sample.reason.as_ref().map(|_| name.to_owned());
    }
    for comparison in &mut fixture.judgement.comparisons {
        rename(&mut comparison.arm);
        rename(&mut comparison.bench);
        comparison.note = Some(name.to_owned());
    }
    fixture.judgement.noise.iter_mut().for_each(|noise| rename(&mut noise.bench));
    fixture.experiment.question = name.to_owned();
    fixture.judgement.notices.push(name.to_owned());
    fixture.run.host.name = name.to_owned();
    let finding = || name.to_owned();
    fixture.run.findings.push(Finding {
        kind: FindingKind::Inert,
        arm: finding(),
        evidence: finding(),
        remedy: finding(),
    });
    fixture
}

#[test]
fn names_are_shown_once_and_literally() {
    for name in names() {
        let files = written(&named(&name));
        let elements = read(&files["index.html"]);
        assert_eq!(elements.iter().filter(|e| e.name == "script").count(), 2, "{name:?}");
        assert!(!elements.iter().any(|e| e.name == "img"), "{name:?}");

        let seen = name.replace('\n', "␊").replace('\t', "␉").replace('\u{202e}', "⟨U+202E⟩");
        let heads: Vec<_> = elements.iter().filter(|e| e.name == "h2").map(|e| e.text.as_str()).collect();
        assert!(heads[0].starts_with(&format!("{seen} ")), "{:?}", heads[0]);
        let arms = |text: &str| {
            let rows = elements.iter().filter(|e| e.name == "th" && e.within.contains(&"tbody".to_owned()));
            rows.filter(|e| e.text == text).count()
        };
        assert_eq!(arms(&format!("{seen} smallvec")), 2, "one row a bench for {name:?}");
    }
}

#[test]
fn names_survive_the_way_through_data_and_tables() {
    for name in names() {
        let files = written(&named(&name));
        let data = data(&files["index.html"]);
        assert!(data["answer"].as_str().unwrap().chars().count() < 800, "a sentence has no room for ten thousand x");
        assert_eq!(data["question"], name.as_str());
        assert_eq!(data["benches"][0]["primary"][0]["arm"], name.as_str());
        assert_eq!(data["failed"][0]["reason"], name.as_str());

        let comparison = &records(&files["comparison.csv"])[0];
        for cell in [&comparison["arm"], &comparison["bench"], &comparison["note"]] {
            assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), name);
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t']), "{cell:?}");
        }
    }
}

#[test]
fn the_terminal_keeps_its_width_and_the_summary_its_rows() {
    for name in names() {
        let fixture = named(&name);
        for width in [80, 100, 120] {
            let text = table(&fixture.judgement, &fixture.run, Style { colour: false, width });
            assert!(!text.contains(['\t', '\u{202e}', '\u{1b}']));
            let drawn = text.split_once("noise on").unwrap().0;
            for line in drawn.lines() {
                assert!(line.width() <= usize::from(width), "{width}: {line}");
            }
        }
        let summary = written(&fixture)["summary.md"].clone();
        let unescaped_bars = |line: &str| line.replace("\\|", "").matches('|').count();
        let rows: Vec<&str> = summary.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows.len(), 11);
        assert!(rows.iter().all(|row| unescaped_bars(row) == 8), "{rows:?}");
        assert!(!summary.contains("<img") && !summary.contains("<script"));
    }
}
