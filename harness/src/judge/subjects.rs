//! What is compared: which numbers of a block make one comparison, and whether it sets the exit code.
//!
//! * In designs that compare arms (add-one, list, arms that are commands) a comparison is an arm against base.
//! * In factorial designs (full, fraction, add-and-leave) it is a factor's main effect: a contrast over all arms. Two-factor
//!   interactions, and the arms one by one, explain.
//! * Leave-one-out starts from the arm with every factor on, so a factor is judged by that arm against the one without
//!   it; and that arm against base.

use std::rc::Rc;

use crate::design::cells::Cells;
use crate::design::describe::contains;
use crate::design::factorial::{Estimator, Factorial, Setting, pairs};
use crate::experiment::{Bench, Design, Experiment};
use crate::record::{Role, RunArm};

use super::pairs::{What, is_for};
use super::{Family, Kind, Temperature};

/// What one comparison is about.
#[derive(Clone, Debug)]
pub(super) struct Subject<'a> {
    pub(super) bench: &'a Bench,
    /// The arm's id, or what the effect is called: `A1`, `W=12`, `A1×A4`.
    pub(super) label: String,
    /// An arm, an effect, an interaction.
    pub(super) kind: Kind,
    /// Factor and level of an effect, two of an interaction.
    pub(super) settings: Vec<(String, String)>,
    pub(super) what: What,
    pub(super) family: Family,
    pub(super) source: Source<'a>,
    /// Every arm whose build it depends on.
    pub(super) arms: Vec<String>,
    /// Interactions that it cannot be told apart from.
    pub(super) contains: Option<String>,
}

/// Where a block's number comes from.
#[derive(Clone, Debug)]
pub(super) enum Source<'a> {
    /// Two arms: judged by ranks.
    Pair { base: &'a str, arm: &'a str },
    /// Weighted arms: judged by their mean.
    Contrast(Rc<Weights>),
}

impl Source<'_> {
    /// Whether it is judged by the signed-rank test.
    pub(super) fn is_ranked(&self) -> bool {
        matches!(self, Self::Pair { .. })
    }
}

/// The weights of a contrast on the arms that are measured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// Arm and weight, none of them zero.
    pub(super) terms: Vec<(String, f64)>,
    /// The arms with the factor at base's level, for showing; none for an interaction.
    pub(super) off: Vec<String>,
    /// The arms with the factor at its level.
    pub(super) on: Vec<String>,
}

/// The comparisons of a run on each bench's own metric.
#[derive(Debug)]
pub(super) struct Subjects<'a> {
    /// Those that set the exit code, by bench, then in design order.
    pub(super) primary: Vec<Subject<'a>>,
    /// Those that explain.
    pub(super) explaining: Vec<Subject<'a>>,
}

impl<'a> Subjects<'a> {
    /// Everything that is compared on the benches' own metrics.
    pub(super) fn of(experiment: &'a Experiment, arms: &'a [RunArm]) -> Self {
        let mut subjects = Self { primary: Vec::new(), explaining: Vec::new() };
        for bench in &experiment.benches {
            subjects.add(experiment, bench, arms);
        }
        subjects
    }

    fn add(&mut self, experiment: &'a Experiment, bench: &'a Bench, arms: &'a [RunArm]) {
        let base = arms.iter().find(|arm| arm.role == Role::Base).map_or("base", |arm| &arm.id);
        let compared = arms.iter().filter(|arm| !matches!(arm.role, Role::Base | Role::BaseAgain));
        let compared = compared.filter(|arm| arm.same_as.is_none() && is_for(bench, arm));
        let whole = (experiment.design == Design::LeaveOneOut).then(|| all_on(experiment, bench, arms)).flatten();
        let decides = |arm: &RunArm| match experiment.design {
            Design::Full | Design::Fraction(_) | Design::AddAndLeave => arm.role == Role::Command,
            Design::LeaveOneOut => arm.role == Role::Command || whole.is_some_and(|whole| whole.id == arm.id),
            Design::AddOne | Design::List(_) => true,
        };
        if experiment.design.is_factorial() {
            self.add_effects(&Factors::of(experiment, bench, arms));
        } else if let Some(whole) = whole {
            self.primary.extend(left_out(experiment, bench, arms, whole));
        }
        let (primary, explaining): (Vec<&RunArm>, Vec<&RunArm>) = compared.partition(|arm| decides(arm));
        self.primary.extend(primary.into_iter().map(|arm| pair(bench, base, arm, Family::Primary)));
        self.explaining.extend(explaining.into_iter().map(|arm| pair(bench, base, arm, Family::Secondary)));
    }

