//! One bench: its verdicts with their intervals drawn beside them, its blocks, its phases.

use maud::{Markup, html};

use super::charts::forest::Forest;
use super::charts::{series, timeline};
use super::{arm, name, verdict};
use crate::judge::Kind;
use crate::report::factors;
use crate::report::format::{confidence, count, share};
use crate::report::text::Text;
use crate::report::view::{BenchView, Fact, Row, View, common_level};

pub(super) fn section(bench: &BenchView, view: &View) -> Markup {
    html! {
        section class="bench" {
            h2 { (name(&bench.name)) " " span class="detail" { (metric_words(&bench.metric)) } }
            @if !bench.args.is_empty() { p class="command" { code { (Text(&bench.args)) } } }
            (verdicts(bench, view))
            (blocks(bench))
            (whole(bench, view))
            (phases(bench))
            (facts(bench, view))
        }
    }
}

fn metric_words(metric: &str) -> Markup {
    match metric {
        "span" => html! { "span: from the start until all memory is given back" },
        "total" => html! { "total: from the start to the result" },
        "peak_rss" => html! { "peak resident memory" },
        phase => html! { "time of phase " (name(phase)) },
    }
}

fn verdicts(bench: &BenchView, view: &View) -> Markup {
    let forest = Forest::new(&bench.primary, view.terms.min_effect, view.percent);
    let level = common_level(bench.primary.iter()).map(confidence);
    html! {
        div class="scroll" {
            table class="verdicts" {
                caption {
                    @if bench.primary.iter().any(|row| row.kind == Kind::Effect) {
                        "Each factor’s effect, a contrast over all arms of a block. A change below zero is "
                    } @else {
                        "Each arm against base, paired by block. A change below zero is "
                    }
                    (if bench.metric == "peak_rss" { "smaller" } else { "faster" })
                    "; the shaded band is ±" (share(view.terms.min_effect)) "."
                }
                thead {
                    tr {
                        th scope="col" { "arm" }
                        th scope="col" class="n roomy" { "base" }
                        th scope="col" class="n roomy" { "arm’s value" }
                        th scope="col" class="n" { "change" }
                        th scope="col" class="n" { @if let Some(level) = &level { (level) " " } "interval" }
                        th scope="col" { "verdict" }
                        th scope="col" class="plot" { span class="unseen" { "interval, drawn" } }
                    }
                }
                tbody {
                    @for row in &bench.primary {
                        tr class=(row.verdict.class()) {
                            th scope="row" { (arm(row)) }
                            td class="n roomy" { (row.shown.base) }
                            td class="n roomy" { (row.shown.arm_value) }
                            td class="n change" { (row.shown.change) }
                            td class="n" title=[row.ratio.map(|ratio| confidence(ratio.level))] { (row.shown.interval) }
                            td { (verdict(row.verdict)) }
                            td class="plot" { (forest.mark(row)) }
                        }
                    }
                }
                tfoot aria-hidden="true" {
                    tr {
                        td {}
                        @for _ in 0..2 { td class="roomy" {} }
                        @for _ in 0..3 { td {} }
                        td class="plot" { (forest.axis()) }
                    }
                }
            }
        }
        (explanations(&bench.primary, view))
    }
}

