//! The phases of one iteration of each arm as they ran; phases that overlap lie in lanes of their own.

use maud::{Markup, html};

use super::scale::Scale;
use crate::report::format::Unit;
use crate::report::html::name;
use crate::report::text::{Text, clip};
use crate::report::view::{Bar, Timeline};

const WIDTH: f64 = 980.0;
const LEFT: f64 = 120.0;
const RIGHT: f64 = WIDTH - 74.0;
const LANE: f64 = 20.0;
const GAP: f64 = 12.0;
/// Narrower bars than this are not drawn: a program may record many thousands.
const NARROWEST: f64 = 0.4;

/// The phases that have a colour of their own, in the order of the vocabulary.
const VOCABULARY: [&str; 13] = [
    "load_params",
    "synthesis",
    "pin",
    "ntt",
    "msm_h",
    "msm_l",
    "msm_a",
    "msm_b_g1",
    "msm_b_g2",
    "batch_add",
    "unpin",
    "assemble",
    "free",
];

/// The chart; all arms on one scale.
pub(in crate::report::html) fn chart(timelines: &[Timeline]) -> Markup {
    let longest = timelines.iter().map(|timeline| timeline.length_ns).max().unwrap_or(1);
    let scale = Scale::new((0.0, longest.max(1) as f64), (LEFT, RIGHT));
    let mut tops = Vec::with_capacity(timelines.len());
    let mut bottom = 4.0;
    for timeline in timelines {
        tops.push(bottom);
        bottom += lanes(timeline) * LANE + GAP;
    }
    let says = format!("Phases over time of {} arms", timelines.len());
    html! {
        svg class="timeline" viewBox={ "0 0 " (WIDTH) " " (bottom + 20.0) } role="img" aria-label=(says) {
            @for tick in scale.ticks(6) {
                @let x = scale.place(tick);
                line class="grid" x1=(x) x2=(x) y1="0" y2=(bottom - 4.0) {}
                text class="label" x=(x) y=(bottom + 12.0) text-anchor="middle" { (tick_label(tick)) }
            }
            @for (timeline, top) in timelines.iter().zip(&tops) { (row(timeline, *top, &scale)) }
        }
    }
}

fn lanes(timeline: &Timeline) -> f64 {
    timeline.bars.iter().map(|bar| bar.lane + 1).max().unwrap_or(1) as f64
}

fn row(timeline: &Timeline, top: f64, scale: &Scale) -> Markup {
    let middle = top + LANE / 2.0 + 4.0;
    let end = scale.place(timeline.length_ns as f64);
    html! {
        g {
            title { (Text(&clip(&timeline.arm, 80))) ", block " (timeline.block) }
            text class="arm" x=(LEFT - 10.0) y=(middle) text-anchor="end" { (clip(&timeline.arm, 15)) }
            rect class="extent" x=(LEFT) y=(top) width=(end - LEFT) height=(lanes(timeline) * LANE - 2.0) {}
            @for bar in &timeline.bars { (phase(bar, top, scale)) }
            text class="label" x=(end + 6.0) y=(middle) { (Unit::Ns.show(Some(timeline.length_ns as f64))) }
        }
    }
}

fn phase(bar: &Bar, top: f64, scale: &Scale) -> Markup {
    let x = scale.place(bar.start_ns as f64);
    let width = scale.place(bar.start_ns.saturating_add(bar.ns) as f64) - x;
    let y = top + bar.lane as f64 * LANE;
    let label = clip(&bar.phase, 24);
    let fits = label.chars().count() as f64 * 6.4 + 8.0 < width;
    html! {
        @if width >= NARROWEST {
            rect class={ "phase " (class(&bar.phase)) } x=(x) y=(y) width=(format!("{width:.1}")) height=(LANE - 2.0) {
                title { (clip(&bar.phase, 80)) ": " (Unit::Ns.show(Some(bar.ns as f64))) }
            }
            @if fits { text class="inside" x=(format!("{:.1}", x + 5.0)) y=(y + 13.0) { (label) } }
        }
    }
}

fn tick_label(ns: f64) -> String {
    if ns == 0.0 {
        "0".to_owned()
    } else {
        Unit::Ns.show(Some(ns)).replace(".000 ", " ").replace(".00 ", " ").replace(".0 ", " ")
    }
}

/// The phases in order of their appearance, with their colours.
pub(in crate::report::html) fn legend(timelines: &[Timeline]) -> Markup {
    let mut phases: Vec<&str> = Vec::new();
    for bar in timelines.iter().flat_map(|timeline| &timeline.bars) {
        if !phases.contains(&bar.phase.as_str()) {
            phases.push(&bar.phase);
        }
    }
    html! { ul class="legend" { @for phase in phases { li { (swatch(phase)) (name(phase)) } } } }
}

/// The phase's colour in a little square.
pub(in crate::report::html) fn swatch(phase: &str) -> Markup {
    html! { span class={ "swatch " (class(phase)) } aria-hidden="true" {} }
}

fn class(phase: &str) -> String {
    match VOCABULARY.iter().position(|known| *known == phase) {
        Some(at) => format!("p{at}"),
        None => "p-other".to_owned(),
    }
}