    fn add_effects(&mut self, factors: &Factors<'a>) {
        self.primary.extend(factors.effects());
        self.explaining.extend(factors.interactions());
    }

    /// How many comparisons set the exit code, and how many of them are judged by ranks.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.primary.len(), self.primary.iter().filter(|subject| subject.source.is_ranked()).count())
    }
}

fn own(bench: &Bench) -> What {
    What { metric: bench.metric.clone(), temperature: Temperature::Warm }
}

fn pair<'a>(bench: &'a Bench, base: &'a str, arm: &'a RunArm, family: Family) -> Subject<'a> {
    Subject {
        bench,
        label: arm.id.clone(),
        kind: Kind::Arm,
        settings: Vec::new(),
        what: own(bench),
        family,
        source: Source::Pair { base, arm: &arm.id },
        arms: vec![base.to_owned(), arm.id.clone()],
        contains: None,
    }
}

/// The arm with every switched factor at its last level, on benches that it runs.
fn all_on<'a>(experiment: &Experiment, bench: &Bench, arms: &'a [RunArm]) -> Option<&'a RunArm> {
    let combinations = || arms.iter().filter(|arm| arm.role == Role::Combination);
    let whole = combinations().max_by_key(|arm| arm.levels.len())?;
    let switched = |factor: &&crate::experiment::Factor| combinations().any(|arm| arm.levels.contains_key(&factor.id));
    let has_all = experiment.factors.iter().filter(switched).all(|factor| whole.levels.contains_key(&factor.id));
    (has_all && is_for(bench, whole)).then_some(whole)
}

/// Each arm that lacks some of what `whole` has, as the effect of what it lacks.
fn left_out<'a>(experiment: &Experiment, bench: &'a Bench, arms: &'a [RunArm], whole: &'a RunArm) -> Vec<Subject<'a>> {
    let measured = |arm: &'a RunArm| arm.same_as.as_deref().unwrap_or(&arm.id);
    let without = |arm: &&RunArm| arm.role == Role::Combination && arm.id != whole.id && is_for(bench, arm);
    let subject = |arm: &'a RunArm| {
        let missing: Vec<(String, String)> = (experiment.factors.iter())
            .filter(|factor| !arm.levels.contains_key(&factor.id))
            .filter_map(|factor| Some((factor.id.clone(), whole.levels.get(&factor.id)?.clone())))
            .collect();
        Subject {
            bench,
            label: missing.iter().map(|(factor, _)| factor.as_str()).collect::<Vec<_>>().join("+"),
            kind: Kind::Effect,
            settings: missing,
            what: own(bench),
            family: Family::Primary,
            source: Source::Pair { base: measured(arm), arm: measured(whole) },
            arms: vec![arm.id.clone(), whole.id.clone()],
            contains: None,
        }
    };
    arms.iter().filter(without).filter(|arm| measured(arm) != measured(whole)).map(subject).collect()
}

/// The factors of a factorial design on one bench.
pub(super) struct Factors<'a> {
    bench: &'a Bench,
    pub(super) cells: Cells<'a>,
    pub(super) model: Factorial,
}

impl<'a> Factors<'a> {
    /// From the arms that the bench has, merged ones through those that are measured in their stead. An arm that did not
    /// build is none of them; before anything is built all are.
    pub(super) fn of(experiment: &'a Experiment, bench: &'a Bench, arms: &'a [RunArm]) -> Self {
        let built = |arm: &RunArm| arm.binary.is_some() || !arm.command.is_empty();
        let any_built = arms.iter().any(built);
        let there = arms.iter().filter(|arm| is_for(bench, arm) && (built(arm) || !any_built));
        let cells = Cells::of(experiment, there);
        Self { bench, model: Factorial::of(&cells.levels, &cells.cells), cells }
    }

    /// The main effect of each level, where the arms show it.
    fn effects(&self) -> impl Iterator<Item = Subject<'a>> + '_ {
        let effect = |setting: Setting| {
            let estimator = self.model.main(setting)?;
            let sides = [0, setting.1].map(|level| self.arms_at(setting.0, level));
            self.subject(Kind::Effect, &[setting], &estimator, sides)
        };
        self.cells.settings().filter_map(effect)
    }

