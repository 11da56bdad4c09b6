//! What a reader of a factorial design should know before it is run: how a fraction was made and what it cannot tell apart,
//! and what constraints cost.

use super::cells::Cells;
use super::factorial::{Estimator, Factorial, Setting, pairs};
use super::fraction::{Regular, Set, members};
use crate::experiment::{Design, Experiment, Fraction};
use crate::record::RunArm;

/// Estimates less precise than this, beside those of an orthogonal design of as many arms, are told.
const TOLD: f64 = 0.995;

/// The longest aliases that are listed; longer ones are taken for small.
const LISTED: u32 = 3;

/// Sentences about the design, nothing for one that compares arms with base.
pub(super) fn notices(experiment: &Experiment, arms: &[RunArm]) -> Vec<String> {
    if !experiment.design.is_factorial() {
        return Vec::new();
    }
    let cells = Cells::of(experiment, arms.iter());
    let mut notices = Vec::new();
    if let Design::Fraction(part) = experiment.design
        && let Some(regular) = Regular::best(cells.factors.len(), part)
    {
        notices.push(fraction(&cells, part, &regular));
        notices.push(format!("aliases: {}", aliases(&cells, &regular).join("; ")));
    }
    notices.extend(costs(&cells, !experiment.constraints.is_empty()));
    notices
}

fn fraction(cells: &Cells<'_>, part: Fraction, regular: &Regular) -> String {
    let words: Vec<String> = regular.words.iter().map(|&word| product(cells, word)).collect();
    let part = if part == Fraction::Half { "half" } else { "quarter" };
    let clear = match regular.resolution() {
        0..=3 => "main effects cannot be told apart from some two-factor interactions",
        4 => "main effects are clear of two-factor interactions, which cannot all be told apart from each other",
        _ => "main effects and two-factor interactions are clear of each other",
    };
    let beside =
        if regular.holds_all() { "" } else { "; the arm with every factor on runs beside it, to check the sum" };
    format!(
        "a {part} of the combinations of {} factors, resolution {}: those with an even number of {} on; {clear}{beside}",
        cells.factors.len(),
        roman(regular.resolution()),
        words.join(", and of ")
    )
}

/// The alias table: each main effect and two-factor interaction with what it cannot be told apart from, up to three
/// factors. What stands in an earlier line has none of its own.
pub fn aliases(cells: &Cells<'_>, regular: &Regular) -> Vec<String> {
    let factors = cells.factors.len();
    let effects = (0..factors).map(|bit| 1 << bit).chain(pairs(factors).map(|(one, other)| 1 << one | 1 << other));
    let mut seen: Vec<Set> = Vec::new();
    let mut lines = Vec::new();
    for effect in effects {
        if seen.contains(&effect) {
            continue;
        }
        let aliases: Vec<Set> = regular.aliases(effect).into_iter().filter(|set| set.count_ones() <= LISTED).collect();
        seen.extend(&aliases);
        let names: Vec<String> = std::iter::once(&effect).chain(&aliases).map(|&set| product(cells, set)).collect();
        lines.push(if aliases.is_empty() { format!("{} clear", names[0]) } else { names.join(" = ") });
    }
    lines
}

/// What cannot be estimated, what contains something else, and what is less precise than it could be.
fn costs(cells: &Cells<'_>, constrained: bool) -> Vec<String> {
    let model = Factorial::of(&cells.levels, &cells.cells);
    let mut lost = Vec::new();
    let mut imprecise = Vec::new();
    for setting in cells.settings() {
        let name = cells.name(setting);
        match model.main(setting) {
            None => lost.push(format!("the effect of {name} is not shown by these arms")),
            Some(main) if constrained => {
                lost.extend(contains(cells, &main).map(|other| format!("the effect of {name} contains {other}")));
                let efficiency = model.efficiency(setting, &main);
                if efficiency < TOLD {
                    imprecise.push(format!("{name} {:.0}%", 100.0 * efficiency));
                }
            }
            Some(_) => {}
        }
    }
    let mut costs = Vec::new();
    if !imprecise.is_empty() {
        costs.push(format!(
            "the constraints leave {} arms that are not orthogonal; precision beside an orthogonal design of as many: {}",
            cells.arms.len(),
            imprecise.join(", ")
        ));
    }
    costs.extend((!lost.is_empty()).then(|| lost.join("; ")));
    costs.extend(untold(cells, &model));
    costs
}

/// What else an estimate contains: `A1×A2`.
pub fn contains(cells: &Cells<'_>, estimator: &Estimator) -> Option<String> {
    let named = |factors: &Vec<usize>| {
        factors.iter().map(|&factor| cells.factors[factor].id.clone()).collect::<Vec<_>>().join("×")
    };
    let all: Vec<String> = estimator.aliases.iter().map(|alias| named(&alias.factors)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The interactions of which the arms show neither the size nor the sum with one other.
fn untold(cells: &Cells<'_>, model: &Factorial) -> Option<String> {
    let factors = cells.factors.len();
    let last = |factor: usize| -> Setting { (factor, cells.levels[factor] - 1) };
    let told = |one: usize, other: usize| {
        let shown = model.interaction(last(one), last(other));
        shown.is_some_and(|shown| shown.is_whole()) || is_alias(model, cells, one, other)
    };
    let untold: Vec<String> = pairs(factors)
        .filter(|&(one, other)| !told(one, other))
        .map(|(one, other)| format!("{}×{}", cells.factors[one].id, cells.factors[other].id))
        .collect();
    (!untold.is_empty()).then(|| format!("these arms do not show the interactions {}", untold.join(", ")))
}

/// Whether the pair is what an estimate that can be told contains in full.
fn is_alias(model: &Factorial, cells: &Cells<'_>, one: usize, other: usize) -> bool {
    let last = |factor: usize| -> Setting { (factor, cells.levels[factor] - 1) };
    let has = |estimator: Estimator| {
        estimator.is_whole() && estimator.aliases.iter().any(|alias| alias.factors == [one, other])
    };
    pairs(cells.factors.len()).any(|(a, b)| model.interaction(last(a), last(b)).is_some_and(has))
        || (0..cells.factors.len()).any(|factor| model.main(last(factor)).is_some_and(has))
}

fn product(cells: &Cells<'_>, set: Set) -> String {
    members(set).into_iter().map(|factor| cells.factors[factor].id.as_str()).collect::<Vec<_>>().join("·")
}

fn roman(resolution: u32) -> &'static str {
    ["0", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
        .get(resolution as usize)
        .copied()
        .unwrap_or("over X")
}
