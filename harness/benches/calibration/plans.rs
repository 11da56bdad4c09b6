//! The plans that are simulated, and what each compares.

use std::f64::consts::PI;

use ablate::design::cells::Cells;
use ablate::design::factorial::Factorial;
use ablate::experiment::Design;
use ablate::judge::{Family, Look, Verdict, judge, planned_looks};
use ablate::record::Sample;
use ablate::stats::operating::{Planned, found, found_by_mean};

use crate::machine::{Noise, Plan};

/// A plan under its name.
pub(crate) struct Simulated {
    pub(crate) name: &'static str,
    pub(crate) plan: Plan,
    /// The primary comparisons, the first of them factor A's.
    pub(crate) subjects: Vec<Subject>,
}

/// One comparison's number in a block: weighted log times.
pub(crate) struct Subject {
    /// Arm and weight.
    terms: Vec<(String, f64)>,
    ranked: bool,
}

/// One arm; three arms; a small factorial; twelve arms that stand for 32.
pub(crate) fn plans(min_effect: f64) -> Vec<Simulated> {
    [
        ("one arm, looks at 12 and 24", 1, Design::AddOne, &[12, 24][..]),
        ("three arms, looks at 16, 20, 24", 3, Design::AddOne, &[16, 20, 24]),
        ("full design of 3 factors, looks at 4, 6, 8", 3, Design::Full, &[4, 6, 8]),
        ("add-and-leave of 5 factors, looks at 4, 8, 12", 5, Design::AddAndLeave, &[4, 8, 12]),
    ]
    .into_iter()
    .map(|(name, factors, design, looks)| {
        let plan = Plan::new(factors, design, looks, min_effect);
        Simulated { name, subjects: subjects(&plan), plan }
    })
    .collect()
}

fn subjects(plan: &Plan) -> Vec<Subject> {
    if !plan.experiment.design.is_factorial() {
        let pair = |id: &String| Subject { terms: vec![(id.clone(), 1.0), ("base".to_owned(), -1.0)], ranked: true };
        return plan.run.arms[2..].iter().map(|arm| pair(&arm.id)).collect();
    }
    let cells = Cells::of(&plan.experiment, plan.run.arms.iter());
    let model = Factorial::of(&cells.levels, &cells.cells);
    let effect = |setting| {
        let weights = model.main(setting).expect("every factor is switched").weights;
        let terms = cells.arms.iter().map(|arm| arm.id.clone()).zip(weights).collect();
        Subject { terms, ranked: false }
    };
    cells.settings().map(effect).collect()
}

impl Subject {
    pub(crate) fn is_ranked(&self) -> bool {
        self.ranked
    }

    /// The level at which it is judged at a look.
    pub(crate) fn level_at(&self, look: &Look) -> f64 {
        if self.ranked { look.level } else { look.mean_level }
    }

    /// Block by block.
    pub(crate) fn values(&self, samples: &[Sample]) -> Vec<f64> {
        let blocks = samples.iter().map(|sample| sample.block as usize + 1).max().unwrap_or(0);
        let mut values = vec![0.0; blocks];
        for sample in samples {
            let weight = self.terms.iter().find(|(arm, _)| *arm == sample.arm).map_or(0.0, |(_, weight)| *weight);
            if let Some(ns) = sample.warm[0].span_ns.filter(|_| weight != 0.0) {
                values[sample.block as usize] += weight * (ns as f64).ln();
            }
        }
        values
    }
}

impl Simulated {
    /// What factor A comes to where it costs `truth`, and after how many blocks the run ends.
    pub(crate) fn verdict(&self, seed: u64, noise: Noise, spread: f64, truth: f64) -> (Verdict, u32) {
        let samples =
            self.plan.samples(seed, noise, spread, |arm| if arm.levels.contains_key("A") { truth } else { 0.0 });
        let judgement = judge(&self.plan.experiment, &self.plan.run, &samples);
        let primary = judgement.comparisons.iter().find(|c| c.family == Family::Primary);
        (primary.map_or(Verdict::Inconclusive, |comparison| comparison.verdict), judgement.blocks)
    }

    /// How often such an effect of factor A is found: what is stated before it is simulated. For ranks over all looks, for
    /// means at the last one, which finds all but what only an earlier one happened to.
    pub(crate) fn theory(&self, spread: f64, effect: f64, margin: f64) -> f64 {
        let subject = &self.subjects[0];
        let squares: f64 = subject.terms.iter().map(|(_, weight)| weight * weight).sum();
        let looks = planned_looks(&self.plan.experiment.measure.looks, 0.05, self.subjects.len());
        let spread = spread * squares.sqrt();
        if !subject.ranked {
            let last = looks.last().expect("every plan has a look");
            return found_by_mean(effect, spread, last.blocks, last.mean_level, margin);
        }
        let looks: Vec<Planned> = looks.iter().map(|look| (look.blocks, look.level)).collect();
        found(effect, (PI / 3.0).sqrt() * spread, &looks, margin).last().copied().unwrap_or(0.0)
    }
}
