//! What the reader of a whole judgement should know, most important first.

use super::notes::share;
use super::pairs::Blocks;
use super::{Comparison, Family, Interval, Judgement, Look, Verdict};
use crate::stats::equivalence::margin;

pub(super) fn notices(blocks: &Blocks<'_>, looks: &[Look], judgement: &Judgement) -> Vec<String> {
    let mut notices = Vec::new();
    notices.extend(broken(judgement));
    notices.extend(not_yet(blocks, looks, judgement));
    notices.extend(futile(judgement));
    notices.extend(too_noisy(judgement));
    notices.extend(moved(judgement));
    notices.extend(beyond(blocks, judgement));
    if blocks.incomplete > 0 {
        notices.push(format!(
            "{} begun but not complete and left out",
            counted(blocks.incomplete, "block is", "blocks are")
        ));
    }
    notices
}

fn broken(judgement: &Judgement) -> impl Iterator<Item = String> {
    judgement.noise.iter().filter(|noise| noise.broken).map(|noise| {
        let by = noise.ratio.map_or(String::new(), |ratio| format!(" by {}", share(ratio.estimate.ln())));
        format!(
            "bench {}: base differs from its own twin{by} (p = {:.1e}, {} pairs): this machine, or the order of runs, \
             makes differences of its own, and every verdict is invalid",
            noise.bench,
            noise.p.unwrap_or(f64::NAN),
            noise.pairs
        )
    })
}

fn not_yet(blocks: &Blocks<'_>, looks: &[Look], judgement: &Judgement) -> Option<String> {
    let first = looks.first().filter(|_| judgement.look.is_none())?;
    let complete = counted(blocks.len(), "block is", "blocks are");
    Some(format!("no verdict yet: {complete} complete, the first look is at {}", first.blocks))
}

/// Measuring that stopped because going on would hardly have settled what is open.
fn futile(judgement: &Judgement) -> Option<String> {
    let early = judgement.look.filter(|look| judgement.decided && look.number < look.of)?;
    let is_open = |comparison: &&Comparison| {
        comparison.family == Family::Primary
            && comparison.verdict == Verdict::Inconclusive
            && comparison.chance.is_some()
    };
    let open = judgement.comparisons.iter().filter(is_open).count();
    (open > 0).then(|| {
        format!(
            "stopped after {} of {} planned blocks: {} inconclusive, and going on would hardly have settled {}",
            early.blocks,
            judgement.planned_blocks,
            counted(open, "comparison is", "comparisons are"),
            if open == 1 { "it" } else { "them" }
        )
    })
}

/// Drift along the run and trends along blocks that are clear and at least as large as what the experiment looks for.
fn moved(judgement: &Judgement) -> impl Iterator<Item = String> {
    let margin = margin(judgement.min_effect);
    let clear = move |ratio: Option<Interval>| {
        ratio.filter(|ratio| (ratio.low > 1.0 || ratio.high < 1.0) && ratio.estimate.ln().abs() >= margin)
    };
    judgement.trends.iter().flat_map(move |trend| {
        let run = clear(trend.over_run).map(|ratio| {
            let by = share(ratio.estimate.ln());
            format!("bench {}: values changed by {by} over the run; comparisons are within blocks, which takes that out", trend.bench)
        });
        let block = clear(trend.within_block).map(|ratio| {
            let by = share(ratio.estimate.ln());
            format!(
                "bench {}: values change by {by} from the first to the last place of a block; the random order keeps that from \
                 favouring an arm, but it widens intervals",
                trend.bench
            )
        });
        run.into_iter().chain(block)
    })
}

/// The noise of benches of which a primary comparison stayed inconclusive because of it.
fn too_noisy(judgement: &Judgement) -> impl Iterator<Item = String> {
    let margin = margin(judgement.min_effect);
    let last = judgement.look.is_some_and(|look| look.number == look.of);
    let wide = move |bench: &str| {
        judgement.comparisons.iter().any(|comparison| {
            comparison.family == Family::Primary
                && comparison.bench == bench
                && comparison.verdict == Verdict::Inconclusive
                && comparison.ratio.is_some_and(|ratio| (ratio.high / ratio.low).ln() > 2.0 * margin)
        })
    };
    let noisy = judgement.noise.iter().filter(move |noise| last && wide(&noise.bench));
    noisy.map(move |noise| {
        let spread = noise.spread.map_or("an unknown share".to_owned(), |spread| format!("{:.1}%", 100.0 * spread));
        format!(
            "bench {}: noise is why a comparison is inconclusive: base and its twin differ by {spread} from pair to pair, \
             the minimum effect is {}",
            noise.bench,
            share(margin)
        )
    })
}

fn beyond(blocks: &Blocks<'_>, judgement: &Judgement) -> Option<String> {
    let look = judgement.look?;
    let beyond = blocks.len() - look.blocks as usize;
    (beyond > 0).then(|| {
        let beyond = counted(beyond, "further block is", "further blocks are");
        format!("{beyond} complete but not judged: the judgement stands at the look after {} blocks", look.blocks)
    })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
