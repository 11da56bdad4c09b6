//! The one model behind page, tables and summary: computed once, so that they cannot disagree.
//!
//! It selects, names and formats what the judgement, the run and the samples already hold. It computes no statistic; the
//! page embeds it as JSON, where text stands exactly as it was given.

mod answer;
mod blocks;
mod facts;
mod row;

use serde::Serialize;

pub(super) use answer::answer;
pub(super) use blocks::{Bar, Points, Series, Timeline, average};
pub(super) use facts::Fact;
pub(super) use row::{Names, Row, common_level};

use super::format::{Percent, Unit};
use crate::experiment::{Bench, Experiment, Metric};
use crate::judge::{
    Attribution, Comparison, Family, Interval, Judgement, Kind, Look, Noise, Temperature, Trend, outcome,
};
use crate::record::{Build, Bundled, Exit, Finding, Git, Host, Role, Run, RunArm, Sample, State, Status};

/// Everything that a report shows.
#[derive(Debug, Serialize)]
pub(super) struct View {
    /// The answer in a sentence or two.
    pub(super) answer: String,
    pub(super) outcome: Ending,
    pub(super) run: String,
    pub(super) experiment: String,
    pub(super) question: String,
    pub(super) expect: Option<String>,
    pub(super) created: String,
    pub(super) state: State,
    pub(super) terms: Terms,
    pub(super) host: Host,
    pub(super) git: Option<Git>,
    /// Names and versions, in order.
    pub(super) toolchains: Vec<(String, String)>,
    pub(super) arms: Vec<RunArm>,
    pub(super) benches: Vec<BenchView>,
    pub(super) effects: Vec<Effect>,
    pub(super) builds: Vec<Build>,
    pub(super) failed: Vec<Failure>,
    pub(super) findings: Vec<Finding>,
    /// Of the judgement first, then of the run.
    pub(super) notices: Vec<String>,
    /// Where it was built, if it was measured elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bundle: Option<Bundled>,
    #[serde(skip)]
    pub(super) percent: Percent,
}

/// The exit code and what it means.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Ending {
    pub(super) code: u8,
    pub(super) meaning: &'static str,
}

/// Under which terms the verdicts were given.
#[derive(Debug, Serialize)]
pub(super) struct Terms {
    pub(super) blocks: u32,
    pub(super) planned_blocks: u32,
    pub(super) look: Option<Look>,
    pub(super) family: usize,
    pub(super) alpha: f64,
    pub(super) min_effect: f64,
    pub(super) seed: u64,
}

/// One bench: its comparisons and what its samples look like.
#[derive(Debug, Serialize)]
pub(super) struct BenchView {
    pub(super) name: String,
    /// Arguments, joined by spaces.
    pub(super) args: String,
    pub(super) metric: String,
    pub(super) unit: Unit,
    pub(super) iterations: u32,
    pub(super) primary: Vec<Row>,
    pub(super) secondary: Vec<Row>,
    pub(super) noise: Option<NoiseView>,
    pub(super) attribution: Option<Attribution>,
    pub(super) trend: Option<Trend>,
    pub(super) series: Series,
    pub(super) timelines: Vec<Timeline>,
    pub(super) facts: Vec<Fact>,
}

/// Base against its twin.
#[derive(Debug, Serialize)]
pub(super) struct NoiseView {
    pub(super) pairs: usize,
    pub(super) spread: Option<f64>,
    pub(super) ratio: Option<Interval>,
    pub(super) p: Option<f64>,
    pub(super) broken: bool,
}

/// What a level of a factor does, or several do together: in designs that judge factors their effects and interactions, else
/// the comparison of the arm that switches nothing else.
#[derive(Debug, Serialize)]
pub(super) struct Effect {
    pub(super) factor: String,
    pub(super) level: String,
    pub(super) row: Row,
}

/// A sample that is no number, with its reason.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    pub(super) block: u32,
    pub(super) arm: String,
    pub(super) bench: String,
    pub(super) reason: String,
    pub(super) exit: String,
}

impl View {
    pub(super) fn new(experiment: &Experiment, run: &Run, samples: &[Sample], judgement: &Judgement) -> Self {
        let names = Names::of(run);
        let percent = Percent::for_min_effect(judgement.min_effect);
        let rows: Vec<Row> = judgement.comparisons.iter().map(|c| Row::new(c, &names, percent)).collect();
        let outcome = outcome(run, judgement);
        let benches = experiment.benches.iter();
        Self {
            answer: answer(outcome, run, judgement),
            outcome: Ending { code: outcome.code(), meaning: outcome.meaning() },
            run: run.id.clone(),
            experiment: run.experiment.clone(),
            question: experiment.question.clone(),
            expect: experiment.expect.clone(),
            created: run.created.strftime("%Y-%m-%d %H:%M UTC").to_string(),
            state: run.state.clone(),
            terms: terms(experiment, run, judgement),
            host: run.host.clone(),
            git: run.git.clone(),
            toolchains: run.toolchains.iter().map(|(name, version)| (name.clone(), version.clone())).collect(),
            arms: run.arms.clone(),
            benches: benches.map(|bench| BenchView::new(bench, run, samples, judgement, &rows)).collect(),
            effects: effects(run, &rows),
            builds: run.builds.clone(),
            failed: samples.iter().filter(|s| s.status == Status::Failed).map(Failure::of).collect(),
            findings: run.findings.clone(),
            notices: judgement.notices.iter().chain(&run.notices).cloned().collect(),
            bundle: run.bundle.clone(),
            percent,
        }
    }

