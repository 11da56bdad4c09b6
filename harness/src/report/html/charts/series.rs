//! Block by block: one small panel for each arm, the arm's values over base's, all panels of a bench on one scale.

use std::fmt::Write;

use maud::{Markup, html};

use super::scale::Scale;
use crate::record::Role;
use crate::report::format::{Unit, count};
use crate::report::html::name;
use crate::report::text::clip;
use crate::report::view::{Points, Series};

const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 116.0;
const LEFT: f64 = 54.0;
const BOTTOM: f64 = 96.0;

/// The panels of all arms but base, or base's own where it stands alone.
pub(in crate::report::html) fn panels(series: &Series, unit: Unit) -> Vec<Markup> {
    let Some(scales) = Scales::over(series) else { return Vec::new() };
    let base = series.arms.iter().find(|points| points.role == Role::Base);
    let others: Vec<&Points> = series.arms.iter().filter(|points| points.role != Role::Base).collect();
    if others.is_empty() {
        return base.iter().map(|points| panel(points, None, &scales, unit)).collect();
    }
    others.into_iter().map(|points| panel(points, base, &scales, unit)).collect()
}

struct Scales {
    x: Scale,
    y: Scale,
    last_block: u32,
}

impl Scales {
    fn over(series: &Series) -> Option<Self> {
        let values = || series.arms.iter().flat_map(|points| &points.values);
        let last_block = values().map(|(block, _)| *block).max()?;
        let low = values().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        let high = values().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        let x = Scale::new((0.0, f64::from(last_block)), (LEFT + 8.0, WIDTH - 8.0));
        Some(Self { x, y: Scale::new((low, high), (BOTTOM - 8.0, 10.0)), last_block })
    }
}

fn panel(points: &Points, base: Option<&Points>, scales: &Scales, unit: Unit) -> Markup {
    let failed = match points.failed.len() {
        0 => String::new(),
        n => format!(", {} failed", count(n, "sample")),
    };
    let says = format!("{} over {}{failed}; base in grey", clip(&points.arm, 40), count(points.values.len(), "block"));
    html! {
        figure class="panel" {
            figcaption {
                (name(&points.arm))
                @if points.role == Role::BaseAgain { " " span class="detail" { "noise alone" } }
            }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(says) {
                (grid(scales, unit))
                @if let Some(base) = base { path class="line ground" d=(path(base, scales)) {} }
                path class="line own" d=(path(points, scales)) {}
                @for (block, value) in &points.values {
                    circle class="dot" cx=(scales.x.place(f64::from(*block))) cy=(scales.y.place(*value)) r="2.6" {
                        title { "block " (block) ": " (unit.show(Some(*value))) }
                    }
                }
                @for block in &points.failed {
                    text class="failed" x=(scales.x.place(f64::from(*block))) y=(BOTTOM - 3.0) text-anchor="middle" {
                        "×" title { "block " (block) ": failed" }
                    }
                }
            }
        }
    }
}

fn grid(scales: &Scales, unit: Unit) -> Markup {
    html! {
        @for tick in scales.y.ticks(4) {
            @let y = scales.y.place(tick);
            line class="grid" x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
            text class="label" x=(LEFT - 6.0) y=(y + 3.5) text-anchor="end" { (round(unit, tick)) }
        }
        @for block in [0, scales.last_block].iter().take(if scales.last_block == 0 { 1 } else { 2 }) {
            text class="label" x=(scales.x.place(f64::from(*block))) y=(HEIGHT - 4.0) text-anchor="middle" { (block) }
        }
        text class="label" x=(LEFT - 6.0) y=(HEIGHT - 4.0) text-anchor="end" { "block" }
    }
}

/// A tick's value without the zeros that only a measured value has reason to show.
fn round(unit: Unit, tick: f64) -> String {
    let shown = unit.show(Some(tick));
    match shown.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => shown,
    }
}

/// A line through the values; a block without one interrupts it.
fn path(points: &Points, scales: &Scales) -> String {
    let mut path = String::new();
    let mut before = None;
    for (block, value) in &points.values {
        let joined = before.is_some_and(|before: u32| before + 1 == *block);
        let (x, y) = (scales.x.place(f64::from(*block)), scales.y.place(*value));
        // Writing into a string cannot fail.
        let _ = write!(path, "{}{x} {y}", if joined { "L" } else { "M" });
        before = Some(*block);
    }
    path
}
