//! The head of the page: the question, the answer, the terms; and what the reader must know before trusting either.

use maud::{Markup, html};

use super::name;
use crate::record::State;
use crate::report::format::{count, share};
use crate::report::text::Text;
use crate::report::view::View;

/// Question, answer, exit code, terms.
pub(super) fn header(view: &View) -> Markup {
    let terms = &view.terms;
    html! {
        header {
            p class="eyebrow" { "ablate · " (name(&view.experiment)) " · " (view.created) }
            h1 { (Text(&view.question)) }
            p class={ "answer code-" (view.outcome.code) } { (Text(&view.answer)) }
            ul class="terms" {
                li { "exit code " b { (view.outcome.code) } ", " (view.outcome.meaning) }
                li { b { (terms.blocks) } " of " (count(terms.planned_blocks as usize, "block")) }
                li { "smallest change that matters " b { "±" (share(terms.min_effect)) } }
                li { b { (terms.family) } " primary " (if terms.family == 1 { "comparison" } else { "comparisons" })
                    ", α " b { (share(terms.alpha)) } " over all" }
            }
            @if let Some(expect) = &view.expect { p class="expect" { "Expected: " (Text(expect)) } }
        }
    }
}

/// Findings, an unfinished run, notices.
pub(super) fn alerts(view: &View) -> Markup {
    let state = match &view.state {
        State::Complete => None,
        State::Measuring => Some("Blocks are missing: this run is not finished.".to_owned()),
        State::Stopped { reason } => Some(format!("The run was stopped: {reason}")),
    };
    if view.findings.is_empty() && view.notices.is_empty() && state.is_none() {
        return html! {};
    }
    html! {
        section class="alerts" aria-label="Findings and notices" {
            @for finding in &view.findings {
                div class="alert finding" {
                    p { b { "Finding in " (name(&finding.arm)) ": " (finding.kind.word()) } }
                    p { (Text(&finding.evidence)) }
                    p class="muted" { (Text(&finding.remedy)) }
                }
            }
            @if let Some(state) = state { div class="alert" { p { (Text(&state)) } } }
            @if !view.notices.is_empty() {
                ul class="notices" { @for notice in &view.notices { li { (Text(notice)) } } }
            }
        }
    }
}

/// Where the numbers come from.
pub(super) fn footer(view: &View) -> Markup {
    html! {
        footer {
            p {
                "Made from " code { "results/" (name(&view.run)) "/samples.jsonl" } ", which holds every sample. The tables beside this "
                "page hold the same figures: " code { "comparison.csv" } ", " code { "effects.csv" } ", "
                code { "attribution.csv" } ", "
                code { "phases.csv" } ", " code { "builds.csv" } ", " code { "samples.csv" } "."
            }
        }
    }
}
