//! The page: one file that works offline, needs no script to be read, prints, and follows the reader's light or dark.
//!
//! Markup is written with templates that escape every text by themselves; text from outside passes through
//! [`super::text::Text`] besides, so that nothing in it can hide or turn the text around it.

mod bench;
mod charts;
mod provenance;
mod tables;
mod top;

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::text::{Text, clip, script_json};
use super::view::{Row, View};
use crate::judge::Verdict;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page. Its data stands in it once more as JSON, in the element `data`.
pub(super) fn page(view: &View) -> Result<String> {
    let data = script_json(view)?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
                title { (clip(&view.experiment, 60)) ": " (clip(&view.answer, 120)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (top::header(view))
                main {
                    (top::alerts(view))
                    @for bench in &view.benches { (bench::section(bench, view)) }
                    (tables::noise(view))
                    (tables::failed(view))
                    (provenance::builds(view))
                    (provenance::machine(view))
                    (tables::secondary(view))
                }
                (top::footer(view))
                script id="data" type="application/json" { (PreEscaped(data)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(page.into_string())
}

/// A name from outside: shown once and in full, on one line, cut by the page's style where it is too long for its place.
fn name(text: &str) -> Markup {
    html! { span class="name" { (Text(text)) } }
}

/// An arm: its id, and small beside it what stands behind the id.
fn arm(row: &Row) -> Markup {
    html! {
        (name(&row.arm))
        @if let Some(detail) = &row.shown.detail {
            " " span class="detail" { (Text(detail)) }
        }
    }
}

/// A verdict: a sign, a word, and a colour that repeats them.
fn verdict(verdict: Verdict) -> Markup {
    html! {
        span class={ "verdict " (verdict.class()) } { span aria-hidden="true" { (verdict.sign()) } " " (verdict.word()) }
    }
}