    /// All primary rows, in the judgement's order.
    pub(super) fn primary(&self) -> impl Iterator<Item = &Row> {
        self.benches.iter().flat_map(|bench| &bench.primary)
    }

    /// All secondary rows.
    pub(super) fn secondary(&self) -> impl Iterator<Item = &Row> {
        self.benches.iter().flat_map(|bench| &bench.secondary)
    }
}

fn terms(experiment: &Experiment, run: &Run, judgement: &Judgement) -> Terms {
    Terms {
        blocks: judgement.blocks,
        planned_blocks: judgement.planned_blocks,
        look: judgement.look,
        family: judgement.family,
        alpha: experiment.measure.alpha,
        min_effect: judgement.min_effect,
        seed: run.seed,
    }
}

impl BenchView {
    fn new(bench: &Bench, run: &Run, samples: &[Sample], judgement: &Judgement, rows: &[Row]) -> Self {
        let of = |family| rows.iter().filter(move |row| row.bench == bench.name && row.family == family).cloned();
        let primary: Vec<Row> = of(Family::Primary).collect();
        let (metric, temperature) =
            primary_metric(&judgement.comparisons, &bench.name).unwrap_or((&bench.metric, Temperature::Warm));
        Self {
            name: bench.name.clone(),
            args: bench.args.join(" "),
            metric: metric.name().to_owned(),
            unit: Unit::of(metric),
            iterations: bench.iterations,
            series: Series::new(run, samples, &bench.name, metric, temperature),
            timelines: blocks::timelines(run, samples, &primary, metric, temperature, &bench.name),
            facts: facts::facts(run, samples, &bench.name),
            secondary: of(Family::Secondary).collect(),
            noise: judgement.noise.iter().find(|noise| noise.bench == bench.name).map(NoiseView::of),
            attribution: judgement.attributions.iter().find(|whole| whole.bench == bench.name).cloned(),
            trend: judgement.trends.iter().find(|trend| trend.bench == bench.name).cloned(),
            primary,
        }
    }
}

impl NoiseView {
    fn of(noise: &Noise) -> Self {
        let Noise { pairs, spread, ratio, p, broken, .. } = *noise;
        Self { pairs, spread, ratio, p, broken }
    }
}

fn primary_metric<'a>(comparisons: &'a [Comparison], bench: &str) -> Option<(&'a Metric, Temperature)> {
    let first = comparisons.iter().find(|c| c.bench == bench && c.family == Family::Primary)?;
    Some((&first.metric, first.temperature))
}

/// The effects and interactions; without any, one effect for each bench and each arm that differs from base in a single
/// factor.
fn effects(run: &Run, rows: &[Row]) -> Vec<Effect> {
    let joined = |row: &Row, part: fn(&(String, String)) -> &String| {
        row.settings.iter().map(|setting| part(setting).as_str()).collect::<Vec<_>>().join("×")
    };
    let of_factors: Vec<Effect> = (rows.iter())
        .filter(|row| row.kind != Kind::Arm)
        .map(|row| Effect {
            factor: joined(row, |(id, _)| id),
            level: joined(row, |(_, level)| level),
            row: row.clone(),
        })
        .collect();
    if !of_factors.is_empty() {
        return of_factors;
    }
    let alone = run.arms.iter().filter(|arm| arm.role == Role::Combination && arm.levels.len() == 1);
    let of_arm = |arm: &RunArm| {
        let measured = arm.same_as.clone();
        let own = rows.iter().any(|row| row.arm == arm.id);
        let stand_in = if own { arm.id.clone() } else { measured.unwrap_or_else(|| arm.id.clone()) };
        let level = arm.levels.first_key_value().map(|(factor, level)| (factor.clone(), level.clone()));
        rows.iter()
            .filter(move |row| row.arm == stand_in && row.family == Family::Primary)
            .filter_map(move |row| {
                let (factor, level) = level.clone()?;
                Some(Effect { factor, level, row: row.clone() })
            })
            .collect::<Vec<_>>()
    };
    alone.flat_map(of_arm).collect()
}

impl Failure {
    fn of(sample: &Sample) -> Self {
        Self {
            block: sample.block,
            arm: sample.arm.clone(),
            bench: sample.bench.clone(),
            reason: sample.reason.clone().unwrap_or_else(|| "no reason was recorded".to_owned()),
            exit: exit_words(&sample.exit),
        }
    }
}

/// How a process ended, in words.
pub(super) fn exit_words(exit: &Exit) -> String {
    match exit {
        Exit::Code { code } => format!("exit code {code}"),
        Exit::Signal { signal } => format!("signal {signal}"),
        Exit::Timeout { limit_ns } => format!("ended after {}", Unit::Ns.show(Some(*limit_ns as f64))),
        Exit::NotStarted => "not started".to_owned(),
    }
}