/// Where the whole comes from.
fn whole(bench: &BenchView, view: &View) -> Markup {
    let percent = view.percent;
    html! {
        @if let Some(whole) = &bench.attribution {
            h3 { "Where " (name(&whole.whole.label)) " comes from" }
            div class="scroll" {
                table {
                    thead {
                        tr {
                            th scope="col" { "part" }
                            th scope="col" class="n" { "change" }
                            th scope="col" class="n" { "interval" }
                            th scope="col" class="n" { "adds" }
                            th scope="col" class="n" { "interval" }
                        }
                    }
                    tbody {
                        @for (label, part) in factors::parts(whole) {
                            tr {
                                th scope="row" { (name(label)) }
                                td class="n" { (percent.change(part.ratio.estimate)) }
                                td class="n" { (percent.interval(&part.ratio)) }
                                td class="n" { (factors::signed(bench.unit, part.units.estimate)) }
                                td class="n" { (factors::units(bench.unit, &part.units)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn explanations(rows: &[Row], view: &View) -> Markup {
    let explained: Vec<(&Row, String)> =
        rows.iter().filter_map(|row| Some((row, row.explanation(view.percent)?))).collect();
    html! {
        @if !explained.is_empty() {
            ul class="remarks" {
                @for (row, text) in &explained { li { b { (name(&row.arm)) } " " (Text(text)) } }
            }
        }
    }
}

fn blocks(bench: &BenchView) -> Markup {
    let panels = series::panels(&bench.series, bench.unit);
    html! {
        @if !panels.is_empty() {
            h3 { "Block by block" }
            p class="muted" {
                "Each panel shows one arm in colour over base in grey, on one scale. Lines that move together are the machine, "
                "not the arm."
            }
            div class="panels" { @for panel in &panels { (panel) } }
        }
    }
}

fn phases(bench: &BenchView) -> Markup {
    let table = phase_table(bench);
    html! {
        @if !bench.timelines.is_empty() {
            h3 { "Phases" }
            p class="muted" {
                "For each arm the iteration whose " (Text(&bench.metric)) " lies closest to the arm’s median, as it ran."
            }
            (timeline::legend(&bench.timelines))
            div class="scroll" { (timeline::chart(&bench.timelines)) }
        }
        @if let Some(table) = table { (table) }
    }
}

/// Medians of base, and each arm's change against it, phase by phase.
fn phase_table(bench: &BenchView) -> Option<Markup> {
    // Where factors are judged, their effects; the arms one by one would be a table as wide as the design.
    let judged = bench.primary.first().map_or(Kind::Arm, |row| row.kind);
    let rows: Vec<&Row> =
        bench.secondary.iter().filter(|row| row.is_phase && is_warm(row) && row.kind == judged).collect();
    // As they ran, not by name; one that no timeline shows comes last.
    let ran = bench.timelines.iter().flat_map(|timeline| &timeline.bars).map(|bar| bar.phase.as_str());
    let ran = ran.filter(|phase| rows.iter().any(|row| row.metric == *phase));
    let names = distinct(ran.chain(rows.iter().map(|row| row.metric.as_str())));
    let arms = distinct(rows.iter().map(|row| row.arm.as_str()));
    let find = |phase: &str, arm: &str| rows.iter().find(|row| row.metric == phase && row.arm == arm).copied();
    (!rows.is_empty()).then(|| {
        html! {
            div class="scroll" {
                table class="matrix" {
                    caption { "Median of base, and the change of each arm. Secondary: these explain, they decide nothing." }
                    thead {
                        tr {
                            th scope="col" { "phase" }
                            th scope="col" class="n" { "base" }
                            @for arm in &arms { th scope="col" class="n" { (name(arm)) } }
                        }
                    }
                    tbody {
                        @for phase in &names {
                            tr {
                                th scope="row" { (timeline::swatch(phase)) (name(phase)) }
                                td class="n" {
                                    @if let Some(row) = rows.iter().find(|row| row.metric == **phase) { (row.shown.base) }
                                }
                                @for arm in &arms { (phase_cell(find(phase, arm))) }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn phase_cell(row: Option<&Row>) -> Markup {
    let Some(row) = row else { return html! { td class="n muted" { "–" } } };
    let says = format!(
        "{}: {}, {}, {}",
        count(row.pairs, "pair"),
        row.shown.arm_value,
        row.shown.interval,
        row.verdict.word()
    );
    html! {
        td class={ "n " (row.verdict.class()) } title=(says) {
            @if row.verdict.is_change() { span class="sign" { (row.verdict.sign()) } " " }
            (row.shown.change)
        }
    }
}

/// What the program chose, and in which arms it chose otherwise.
fn facts(bench: &BenchView, view: &View) -> Markup {
    let all = view.arms.iter().filter(|arm| arm.same_as.is_none()).count();
    html! {
        @if !bench.facts.is_empty() {
            details class="small" {
                summary { "What the program said of itself" }
                div class="scroll" {
                    table {
                        thead { tr { th scope="col" { "fact" } th scope="col" { "value" } th scope="col" { "arms" } } }
                        tbody { @for fact in &bench.facts { (fact_rows(fact, all)) } }
                    }
                }
            }
        }
    }
}

fn fact_rows(fact: &Fact, all: usize) -> Markup {
    html! {
        @for given in &fact.values {
            tr {
                th scope="row" { (name(&fact.name)) }
                td class="prose" { code { (Text(&value_text(&given.value))) } }
                td class="prose" {
                    @if given.arms.len() == all { "all" }
                    @else { @for (at, arm) in given.arms.iter().enumerate() { @if at > 0 { ", " } (name(arm)) } }
                }
            }
        }
    }
}

/// Text as it is, anything else as JSON.
fn value_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_warm(row: &Row) -> bool {
    row.temperature == crate::judge::Temperature::Warm
}

/// Names in order of their first appearance.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}
