//! Arms as cells of a design: one level number for each factor.

use super::fraction::Regular;
use crate::experiment::{Design, Experiment, Factor};
use crate::record::{Role, RunArm};

/// The arms by which factors are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells<'a> {
    /// The factors that are switched in any of them, in file order.
    pub factors: Vec<&'a Factor>,
    /// How many levels each has.
    pub levels: Vec<usize>,
    /// Base first, then combinations in design order.
    pub arms: Vec<&'a RunArm>,
    /// For each arm the level of each factor.
    pub cells: Vec<Vec<usize>>,
}

impl<'a> Cells<'a> {
    /// The cells among `arms`. The arm with every factor on that stands beside a fraction is none of them: it is there to
    /// be compared with what the fraction says.
    pub fn of(experiment: &'a Experiment, arms: impl Iterator<Item = &'a RunArm>) -> Self {
        let arms: Vec<&RunArm> = arms.filter(|arm| matches!(arm.role, Role::Base | Role::Combination)).collect();
        let switched = |factor: &&Factor| arms.iter().any(|arm| arm.levels.contains_key(&factor.id));
        let factors: Vec<&Factor> = experiment.factors.iter().filter(switched).collect();
        let cell = |arm: &&RunArm| factors.iter().map(|factor| level(factor, arm)).collect::<Vec<usize>>();
        let check = stands_beside(&experiment.design, factors.len());
        let (arms, cells) =
            arms.iter().map(|arm| (*arm, cell(arm))).filter(|(_, cell)| !check || cell.contains(&0)).unzip();
        Self { levels: factors.iter().map(|factor| factor.lever.levels()).collect(), factors, arms, cells }
    }

    /// What a level is called: `A1`, `W=12`.
    pub fn name(&self, (factor, level): super::factorial::Setting) -> String {
        let factor = self.factors[factor];
        factor
            .lever
            .named_levels()
            .map_or_else(|| factor.id.clone(), |levels| format!("{}={}", factor.id, levels[level]))
    }

    /// Every level of every factor but base's.
    pub fn settings(&self) -> impl Iterator<Item = super::factorial::Setting> + '_ {
        self.levels.iter().enumerate().flat_map(|(factor, &levels)| (1..levels).map(move |level| (factor, level)))
    }
}

/// The number of an arm's level.
fn level(factor: &Factor, arm: &RunArm) -> usize {
    let Some(text) = arm.levels.get(&factor.id) else { return 0 };
    let named = factor.lever.named_levels();
    named.map_or(1, |levels| levels.iter().position(|level| level == text).unwrap_or(0))
}

/// Whether the arm with every factor on is measured beside the fraction, not as a part of it.
fn stands_beside(design: &Design, factors: usize) -> bool {
    match design {
        Design::Fraction(part) => Regular::best(factors, *part).is_some_and(|fraction| !fraction.holds_all()),
        _ => false,
    }
}
