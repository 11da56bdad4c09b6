//! The table on the terminal: for each bench and arm the base, the arm's value, the change with its interval, the verdict.
//!
//! Plain aligned text that reads the same in a log file; colour is added on request and repeats what a sign and a word
//! already say.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};

use unicode_width::UnicodeWidthStr;

use super::factors;
use super::format::{Percent, confidence, p_value};
use super::text::{clip, visible};
use super::view::{Names, Row, answer, common_level};
use crate::judge::{Family, Judgement, Kind, Noise, Trend, Verdict, outcome};
use crate::record::{Run, State};

/// How the table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Colour verdicts; only for a terminal.
    pub colour: bool,
    /// Columns to fill at most; below 80 it counts as 80.
    pub width: u16,
}

impl Style {
    /// For files and pipes.
    pub const PLAIN: Self = Self { colour: false, width: 100 };
}

const NARROWEST: u16 = 80;

const ARMS: [&str; 6] = ["arm", "base", "arm's value", "change", "interval", "verdict"];

const FACTORS: [&str; 6] = ["factor", "off", "on", "change", "interval", "verdict"];

/// The primary comparisons, bench by bench, then noise, findings, notices and the answer. Ends with a line end.
pub fn table(judgement: &Judgement, run: &Run, style: Style) -> String {
    let names = Names::of(run);
    let percent = Percent::for_min_effect(judgement.min_effect);
    let rows: Vec<Row> = judgement
        .comparisons
        .iter()
        .filter(|comparison| comparison.family == Family::Primary)
        .map(|comparison| Row::new(comparison, &names, percent))
        .collect();
    let mut blocks = Vec::new();
    for bench in rows.chunk_by(|a, b| a.bench == b.bench) {
        blocks.push(bench_table(bench, style));
    }
    blocks.extend(factors::text(judgement, percent));
    blocks.push(remarks(judgement, run, percent, style));
    let outcome = outcome(run, judgement);
    let answer = answer(outcome, run, judgement);
    let ending = format!("exit code {}: {}", outcome.code(), outcome.meaning());
    blocks.push(format!("{}\n{ending}", wrap(&visible(&answer), style)));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn bench_table(rows: &[Row], style: Style) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let level = common_level(rows.iter()).map(|level| format!(", {} intervals", confidence(level)));
    let title = format!("{} ({}{})", clip(&first.bench, 40), clip(&first.metric, 20), level.unwrap_or_default());
    let header = if rows.iter().any(|row| row.kind == Kind::Effect) { FACTORS } else { ARMS };
    let name_width = usize::from(style.width.clamp(NARROWEST, 120)) - 66;
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header.iter().enumerate().map(|(at, name)| Cell::new(name).set_alignment(alignment(at))));
    if style.colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    for row in rows {
        let texts = [
            arm(row, name_width),
            row.shown.base.clone(),
            row.shown.arm_value.clone(),
            row.shown.change.clone(),
            row.shown.interval.clone(),
        ];
        let cells = texts.into_iter().enumerate().map(|(at, text)| Cell::new(text).set_alignment(alignment(at)));
        table.add_row(cells.chain([verdict(row.verdict, style)]));
    }
    if let Some(column) = table.column_mut(0) {
        let widest = u16::try_from(name_width + 2).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(widest)));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    format!("{title}\n{}", lines.join("\n"))
}

fn alignment(column: usize) -> CellAlignment {
    if (1..=4).contains(&column) { CellAlignment::Right } else { CellAlignment::Left }
}

fn arm(row: &Row, width: usize) -> String {
    match &row.shown.detail {
        Some(detail) => clip(&format!("{} {detail}", row.arm), width),
        _ => clip(&row.arm, width),
    }
}

fn verdict(verdict: Verdict, style: Style) -> Cell {
    let cell = Cell::new(format!("{} {}", verdict.sign(), verdict.word()));
    match verdict {
        _ if !style.colour => cell,
        Verdict::Regression | Verdict::Invalid | Verdict::Stale | Verdict::MeasuredNothing => {
            cell.fg(Color::Red).add_attribute(Attribute::Bold)
        }
        Verdict::Improvement => cell.fg(Color::Green),
        Verdict::Inconclusive => cell.fg(Color::Yellow),
        Verdict::Equivalent => cell,
    }
}

