//! From a run's samples to its judgement.
//!
//! The looks are walked in order, as they were reached. At each one every comparison that is still open is judged on the
//! first `look.blocks` complete blocks at that look's level; one that comes out regression, improvement or equivalent is
//! closed, with the numbers it was closed on. The walk ends at the first look that leaves none open, and at the last
//! look reached. So a judgement depends on the blocks up to its look only, and more blocks never reverse a verdict.
//!
//! Closing comparisons one by one is sound because their intervals are repeated confidence intervals (Jennison and
//! Turnbull, J. R. Stat. Soc. B 51, 1989, 305–361): with probability 1 − α all of them, at all looks together, hold the
//! true ratio, whichever look each verdict is read from.

use crate::experiment::{Bench, Experiment};
use crate::record::{FindingKind, Role, Run, RunArm, Sample};
use crate::stats::equivalence::margin;
use crate::stats::multiple::bonferroni;

use super::compare::{Rules, Subject, before_first_look, compare};
use super::gpu;
use super::idle::idle;
use super::noise::noise;
use super::notices::notices;
use super::pairs::{Blocks, What, is_for};
use super::plan::planned_looks;
use super::secondary::secondary;
use super::{Comparison, Family, Judgement, Look, Noise, Temperature, Verdict};

/// Judges what a run has measured so far.
///
/// Pure: the same arguments give the same judgement. Any samples will do, complete or not: what cannot be judged says so.
pub fn judge(experiment: &Experiment, run: &Run, samples: &[Sample]) -> Judgement {
    let bench_arms = bench_arms(experiment, &run.arms);
    let measure = &experiment.measure;
    let looks = planned_looks(&measure.looks, measure.alpha, bench_arms.len());
    let course = Course {
        experiment,
        run,
        base: run.arms.iter().find(|arm| arm.role == Role::Base).map_or("base", |arm| &arm.id),
        blocks: Blocks::of(experiment, run, samples),
        subjects: bench_arms.iter().map(|&(bench, arm)| primary(bench, arm)).collect(),
        rules: Rules {
            margin: margin(measure.min_effect),
            final_level: looks.last().map_or(bonferroni(measure.alpha, bench_arms.len()), |look| look.level),
        },
    };
    let standing = course.walk(&looks);
    let at = standing.look.as_ref().ok_or(looks.first());
    let mut comparisons = standing.comparisons;
    comparisons.extend(secondary(experiment, &course.blocks, course.base, &bench_arms, at, course.rules));
    for comparison in &mut comparisons {
        course.overrule(comparison, &standing.noise);
    }
    let mut judgement = Judgement {
        blocks: blocks_judged(standing.look.as_ref(), &course.blocks),
        planned_blocks: looks.last().map_or(0, |look| look.blocks),
        look: standing.look,
        family: bench_arms.len(),
        min_effect: measure.min_effect,
        decided: standing.decided,
        comparisons,
        noise: standing.noise,
        notices: Vec::new(),
    };
    judgement.notices = notices(&course.blocks, &looks, &judgement);
    judgement.notices.extend(gpu::notices(samples));
    judgement.notices.extend(idle(experiment, run, samples));
    judgement
}

/// The size of the primary family: arms without base, its twin and merged ones, on each bench that they run.
pub fn family(experiment: &Experiment, arms: &[RunArm]) -> usize {
    bench_arms(experiment, arms).len()
}

/// Bench and arm of each primary comparison, by bench, then by arm in design order.
fn bench_arms<'a>(experiment: &'a Experiment, arms: &'a [RunArm]) -> Vec<(&'a Bench, &'a str)> {
    let compared = |arm: &&RunArm| !matches!(arm.role, Role::Base | Role::BaseAgain) && arm.same_as.is_none();
    (experiment.benches.iter())
        .flat_map(|bench| arms.iter().filter(compared).map(move |arm| (bench, arm)))
        .filter(|(bench, arm)| is_for(bench, arm))
        .map(|(bench, arm)| (bench, arm.id.as_str()))
        .collect()
}

fn primary<'a>(bench: &'a Bench, arm: &'a str) -> Subject<'a> {
    let what = What { metric: bench.metric.clone(), temperature: Temperature::Warm };
    Subject { bench: &bench.name, arm, what, family: Family::Primary }
}

fn blocks_judged(look: Option<&Look>, blocks: &Blocks<'_>) -> u32 {
    look.map_or(u32::try_from(blocks.len()).unwrap_or(u32::MAX), |look| look.blocks)
}

/// What stays the same from look to look.
struct Course<'a> {
    experiment: &'a Experiment,
    run: &'a Run,
    base: &'a str,
    blocks: Blocks<'a>,
    subjects: Vec<Subject<'a>>,
    rules: Rules,
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
        let compare = |subject: &Subject<'_>| {
            let pairs = self.blocks.pairs(all, subject.bench, [self.base, subject.arm], &subject.what);
            before_first_look(subject, &pairs, first)
        };
        let comparisons = self.subjects.iter().map(compare).collect();
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
            let pairs = self.blocks.pairs(first, subject.bench, [self.base, subject.arm], &subject.what);
            compare(subject, &pairs, look.level, Some(look), self.rules)
        };
        let comparisons: Vec<Comparison> = self.subjects.iter().zip(&before.comparisons).map(compare).collect();
        let noise = noise(self.experiment, self.run, &self.blocks, first);
        let decided = noise.iter().any(|noise| noise.broken)
            || (!comparisons.is_empty() && comparisons.iter().all(needs_no_more));
        Standing { look: Some(*look), comparisons, noise, decided }
    }

    /// What no sample can mend: a build that is not what its label says, or a machine that tells base from itself.
    fn overrule(&self, comparison: &mut Comparison, noise: &[Noise]) {
        let finding =
            (self.run.findings.iter()).find(|finding| [&comparison.arm, self.base].contains(&finding.arm.as_str()));
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
    is_closed(comparison) || comparison.verdict == Verdict::MeasuredNothing
}
