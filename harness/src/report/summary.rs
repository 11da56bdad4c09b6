//! `summary.md`: what to paste into a pull request.

use std::fmt::Write;

use super::format::{confidence, count, share};
use super::text::{clip, markdown};
use super::view::{Row, View, common_level};
use crate::record::State;

/// Names longer than this are cut: a table in a pull request has no room for more.
const NAME_WIDTH: usize = 60;

/// The answer, the primary comparisons, the conditions, and what was wrong.
pub(super) fn summary(view: &View) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = write_summary(&mut text, view);
    text
}

fn write_summary(text: &mut String, view: &View) -> std::fmt::Result {
    writeln!(text, "### {}: {}\n", markdown(&clip(&view.experiment, NAME_WIDTH)), markdown(&view.answer))?;
    writeln!(text, "> {}\n", markdown(&view.question))?;
    if let State::Stopped { reason } = &view.state {
        writeln!(text, "**The run was stopped:** {}\n", markdown(reason))?;
    }
    findings(text, view)?;
    comparisons(text, view)?;
    conditions(text, view)?;
    for notice in &view.notices {
        writeln!(text, "- Notice: {}", markdown(notice))?;
    }
    Ok(())
}

fn findings(text: &mut String, view: &View) -> std::fmt::Result {
    for finding in &view.findings {
        let (arm, evidence) = (markdown(&clip(&finding.arm, NAME_WIDTH)), markdown(&finding.evidence));
        writeln!(text, "**Finding ({}, {arm}):** {evidence} {}\n", finding.kind.word(), markdown(&finding.remedy))?;
    }
    Ok(())
}

fn comparisons(text: &mut String, view: &View) -> std::fmt::Result {
    writeln!(text, "| bench | arm | base | arm's value | change | interval | verdict |")?;
    writeln!(text, "|---|---|--:|--:|--:|:-:|---|")?;
    for row in view.primary() {
        let name = |name: &str| markdown(&clip(name, NAME_WIDTH));
        let shown = &row.shown;
        let detail = shown.detail.as_deref().map(|detail| format!(" {}", name(detail))).unwrap_or_default();
        writeln!(
            text,
            "| {} {} | {}{detail} | {} | {} | {} | {} | {} |",
            name(&row.bench),
            name(&row.metric),
            name(&row.arm),
            shown.base,
            shown.arm_value,
            shown.change,
            shown.interval,
            verdict(row)
        )?;
    }
    writeln!(text)
}

fn verdict(row: &Row) -> String {
    if row.verdict.is_change() { format!("**{}**", row.verdict.word()) } else { row.verdict.word().to_owned() }
}

fn conditions(text: &mut String, view: &View) -> std::fmt::Result {
    let terms = &view.terms;
    let parts = [view.host.cpu.clone(), count(view.host.cpus as usize, "CPU")];
    let parts: Vec<String> = parts.iter().chain(&view.host.gpus).map(|part| markdown(part)).collect();
    writeln!(text, "- Machine: {} ({})", markdown(&view.host.name), parts.join(", "))?;
    if let Some(bundle) = &view.bundle {
        let (name, stays) = (markdown(&bundle.built_on.name), count(bundle.stays.len(), "stay"));
        writeln!(text, "- Built and verified on {name}, measured from a bundle in {stays}")?;
    }
    if let Some(git) = &view.git {
        let dirty = if git.dirty_digest.is_some() { ", with uncommitted changes" } else { "" };
        writeln!(text, "- Commit: {}{dirty}", markdown(&git.commit))?;
    }
    let level =
        common_level(view.primary()).map_or(String::new(), |level| format!(", {} intervals", confidence(level)));
    writeln!(
        text,
        "- Terms: minimum effect δ {}, α {}{level}, {} of {} planned blocks, seed {}",
        share(terms.min_effect),
        share(terms.alpha),
        terms.blocks,
        terms.planned_blocks,
        terms.seed
    )?;
    for bench in &view.benches {
        if let Some(ratio) = bench.noise.as_ref().and_then(|noise| noise.ratio) {
            let (change, interval) = (view.percent.change(ratio.estimate), view.percent.interval(&ratio));
            writeln!(text, "- Noise: base against itself on {}: {change} ({interval})", markdown(&bench.name))?;
        }
    }
    let failed = view.failed.len();
    if failed > 0 {
        writeln!(text, "- {} failed; reasons are in samples.csv", count(failed, "sample"))?;
    }
    writeln!(text, "- Run: {}, exit code {} ({})", markdown(&view.run), view.outcome.code, view.outcome.meaning)
}
