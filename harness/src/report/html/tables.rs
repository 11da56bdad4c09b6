//! Noise, failed samples, and the secondary comparisons.

use maud::{Markup, html};

use super::{name, verdict};
use crate::judge::Kind;
use crate::report::csv::temperature;
use crate::report::format::{ABSENT, p_value};
use crate::report::text::Text;
use crate::report::view::{NoiseView, View};

/// Base against its twin.
pub(super) fn noise(view: &View) -> Markup {
    let benches: Vec<_> = view.benches.iter().filter_map(|b| Some((&b.name, b.noise.as_ref()?))).collect();
    html! {
        @if !benches.is_empty() {
            section {
                h2 { "Noise" }
                p class="muted" { "Base runs twice in every block, under two names. What differs between the two is noise." }
                div class="scroll" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "bench" }
                                th scope="col" class="n" { "pairs" }
                                th scope="col" class="n" { "spread" }
                                th scope="col" class="n" { "change" }
                                th scope="col" class="n" { "interval" }
                                th scope="col" class="n" { "p" }
                                th scope="col" { "machine" }
                            }
                        }
                        tbody { @for (bench, noise) in &benches { (noise_row(bench, noise, view)) } }
                    }
                }
            }
        }
    }
}

fn noise_row(bench: &str, noise: &NoiseView, view: &View) -> Markup {
    let percent = view.percent;
    html! {
        tr {
            th scope="row" { (name(bench)) }
            td class="n" { (noise.pairs) }
            td class="n" { (noise.spread.filter(|s| s.is_finite()).map_or(ABSENT.to_owned(), |s| percent.size(s))) }
            td class="n" { (noise.ratio.map_or(ABSENT.to_owned(), |r| percent.change(r.estimate))) }
            td class="n" { (noise.ratio.map_or(ABSENT.to_owned(), |r| percent.interval(&r))) }
            td class="n" { (p_value(noise.p)) }
            td {
                @if noise.broken { span class="verdict invalid" { span aria-hidden="true" { "! " } "unfit" } }
                @else { "no complaint" }
            }
        }
    }
}

/// The samples that are no numbers.
pub(super) fn failed(view: &View) -> Markup {
    html! {
        @if !view.failed.is_empty() {
            section {
                h2 { "Failed samples" }
                div class="scroll" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "arm" }
                                th scope="col" { "bench" }
                                th scope="col" class="n" { "block" }
                                th scope="col" { "reason" }
                                th scope="col" { "exit" }
                            }
                        }
                        tbody {
                            @for failure in &view.failed {
                                tr {
                                    th scope="row" { (name(&failure.arm)) }
                                    td { (name(&failure.bench)) }
                                    td class="n" { (failure.block) }
                                    td class="prose" { (Text(&failure.reason)) }
                                    td { (failure.exit) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Everything else that was compared.
pub(super) fn secondary(view: &View) -> Markup {
    let rows: Vec<_> = view.secondary().collect();
    html! {
        @if !rows.is_empty() {
            section {
                details {
                    summary { h2 { "Secondary comparisons" } span class="muted" { (rows.len()) " rows" } }
                    p class="muted" {
                        "These explain the verdicts above and set no exit code. Their p-values are adjusted together "
                        "(Benjamini–Hochberg)."
                    }
                    div class="scroll" {
                        table class="sortable" {
                            thead {
                                tr {
                                    th scope="col" { "bench" }
                                    th scope="col" { "metric" }
                                    th scope="col" { "iteration" }
                                    th scope="col" { "arm" }
                                    th scope="col" class="n" { "base" }
                                    th scope="col" class="n" { "arm’s value" }
                                    th scope="col" class="n" { "change" }
                                    th scope="col" class="n" { "interval" }
                                    th scope="col" class="n" { "p" }
                                    th scope="col" { "verdict" }
                                }
                            }
                            tbody {
                                @for row in rows {
                                    tr {
                                        td { (name(&row.bench)) }
                                        td { (name(&row.metric)) }
                                        td { (temperature(row.temperature)) }
                                        th scope="row" {
                                            (name(&row.arm))
                                            @if row.kind == Kind::Effect { " " span class="detail" { "effect" } }
                                        }
                                        td class="n" data-value=[row.base] { (row.shown.base) }
                                        td class="n" data-value=[row.arm_value] { (row.shown.arm_value) }
                                        td class="n" data-value=[row.ratio.map(|r| r.estimate)] { (row.shown.change) }
                                        td class="n" data-value=[row.ratio.map(|r| r.low)] { (row.shown.interval) }
                                        td class="n" data-value=[row.p] { (p_value(row.p)) }
                                        td { (verdict(row.verdict)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
