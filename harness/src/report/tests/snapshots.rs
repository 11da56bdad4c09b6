//! How a report of the fixture reads.

use insta::assert_snapshot;

use super::fixture::fixture;
use super::written;
use crate::judge::Verdict;
use crate::record::{Finding, FindingKind};
use crate::report::terminal::{Style, table};

#[test]
fn terminal_table() {
    let mut fixture = fixture();
    assert_snapshot!(table(&fixture.judgement, &fixture.run, Style::PLAIN));

    fixture.run.findings.push(Finding {
        kind: FindingKind::Stale,
        arm: "A1".to_owned(),
        evidence: "libgroth16_cuda.a changed, the binary did not".to_owned(),
        remedy: "add cargo::rerun-if-changed for the folder".to_owned(),
    });
    let text = table(&fixture.judgement, &fixture.run, Style::PLAIN);
    assert_snapshot!("terminal_table_with_a_finding", text.split_once("noise").unwrap().1);
}

#[test]
fn what_counts_for_nothing_says_why_and_a_compiler_speaks_in_lines() {
    let mut fixture = fixture();
    for (at, verdict) in [Verdict::MeasuredNothing, Verdict::Invalid, Verdict::Invalid].into_iter().enumerate() {
        let comparison = &mut fixture.judgement.comparisons[at];
        comparison.verdict = verdict;
        comparison.note = Some("4 of 12 pairs are left out: 4 for a failed sample (base 0, arm 4)".to_owned());
    }
    fixture.run.findings.push(Finding {
        kind: FindingKind::BuildFailed,
        arm: "D4".to_owned(),
        evidence: "error[E0308]: mismatched types\n --> src/main.rs:3:5\n  |\n3 |     1\u{1b}[0m\n".to_owned(),
        remedy: "mend it".to_owned(),
    });
    let text = table(&fixture.judgement, &fixture.run, Style::PLAIN);
    assert_snapshot!("terminal_reasons", text.split_once("\nnoise").unwrap().1);
}

#[test]
fn summary_and_tables() {
    let files = written(&fixture());
    assert_snapshot!("summary", files["summary.md"]);
    for name in ["effects", "builds"] {
        assert_snapshot!(name, files[&format!("{name}.csv")]);
    }
    for name in ["comparison", "phases", "samples"] {
        let lines: Vec<&str> = files[&format!("{name}.csv")].lines().take(12).collect();
        assert_snapshot!(name, lines.join("\n"));
    }
}

#[test]
fn colour_is_added_on_request_and_never_alone() {
    let fixture = fixture();
    let coloured = table(&fixture.judgement, &fixture.run, Style { colour: true, ..Style::PLAIN });
    let plain = table(&fixture.judgement, &fixture.run, Style::PLAIN);
    assert!(!plain.contains('\u{1b}') && coloured.contains("\u{1b}["));
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&codes.replace_all(&coloured, "")), words(&plain));
}
