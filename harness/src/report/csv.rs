//! The six tables of a report.
//!
//! One header line, one row a record, values in full and in base units: nanoseconds and bytes as the column's name or its
//! `unit` says, ratios as arm over base. An empty cell is a value that does not exist, or an end of an interval that the
//! sample does not bound. Text cells are neutralised for spreadsheets as [`super::text::cell`] says.

use ::csv::Writer;
use anyhow::Result;

use super::text::cell;
use super::view::{Effect, Row, View, exit_words};
use crate::experiment::Metric;
use crate::judge::{Attribution, Family, Interval, Kind, Ledger, Part, Temperature};
use crate::record::{Build, Measurement, Sample, Status};
use crate::report::format::Unit;
use crate::shell;

const INTERVAL: [&str; 4] = ["ratio", "ratio_low", "ratio_high", "interval_level"];

/// File names and contents.
pub(super) fn tables(view: &View, samples: &[Sample]) -> Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![
        ("comparison.csv", comparison(view)?),
        ("effects.csv", effects(view)?),
        ("attribution.csv", attribution(view)?),
        ("phases.csv", phases(view)?),
        ("builds.csv", builds(view)?),
        ("samples.csv", sample_rows(samples)?),
    ])
}

fn table(header: &[&[&str]], rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(header.iter().copied().flatten())?;
    for row in rows {
        writer.write_record(row)?;
    }
    Ok(writer.into_inner()?)
}

fn comparison(view: &View) -> Result<Vec<u8>> {
    let header: [&[&str]; 3] = [
        &["bench", "arm", "kind", "metric", "temperature", "family", "pairs", "failed", "base", "arm_value", "unit"],
        &INTERVAL,
        &["p", "verdict", "detectable", "blocks_needed", "note"],
    ];
    table(&header, view.primary().chain(view.secondary()).map(comparison_row))
}

fn comparison_row(row: &Row) -> Vec<String> {
    let mut cells = vec![
        text(&row.bench),
        text(&row.arm),
        kind(row.kind).to_owned(),
        text(&row.metric),
        temperature(row.temperature).to_owned(),
        family(row.family).to_owned(),
        row.pairs.to_string(),
        row.failed.to_string(),
        number(row.base),
        number(row.arm_value),
        unit(row.unit).to_owned(),
    ];
    cells.extend(interval(row.ratio.as_ref()));
    cells.extend([
        number(row.p),
        row.verdict.word().to_owned(),
        number(row.detectable),
        row.blocks_needed.map(|n| n.to_string()).unwrap_or_default(),
        text(row.note.as_deref().unwrap_or_default()),
    ]);
    cells
}

fn effects(view: &View) -> Result<Vec<u8>> {
    let header: [&[&str]; 3] = [
        &["factor", "level", "kind", "arm", "bench", "metric", "temperature", "family"],
        &INTERVAL,
        &["p", "verdict", "cannot_be_told_from"],
    ];
    let row = |Effect { factor, level, row }: &Effect| {
        let names = [factor, level, kind(row.kind), &row.arm, &row.bench, &row.metric];
        let mut cells: Vec<String> = names.map(text).to_vec();
        cells.extend([temperature(row.temperature), family(row.family)].map(str::to_owned));
        cells.extend(interval(row.ratio.as_ref()));
        cells.extend([number(row.p), row.verdict.word().to_owned(), text(row.contains.as_deref().unwrap_or_default())]);
        cells
    };
    table(&header, view.effects.iter().map(row))
}

/// One row for the whole, each part and the rest.
fn attribution(view: &View) -> Result<Vec<u8>> {
    let header: [&[&str]; 3] =
        [&["bench", "ledger", "part"], &INTERVAL, &["units", "units_low", "units_high", "unit", "blocks"]];
    let rows = view.benches.iter().flat_map(|bench| {
        let of_bench = |whole: &Attribution| -> Vec<Vec<String>> {
            let parts = std::iter::once(("whole", &whole.whole))
                .chain(whole.parts.iter().map(|part| (part.label.as_str(), part)))
                .chain(whole.rest.iter().map(|rest| ("rest", rest)));
            let row = |(name, part): (&str, &Part)| {
                let mut cells = vec![text(&whole.bench), ledger(whole.ledger).to_owned(), text(name)];
                cells.extend(interval(Some(&part.ratio)));
                cells.extend([part.units.estimate, part.units.low, part.units.high].map(|value| number(Some(value))));
                cells.extend([unit(bench.unit).to_owned(), whole.blocks.to_string()]);
                cells
            };
            parts.map(row).collect()
        };
        bench.attribution.iter().flat_map(of_bench).collect::<Vec<_>>()
    });
    table(&header, rows)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Arm => "arm",
        Kind::Effect => "effect",
        Kind::Interaction => "interaction",
    }
}

