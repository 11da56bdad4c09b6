//! From a run's samples to its judgement.
//!
//! The looks are walked in order, as they were reached. At each one every comparison that is still open is judged on the
//! first `look.blocks` complete blocks at that look's level; one that comes out regression, improvement or equivalent is
//! closed, with the numbers it was closed on. The walk ends at the first look that leaves none open but those that more
//! blocks would hardly settle, and at the last look reached. So a judgement depends on the blocks up to its look only, and more blocks never reverse a verdict.
//!
//! Closing comparisons one by one is sound because their intervals are repeated confidence intervals (Jennison and
//! Turnbull, J. R. Stat. Soc. B 51, 1989, 305–361): with probability 1 − α all of them, at all looks together, hold the
//! true ratio, whichever look each verdict is read from.

use crate::experiment::Experiment;
use crate::record::{FindingKind, Run, RunArm, Sample};
use crate::stats::equivalence::margin;
use crate::stats::multiple::bonferroni;

use super::attribution::attributions;
use super::compare::{FUTILE, Nulls, Rules, before_first_look, compare, level_at};
use super::gpu;
use super::idle::idle;
use super::noise::noise;
use super::notices::notices;
use super::pairs::{Blocks, Pairs};
use super::plan::{PrimaryFamily, planned_looks};
use super::secondary::secondary;
use super::subjects::{Subject, Subjects};
use super::trend::trends;
use super::{Comparison, Judgement, Look, Noise, Verdict};

/// Judges what a run has measured so far.
///
/// Pure: the same arguments give the same judgement. Any samples will do, complete or not: what cannot be judged says so.
pub fn judge(experiment: &Experiment, run: &Run, samples: &[Sample]) -> Judgement {
    let subjects = Subjects::of(experiment, &run.arms);
    let measure = &experiment.measure;
    let family = subjects.primary.len();
    let looks = planned_looks(&measure.looks, measure.alpha, family);
    let rules = Rules {
        margin: margin(measure.min_effect),
        last: looks.last().copied(),
        level: bonferroni(measure.alpha, family),
    };
    let course = Course {
        experiment,
        run,
        blocks: Blocks::of(experiment, run, samples),
        subjects,
        rules,
        nulls: Nulls::default(),
    };
    let standing = course.walk(&looks);
    let at = standing.look.as_ref().ok_or(looks.first());
    let mut comparisons = standing.comparisons;
    comparisons.extend(secondary(experiment, &course.blocks, &course.subjects, at, rules, &course.nulls));
    for comparison in &mut comparisons {
        course.overrule(comparison, &standing.noise);
    }
    let blocks = blocks_judged(standing.look.as_ref(), &course.blocks);
    let attributions =
        standing.look.map(|look| attributions(experiment, &run.arms, &course.blocks, &look)).unwrap_or_default();
    let mut judgement = Judgement {
        blocks,
        planned_blocks: looks.last().map_or(0, |look| look.blocks),
        look: standing.look,
        family,
        min_effect: measure.min_effect,
        decided: standing.decided,
        comparisons,
        attributions,
        noise: standing.noise,
        trends: trends(experiment, run, &course.blocks, blocks as usize),
        notices: Vec::new(),
    };
    judgement.notices = notices(&course.blocks, &looks, &judgement);
    judgement.notices.extend(gpu::notices(samples));
    judgement.notices.extend(idle(experiment, run, samples));
    judgement
}

/// The primary family: in factorial designs the effects of factors on each bench; else arms without base, its twin and
/// merged ones, on each bench that they run.
pub fn family(experiment: &Experiment, arms: &[RunArm]) -> PrimaryFamily {
    let (comparisons, ranked) = Subjects::of(experiment, arms).sizes();
    PrimaryFamily { comparisons, ranked }
}

fn blocks_judged(look: Option<&Look>, blocks: &Blocks<'_>) -> u32 {
    look.map_or(u32::try_from(blocks.len()).unwrap_or(u32::MAX), |look| look.blocks)
}