    /// The interactions that the arms show, alone or beside others that they cannot be told apart from; and for factors of
    /// which they do not show every one, the sum of all.
    fn interactions(&self) -> impl Iterator<Item = Subject<'a>> + '_ {
        let explains = |subject: Subject<'a>| Subject { family: Family::Secondary, ..subject };
        self.pair_interactions().chain(self.sums_of_interactions()).map(explains)
    }

    fn pair_interactions(&self) -> impl Iterator<Item = Subject<'a>> + '_ {
        let levels = |factor: usize| (1..self.cells.levels[factor]).map(move |level| (factor, level));
        let all = pairs(self.cells.factors.len()).flat_map(move |(one, other)| {
            levels(one).flat_map(move |first| levels(other).map(move |second| (first, second)))
        });
        all.filter_map(|(one, other)| {
            let estimator = self.model.interaction(one, other).filter(Estimator::is_whole)?;
            self.subject(Kind::Interaction, &[one, other], &estimator, [Vec::new(), Vec::new()])
        })
    }

    fn sums_of_interactions(&self) -> impl Iterator<Item = Subject<'a>> + '_ {
        let last = |factor: usize| (factor, self.cells.levels[factor] - 1);
        let count = self.cells.factors.len();
        let unseen = move |factor: usize| {
            let mut others = (0..count).filter(move |&other| other != factor);
            others.any(|other| {
                let (one, other) = (factor.min(other), factor.max(other));
                !self.model.interaction(last(one), last(other)).is_some_and(|estimator| estimator.is_whole())
            })
        };
        (0..count).filter(move |&factor| unseen(factor)).filter_map(move |factor| {
            let estimator = self.model.with_the_rest(last(factor))?;
            let subject = self.subject(Kind::Interaction, &[last(factor)], &estimator, [Vec::new(), Vec::new()])?;
            Some(Subject { label: format!("{}×rest", subject.label), ..subject })
        })
    }

    fn subject(
        &self,
        kind: Kind,
        settings: &[Setting],
        estimator: &Estimator,
        sides: [Vec<String>; 2],
    ) -> Option<Subject<'a>> {
        let terms = self.measured(&estimator.weights);
        let [off, on] = sides;
        let names: Vec<String> = settings.iter().map(|&setting| self.cells.name(setting)).collect();
        let weighted = self.cells.arms.iter().zip(&estimator.weights).filter(|(_, weight)| **weight != 0.0);
        // Arms that are all one program differ by nothing, whatever is measured.
        (!terms.is_empty()).then(|| Subject {
            bench: self.bench,
            label: names.join("×"),
            kind,
            settings: settings.iter().map(|&setting| self.setting(setting)).collect(),
            what: own(self.bench),
            family: Family::Primary,
            arms: weighted.map(|(arm, _)| arm.id.clone()).collect(),
            source: Source::Contrast(Rc::new(Weights { terms, off, on })),
            contains: contains(&self.cells, estimator),
        })
    }

    /// Factor id and the level's text: `on` for a feature.
    fn setting(&self, (factor, level): Setting) -> (String, String) {
        let factor = self.cells.factors[factor];
        let level = factor.lever.named_levels().map_or("on", |levels| &levels[level]);
        (factor.id.clone(), level.to_owned())
    }

    /// The weights on the arms that are measured: those of merged arms are added to the one that stands for them.
    pub(super) fn measured(&self, weights: &[f64]) -> Vec<(String, f64)> {
        let mut terms: Vec<(String, f64)> = Vec::new();
        for (arm, weight) in self.cells.arms.iter().zip(weights) {
            let id = arm.same_as.as_deref().unwrap_or(&arm.id);
            match terms.iter_mut().find(|(known, _)| known == id) {
                Some((_, sum)) => *sum += weight,
                None => terms.push((id.to_owned(), *weight)),
            }
        }
        terms.retain(|(_, weight)| weight.abs() > 1e-9);
        terms
    }

    fn arms_at(&self, factor: usize, level: usize) -> Vec<String> {
        let at = self.cells.arms.iter().zip(&self.cells.cells).filter(|(_, cell)| cell[factor] == level);
        at.map(|(arm, _)| arm.same_as.clone().unwrap_or_else(|| arm.id.clone())).collect()
    }
}