fn ledger(ledger: Ledger) -> &'static str {
    match ledger {
        Ledger::AloneAndPairs => "alone-and-pairs",
        Ledger::MainEffects => "main-effects",
    }
}

fn phases(view: &View) -> Result<Vec<u8>> {
    let header: [&[&str]; 3] = [
        &["bench", "arm", "kind", "phase", "temperature", "family", "pairs", "base_ns", "arm_ns"],
        &INTERVAL,
        &["p", "verdict"],
    ];
    let row = |row: &Row| {
        let mut cells: Vec<String> = [&row.bench, &row.arm, kind(row.kind), &row.metric].map(text).to_vec();
        cells.extend([temperature(row.temperature), family(row.family)].map(str::to_owned));
        cells.extend([row.pairs.to_string(), number(row.base), number(row.arm_value)]);
        cells.extend(interval(row.ratio.as_ref()));
        cells.extend([number(row.p), row.verdict.word().to_owned()]);
        cells
    };
    table(&header, view.primary().chain(view.secondary()).filter(|row| row.is_phase).map(row))
}

fn builds(view: &View) -> Result<Vec<u8>> {
    let header: [&[&str]; 1] =
        [&["arms", "features", "rebuilt", "compiled", "fresh_count", "raw", "binary", "size_bytes", "ns", "command"]];
    let row = |build: &Build| {
        vec![
            text(&build.arms.join(" ")),
            text(&build.features.join(" ")),
            build.rebuilt.to_string(),
            text(&build.compiled.join(" ")),
            build.fresh_count.to_string(),
            text(&build.raw),
            text(build.binary.as_deref().unwrap_or_default()),
            build.size_bytes.to_string(),
            build.ns.to_string(),
            text(&shell::line(&build.command)),
        ]
    };
    table(&header, view.builds.iter().map(row))
}

/// One row a sample; its warm iterations are averaged and rounded to the unit, as the sample's value is.
fn sample_rows(samples: &[Sample]) -> Result<Vec<u8>> {
    let header: [&[&str]; 5] = [
        &["block", "position", "arm", "bench", "started", "binary", "status", "reason", "exit"],
        &["cold_total_ns", "cold_span_ns", "cold_peak_rss_bytes"],
        &["warm_iterations", "warm_total_ns", "warm_span_ns", "warm_peak_rss_bytes"],
        &["wall_ns", "user_ns", "system_ns", "load", "major_faults", "minor_faults"],
        &["voluntary_switches", "involuntary_switches", "proof"],
    ];
    table(&header, samples.iter().map(sample_row))
}

fn sample_row(sample: &Sample) -> Vec<String> {
    let conditions = &sample.conditions;
    let mut cells = vec![
        sample.block.to_string(),
        sample.position.to_string(),
        text(&sample.arm),
        text(&sample.bench),
        sample.started.to_string(),
        text(sample.binary.as_deref().unwrap_or_default()),
        if sample.status == Status::Ok { "ok" } else { "failed" }.to_owned(),
        text(sample.reason.as_deref().unwrap_or_default()),
        exit_words(&sample.exit),
    ];
    cells.extend(measured(sample.cold.as_slice()));
    cells.push(sample.warm.len().to_string());
    cells.extend(measured(&sample.warm));
    cells.push(conditions.wall_ns.to_string());
    cells.extend([conditions.user_ns, conditions.system_ns].map(whole));
    cells.push(number(conditions.load));
    cells.extend([conditions.major_faults, conditions.minor_faults].map(whole));
    cells.extend([conditions.voluntary_switches, conditions.involuntary_switches].map(whole));
    cells.push(text(sample.proof.as_deref().unwrap_or_default()));
    cells
}

fn measured(iterations: &[Measurement]) -> [String; 3] {
    [Metric::Total, Metric::Span, Metric::PeakRss].map(|metric| {
        let average = super::view::average(iterations, &metric);
        average.map(|value| format!("{value:.0}")).unwrap_or_default()
    })
}

fn text(text: &str) -> String {
    cell(text).into_owned()
}

fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

fn whole(value: Option<u64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn interval(interval: Option<&Interval>) -> [String; 4] {
    let end = |end: fn(&Interval) -> f64| number(interval.map(end));
    [end(|i| i.estimate), end(|i| i.low), end(|i| i.high), end(|i| i.level)]
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "ns",
        Unit::Bytes => "bytes",
    }
}

pub(super) fn temperature(temperature: Temperature) -> &'static str {
    match temperature {
        Temperature::Cold => "cold",
        Temperature::Warm => "warm",
    }
}

fn family(family: Family) -> &'static str {
    match family {
        Family::Primary => "primary",
        Family::Secondary => "secondary",
    }
}