/// What stays the same from look to look.
struct Course<'a> {
    experiment: &'a Experiment,
    run: &'a Run,
    blocks: Blocks<'a>,
    subjects: Subjects<'a>,
    rules: Rules,
    nulls: Nulls,
}

/// Where the primary comparisons stand at a look.
struct Standing {
    look: Option<Look>,
    comparisons: Vec<Comparison>,
    noise: Vec<Noise>,
    decided: bool,
}

impl Course<'_> {
    fn walk(&self, looks: &[Look]) -> Standing {
        let mut standing = self.before_first_look(looks.first());
        for look in looks.iter().take_while(|look| look.blocks as usize <= self.blocks.len()) {
            standing = self.at(look, &standing);
            if standing.decided {
                break;
            }
        }
        standing
    }

    fn before_first_look(&self, first: Option<&Look>) -> Standing {
        let all = self.blocks.len();
        let compare =
            |subject: &Subject<'_>| before_first_look(subject, &self.numbers(all, subject), first, &self.nulls);
        let comparisons = self.subjects.primary.iter().map(compare).collect();
        // Looking at the twins after every block would raise false alarms, too: nothing is broken before a look.
        let mut noise = noise(self.experiment, self.run, &self.blocks, all);
        for noise in &mut noise {
            noise.broken = false;
        }
        Standing { look: None, comparisons, noise, decided: false }
    }

    fn at(&self, look: &Look, before: &Standing) -> Standing {
        let first = look.blocks as usize;
        let compare = |(subject, before): (&Subject<'_>, &Comparison)| {
            if is_closed(before) {
                return before.clone();
            }
            let level = level_at(look, subject.source.is_ranked());
            compare(subject, &self.numbers(first, subject), level, Some(look), self.rules, &self.nulls)
        };
        let comparisons: Vec<Comparison> = self.subjects.primary.iter().zip(&before.comparisons).map(compare).collect();
        let noise = noise(self.experiment, self.run, &self.blocks, first);
        let decided = noise.iter().any(|noise| noise.broken)
            || (!comparisons.is_empty() && comparisons.iter().all(needs_no_more));
        Standing { look: Some(*look), comparisons, noise, decided }
    }

    fn numbers(&self, first: usize, subject: &Subject<'_>) -> Pairs {
        self.blocks.table(first, &subject.bench.name, &subject.what).numbers(&subject.source)
    }

    /// What no sample can mend: a build that is not what its label says, or a machine that tells base from itself.
    fn overrule(&self, comparison: &mut Comparison, noise: &[Noise]) {
        let finding = self.run.findings.iter().find(|finding| comparison.arms.contains(&finding.arm));
        match finding {
            Some(finding) if finding.kind == FindingKind::BuildFailed => {
                comparison.verdict = Verdict::MeasuredNothing;
                comparison.note = Some(format!("the build of {} failed: {}", finding.arm, finding.evidence));
            }
            Some(finding) => {
                comparison.verdict = Verdict::Stale;
                comparison.note = Some(format!("the build of {} is in doubt: {}", finding.arm, finding.evidence));
            }
            None if comparison.verdict == Verdict::MeasuredNothing => {}
            None if noise.iter().any(|noise| noise.broken) => {
                comparison.verdict = Verdict::Invalid;
                comparison.note = Some("base differs from its own twin, so no difference can be trusted".to_owned());
            }
            None => {}
        }
    }
}

/// Later looks leave it as it is.
fn is_closed(comparison: &Comparison) -> bool {
    matches!(comparison.verdict, Verdict::Regression | Verdict::Improvement | Verdict::Equivalent)
}

/// Closed, or so that more blocks of the same would not help.
fn needs_no_more(comparison: &Comparison) -> bool {
    let futile = comparison.chance.is_some_and(|chance| chance < FUTILE);
    is_closed(comparison) || comparison.verdict == Verdict::MeasuredNothing || futile
}
