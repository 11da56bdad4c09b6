//! The forest plot of a bench: each arm's change with its interval, drawn in its row of the table over the band of ±δ.

use maud::{Markup, html};

use super::scale::Scale;
use crate::judge::{Interval, Verdict};
use crate::report::format::Percent;
use crate::report::view::Row;

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 38.0;
const MIDDLE: f64 = HEIGHT / 2.0;

/// One scale for all rows of a bench.
pub(in crate::report::html) struct Forest {
    scale: Scale,
    min_effect: f64,
    percent: Percent,
}

impl Forest {
    pub(in crate::report::html) fn new(rows: &[Row], min_effect: f64, percent: Percent) -> Self {
        Self { scale: Scale::new(range(rows, min_effect), (8.0, WIDTH - 8.0)), min_effect, percent }
    }

    /// The row's estimate and interval. An end outside the plot, or without a bound, ends in an arrow.
    pub(in crate::report::html) fn mark(&self, row: &Row) -> Markup {
        let says = match row.ratio {
            Some(_) => format!("{}, {}", row.shown.change, row.shown.interval),
            None => "no interval".to_owned(),
        };
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" aria-label=(says) {
                (self.ground())
                @if let Some(ratio) = row.ratio { (self.interval(&ratio)) (self.estimate(&ratio, row.verdict)) }
            }
        }
    }

    fn ground(&self) -> Markup {
        let (low, high) = (self.scale.place(-self.min_effect), self.scale.place(self.min_effect));
        let zero = self.scale.place(0.0);
        html! {
            rect class="band" x=(low) y="0" width=(tenth(high - low)) height=(HEIGHT) {}
            line class="zero" x1=(zero) x2=(zero) y1="0" y2=(HEIGHT) {}
        }
    }

    fn interval(&self, ratio: &Interval) -> Markup {
        let low = (ratio.low > 0.0 && self.scale.holds(ratio.low - 1.0)).then(|| self.scale.place(ratio.low - 1.0));
        let high = self.scale.holds(ratio.high - 1.0).then(|| self.scale.place(ratio.high - 1.0));
        let (from, to) = (low.unwrap_or(3.0), high.unwrap_or(WIDTH - 3.0));
        html! {
            line class="interval" x1=(from) x2=(to) y1=(MIDDLE) y2=(MIDDLE) {}
            (end(from, low.is_some(), 1.0)) (end(to, high.is_some(), -1.0))
        }
    }

    fn estimate(&self, ratio: &Interval, verdict: Verdict) -> Markup {
        let x = self.scale.place(ratio.estimate - 1.0);
        html! {
            @if verdict.is_change() {
                rect class={ "mark " (verdict.class()) } x=(tenth(x - 5.0)) y=(MIDDLE - 5.0) width="10" height="10" rx="1.5" {}
            } @else {
                circle class={ "mark " (verdict.class()) } cx=(x) cy=(MIDDLE) r="5" {}
            }
        }
    }

    /// Ticks below the rows.
    pub(in crate::report::html) fn axis(&self) -> Markup {
        html! {
            svg viewBox={ "0 0 " (WIDTH) " 22" } width=(WIDTH) height="22" {
                @for tick in self.scale.ticks(5) {
                    @let x = self.scale.place(tick);
                    line class="tick" x1=(x) x2=(x) y1="0" y2="4" {}
                    text class="label" x=(x) y="17" text-anchor=(anchor(x)) { (self.tick(tick)) }
                }
            }
        }
    }

    fn tick(&self, change: f64) -> String {
        if change.abs() < 1e-12 {
            return "0".to_owned();
        }
        let label = self.percent.change(1.0 + change);
        label.replace(".0%", "%")
    }
}

/// A cap where the interval ends, an arrow where it goes on; `inward` points to the interval's middle.
fn end(x: f64, bounded: bool, inward: f64) -> Markup {
    let back = tenth(x + 6.0 * inward);
    html! {
        @if bounded {
            line class="interval" x1=(x) x2=(x) y1=(MIDDLE - 4.0) y2=(MIDDLE + 4.0) {}
        } @else {
            path class="arrow" d={ "M" (x) " " (MIDDLE) "L" (back) " " (MIDDLE - 4.0) "L" (back) " " (MIDDLE + 4.0) "Z" } {}
        }
    }
}

fn anchor(x: f64) -> &'static str {
    match x {
        x if x < 20.0 => "start",
        x if x > WIDTH - 20.0 => "end",
        _ => "middle",
    }
}

fn tenth(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

/// The changes worth room: the band, all estimates, and interval ends up to a few times as far as these.
fn range(rows: &[Row], min_effect: f64) -> (f64, f64) {
    let ratios = || rows.iter().filter_map(|row| row.ratio);
    let farthest = ratios().map(|ratio| (ratio.estimate - 1.0).abs()).fold(0.0, f64::max);
    let reach = (1.25 * farthest).max(6.0 * min_effect).max(1e-6);
    let ends = ratios().flat_map(|ratio| [ratio.low - 1.0, ratio.high - 1.0]);
    let (mut low, mut high) = (-1.6 * min_effect, 1.6 * min_effect);
    for end in ends.chain(ratios().map(|ratio| ratio.estimate - 1.0)).filter(|end| end.is_finite()) {
        low = low.min(end.max(-reach));
        high = high.max(end.min(reach));
    }
    let pad = 0.03 * (high - low);
    (low - pad, high + pad)
}
