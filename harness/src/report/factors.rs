//! What factors do together, as plain text: interactions, and where the whole comes from.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::format::{ABSENT, Percent, Unit, p_value};
use super::text::clip;
use crate::experiment::Metric;
use crate::judge::{Attribution, Comparison, Family, Interval, Judgement, Kind, Ledger, Part};

/// More interactions than this are counted, not listed.
const LISTED: usize = 10;

/// A table of interactions for each bench that has any, then one of the parts of the whole.
pub(super) fn text(judgement: &Judgement, percent: Percent) -> Vec<String> {
    let all: Vec<&Comparison> = (judgement.comparisons.iter())
        .filter(|comparison| comparison.kind == Kind::Interaction && comparison.family == Family::Secondary)
        .collect();
    let interactions = all.chunk_by(|a, b| a.bench == b.bench).map(|rows| interactions(rows, percent));
    let metric = |bench: &str| judgement.comparisons.iter().find(|comparison| comparison.bench == bench);
    let wholes = judgement.attributions.iter().map(|whole| {
        let unit = metric(&whole.bench).map_or(Unit::Ns, |comparison| Unit::of(&comparison.metric));
        attribution(whole, unit, percent)
    });
    interactions.chain(wholes).collect()
}

/// The clearest first.
fn interactions(rows: &[&Comparison], percent: Percent) -> String {
    let bench = rows.first().map_or("", |row| &row.bench);
    let metric = rows.first().map_or("", |row: &&Comparison| Metric::name(&row.metric));
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.p.unwrap_or(1.0).total_cmp(&b.p.unwrap_or(1.0)));
    let mut table = plain(&["factors", "together beyond each", "interval", "adjusted p", "cannot be told from"]);
    for row in sorted.iter().take(LISTED) {
        table.add_row([
            clip(&row.arm, 40),
            row.ratio.map_or(ABSENT.to_owned(), |ratio| percent.change(ratio.estimate)),
            row.ratio.map_or(ABSENT.to_owned(), |ratio| percent.interval(&ratio)),
            p_value(row.p),
            clip(row.contains.as_deref().unwrap_or_default(), 40),
        ]);
    }
    let more = sorted.len().saturating_sub(LISTED);
    let more = if more > 0 { format!("\n {more} more in effects.csv") } else { String::new() };
    format!("interactions on {} ({}), secondary\n{}{more}", clip(bench, 40), clip(metric, 20), lines(&table))
}

fn attribution(whole: &Attribution, unit: Unit, percent: Percent) -> String {
    let mut table = plain(&["part", "change", "interval", "adds", "interval"]);
    for (label, part) in parts(whole) {
        table.add_row([
            clip(label, 40),
            percent.change(part.ratio.estimate),
            percent.interval(&part.ratio),
            signed(unit, part.units.estimate),
            units(unit, &part.units),
        ]);
    }
    let how = match whole.ledger {
        Ledger::AloneAndPairs => "each factor alone, and what pairs do beyond that",
        Ledger::MainEffects => "each factor's effect averaged over the others",
    };
    format!("where {} on {} comes from: {how}\n{}", clip(&whole.whole.label, 40), clip(&whole.bench, 40), lines(&table))
}

/// `+12.3 ms`, `−4.0 ms`.
pub(super) fn signed(unit: Unit, value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", unit.show(Some(value.abs())))
}

/// `−1.0 ms to +2.0 ms`.
pub(super) fn units(unit: Unit, interval: &Interval) -> String {
    match (interval.low.is_finite(), interval.high.is_finite()) {
        (true, true) => format!("{} to {}", signed(unit, interval.low), signed(unit, interval.high)),
        _ => "unbounded".to_owned(),
    }
}

/// The parts, the rest and the whole, with their labels.
pub(super) fn parts(whole: &Attribution) -> impl Iterator<Item = (&str, &Part)> {
    let rest = whole.rest.iter().map(|rest| ("unexplained rest", rest));
    whole.parts.iter().map(|part| (part.label.as_str(), part)).chain(rest).chain([("the whole", &whole.whole)])
}

fn plain(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty();
    table.set_header(header.iter().enumerate().map(|(at, name)| Cell::new(name).set_alignment(alignment(at))));
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(alignment(at));
    }
    table
}

fn alignment(column: usize) -> CellAlignment {
    if (1..=3).contains(&column) { CellAlignment::Right } else { CellAlignment::Left }
}

fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
