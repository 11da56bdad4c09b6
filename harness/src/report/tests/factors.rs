//! How a judgement of factors reads: effects, interactions, where the whole comes from, drift.

use insta::assert_snapshot;

use super::fixture::{Fixture, fixture};
use super::{records, written};
use crate::judge::{Attribution, Comparison, Family, Interval, Kind, Ledger, Part, Trend, Verdict};
use crate::report::terminal::{Style, table};

fn interval(estimate: f64, width: f64) -> Interval {
    Interval { estimate, low: estimate - width, high: estimate + width, level: 0.005 }
}

fn part(label: &str, share: f64, ms: f64) -> Part {
    Part { label: label.to_owned(), ratio: interval(1.0 + share, 0.004), units: interval(1e6 * ms, 5e6) }
}

/// The fixture's arms as effects of factors on one bench, with what else goes with such a judgement.
fn factorial() -> Fixture {
    let mut fixture = fixture();
    let comparisons = &mut fixture.judgement.comparisons;
    comparisons.retain(|comparison| comparison.bench == "synth");
    for comparison in comparisons.iter_mut() {
        comparison.kind = Kind::Effect;
        comparison.settings = vec![(comparison.arm.clone(), "on".to_owned())];
    }
    comparisons[1].contains = Some("A1×D4".to_owned());
    let interaction = |arm: &str, change: f64, p: f64| Comparison {
        arm: arm.to_owned(),
        kind: Kind::Interaction,
        settings: arm.split('×').map(|id| (id.to_owned(), "on".to_owned())).collect(),
        family: Family::Secondary,
        base: None,
        arm_value: None,
        ratio: Some(interval(1.0 + change, 0.006)),
        p: Some(p),
        verdict: if change > 0.01 { Verdict::Regression } else { Verdict::Equivalent },
        ..comparisons[0].clone()
    };
    let more = [interaction("A1×A2", 0.001, 0.8), interaction("A1×A4", 0.021, 0.002)];
    comparisons.extend(more);
    fixture.judgement.attributions = vec![Attribution {
        bench: "synth".to_owned(),
        ledger: Ledger::AloneAndPairs,
        blocks: 12,
        whole: part("A1+A2+A4+D4", 0.057, 68.4),
        parts: vec![part("A1", 0.062, 73.0), part("A2", -0.049, -58.1), part("A1×A4", 0.021, 24.9)],
        rest: Some(part("rest", 0.024, 28.6)),
    }];
    let (run, block) = (Some(interval(1.031, 0.01)), Some(interval(0.999, 0.003)));
    fixture.judgement.trends = vec![Trend { bench: "synth".to_owned(), over_run: run, within_block: block }];
    fixture
}

#[test]
fn the_terminal_shows_factors() {
    let fixture = factorial();
    assert_snapshot!(table(&fixture.judgement, &fixture.run, Style::PLAIN));
}

#[test]
fn the_tables_hold_effects_and_parts() {
    let files = written(&factorial());
    assert_snapshot!("attribution", files["attribution.csv"]);
    let effects = records(&files["effects.csv"]);
    let interaction = effects.iter().find(|effect| effect["arm"] == "A1×A4").expect("it is there");
    assert_eq!((interaction["factor"].as_str(), interaction["level"].as_str()), ("A1×A4", "on×on"));
    assert_eq!((interaction["kind"].as_str(), interaction["family"].as_str()), ("interaction", "secondary"));
    assert!(effects.iter().any(|effect| effect["kind"] == "effect" && effect["cannot_be_told_from"] == "A1×D4"));
    let sum: f64 = records(&files["attribution.csv"])
        .iter()
        .filter(|row| row["part"] != "whole")
        .map(|row| row["units"].parse::<f64>().unwrap())
        .sum();
    assert!((sum - 68.4e6).abs() < 1.0, "{sum}");
}

#[test]
fn the_page_shows_where_the_whole_comes_from() {
    let page = &written(&factorial())["index.html"];
    for text in ["Where <span class=\"name\">A1+A2+A4+D4</span> comes from", "unexplained rest", "Each factor’s effect"]
    {
        assert!(page.contains(text), "{text}");
    }
}