fn remarks(judgement: &Judgement, run: &Run, percent: Percent, style: Style) -> String {
    let mut lines: Vec<String> = judgement.noise.iter().map(|noise| noise_line(noise, percent)).collect();
    lines.extend(judgement.trends.iter().filter_map(|trend| trend_line(trend, percent)));
    if let State::Stopped { reason } = &run.state {
        lines.extend(seen_lines("stopped: ", reason));
    }
    for finding in &run.findings {
        let head = format!("finding ({}, {}): ", finding.kind.word(), clip(&finding.arm, 40));
        lines.extend(seen_lines(&head, &finding.evidence));
        lines.extend(seen_lines("  ", &finding.remedy));
    }
    lines.extend(reasons(judgement, run));
    lines.extend(judgement.notices.iter().chain(&run.notices).flat_map(|notice| seen_lines("notice: ", notice)));
    let lines: Vec<String> = lines.iter().map(|line| wrap(line, style)).collect();
    lines.join("\n")
}

/// Text from outside, such as a compiler's error, line by line: lines after the first are set in by two columns.
fn seen_lines(head: &str, text: &str) -> Vec<String> {
    let line = |(at, line): (usize, &str)| format!("{}{}", if at == 0 { head } else { "  " }, visible(line));
    text.trim_end().split('\n').enumerate().map(line).collect()
}

/// Why comparisons have no verdict that counts, where neither a finding nor broken noise has said so already.
fn reasons(judgement: &Judgement, run: &Run) -> Vec<String> {
    let broken = judgement.noise.iter().any(|noise| noise.broken);
    let found = |arm: &str| run.findings.iter().any(|finding| finding.arm == arm);
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for comparison in judgement.comparisons.iter().filter(|comparison| comparison.family == Family::Primary) {
        let silent = match comparison.verdict {
            Verdict::Invalid => broken,
            Verdict::MeasuredNothing => found(&comparison.arm),
            _ => true,
        };
        let Some(note) = comparison.note.as_deref().filter(|_| !silent) else { continue };
        let reason = format!("{}, {}: {note}", comparison.verdict.word(), clip(&comparison.bench, 40));
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, arms)) => arms.push(&comparison.arm),
            None => reasons.push((reason, vec![&comparison.arm])),
        }
    }
    let line = |(reason, arms): &(String, Vec<&str>)| {
        let arms: Vec<String> = arms.iter().map(|arm| clip(arm, 40)).collect();
        seen_lines(&format!("{} ", arms.join(", ")), reason)
    };
    reasons.iter().flat_map(line).collect()
}

/// Breaks a line between words; what follows the break is set in by two columns.
fn wrap(line: &str, style: Style) -> String {
    let width = usize::from(style.width.max(NARROWEST));
    let mut text = String::with_capacity(line.len() + 8);
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        if used > 2 && used + word.trim_end().width() > width {
            text.truncate(text.trim_end().len());
            text.push_str("\n  ");
            used = 2;
        }
        text.push_str(word);
        used += word.width();
    }
    text
}

fn noise_line(noise: &Noise, percent: Percent) -> String {
    let bench = clip(&noise.bench, 40);
    let Some(ratio) = noise.ratio else { return format!("noise on {bench}: not known, {} pairs", noise.pairs) };
    let (change, interval) = (percent.change(ratio.estimate), percent.interval(&ratio));
    let spread = noise.spread.map(|spread| format!(", spread {}", percent.size(spread))).unwrap_or_default();
    let broken = if noise.broken { ": unfit" } else { "" };
    format!("noise on {bench}: base against itself {change} ({interval}){spread}, p {}{broken}", p_value(noise.p))
}

/// How the machine's speed moved; nothing where too few blocks show it.
fn trend_line(trend: &Trend, percent: Percent) -> Option<String> {
    let (run, block) = (trend.over_run?, trend.within_block?);
    let said =
        |ratio: &crate::judge::Interval| format!("{} ({})", percent.change(ratio.estimate), percent.interval(ratio));
    Some(format!(
        "drift on {}: {} over the run, {} from first to last in a block",
        clip(&trend.bench, 40),
        said(&run),
        said(&block)
    ))
}
