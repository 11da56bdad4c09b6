//! What a set of arms says of main effects and two-factor interactions, and what it cannot tell apart.
//!
//! A bench's log values are taken as a sum of a constant, a part for each factor's level and a part for each pair of levels.
//! Levels are coded so that the parts of a factor sum to zero (for two levels: −1 and +1), which gives these meanings:
//!
//! * **main effect** of a level: that level against base's, averaged over all levels of the other factors;
//! * **interaction** of two levels: what both together do beyond what each does by itself, y₁₁ − y₁₀ − y₀₁ + y₀₀,
//!   averaged over the others; four times the coefficient of two-level factors;
//! * effect **alone**: the level against base's with every other factor at base's level, as the model says.
//!
//! Each is a fixed combination of the arms' values, so one block gives one value of it: a contrast. The weights are those of
//! least squares, taken over the columns that can be told apart, constant and main effects first (Box and Wilson,
//! J. R. Stat. Soc. B 13, 1951, 1–45, whose alias matrix is the part of the dropped columns that the weights let through).
//! In full designs and regular fractions they are the textbook's plus and minus 2/N.
//!
//! Pure arithmetic on level numbers: it knows neither arms nor samples.

use crate::stats::least_squares::{Columns, dot};

/// What a weight or an alias differs from nothing by.
const NOTHING: f64 = 1e-9;

/// One level of a factor, other than base's: the factor's number and the level's.
pub type Setting = (usize, usize);

/// A combination of the cells' values that estimates an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimator {
    /// One for each cell; they sum to zero.
    pub weights: Vec<f64>,
    /// What else it contains.
    pub aliases: Vec<Alias>,
}

/// An interaction that an estimate contains besides what it is meant for.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The interaction's factors, ascending.
    pub factors: Vec<usize>,
    /// Its coefficient relative to that of the effect meant.
    pub share: f64,
    /// Whether the two are one and the same contrast of these arms, up to its sign.
    pub is_same: bool,
}

impl Estimator {
    /// Whether everything else it contains is the same contrast: then it is shown as the sum that it is.
    pub fn is_whole(&self) -> bool {
        self.aliases.iter().all(|alias| alias.is_same)
    }
}

/// The arms of a design with what can be estimated from them.
#[derive(Clone, Debug)]
pub struct Factorial {
    levels: Vec<usize>,
    columns: Vec<Column>,
    told_apart: Columns,
}

/// A coded column: a product of codes.
#[derive(Clone, Debug)]
struct Column {
    /// Factor and code, from 0; none for the constant, two for an interaction.
    codes: Vec<(usize, usize)>,
    /// One value for each cell.
    values: Vec<f64>,
}

impl Column {
    fn is_of(&self, factors: &[usize]) -> bool {
        self.codes.len() == factors.len() && self.codes.iter().zip(factors).all(|((factor, _), other)| factor == other)
    }
}

impl Factorial {
    /// For factors with so many `levels` each, and `cells` of one level for each factor.
    pub fn of(levels: &[usize], cells: &[Vec<usize>]) -> Self {
        let codes = |factor: usize| (0..levels[factor].saturating_sub(1)).map(move |code| (factor, code));
        let mut terms: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
        terms.extend((0..levels.len()).flat_map(codes).map(|code| vec![code]));
        for (one, other) in pairs(levels.len()) {
            terms.extend(codes(one).flat_map(|code| codes(other).map(move |with| vec![code, with])));
        }
        let column = |codes: Vec<(usize, usize)>| {
            let value = |cell: &Vec<usize>| codes.iter().map(|&(factor, code)| coded(cell[factor], code)).product();
            Column { values: cells.iter().map(value).collect(), codes }
        };
        let columns: Vec<Column> = terms.into_iter().map(column).collect();
        let told_apart = Columns::of(columns.iter().map(|column| column.values.as_slice()));
        Self { levels: levels.to_vec(), columns, told_apart }
    }

    /// The main effect of a level. `None` where the arms do not show it.
    pub fn main(&self, (factor, level): Setting) -> Option<Estimator> {
        self.estimator(&[factor], |codes| match codes {
            [(of, code)] if *of == factor => step(level, *code),
            _ => 0.0,
        })
    }

    /// The interaction of two levels, the factors ascending. `None` where the arms do not show it.
    pub fn interaction(&self, one: Setting, other: Setting) -> Option<Estimator> {
        self.estimator(&[one.0, other.0], |codes| match codes {
            [(of, code), (with, also)] if *of == one.0 && *with == other.0 => step(one.1, *code) * step(other.1, *also),
            _ => 0.0,
        })
    }

    /// The effect of a level with every other factor at base's.
    pub fn alone(&self, (factor, level): Setting) -> Option<Estimator> {
        self.estimator(&[factor], |codes| match codes {
            [(of, code)] if *of == factor => step(level, *code),
            [(of, code), (with, also)] if *of == factor => step(level, *code) * coded(0, *also),
            [(with, also), (of, code)] if *of == factor => step(level, *code) * coded(0, *also),
            _ => 0.0,
        })
    }

    /// The sum of a level's interactions with all other factors, each at its last level.
    pub fn with_the_rest(&self, (factor, level): Setting) -> Option<Estimator> {
        let last = |factor: usize| self.levels[factor] - 1;
        self.combination(|codes| match codes {
            [(of, code), (with, also)] if *of == factor => step(level, *code) * step(last(*with), *also),
            [(with, also), (of, code)] if *of == factor => step(level, *code) * step(last(*with), *also),
            _ => 0.0,
        })
    }

    /// How precise an estimator is beside an orthogonal design of as many cells: 1 where it is as precise.
    pub fn efficiency(&self, (factor, _): Setting, estimator: &Estimator) -> f64 {
        2.0 * self.levels[factor] as f64
            / (estimator.weights.len() as f64 * dot(&estimator.weights, &estimator.weights))
    }

    /// An effect whose own columns, those of exactly `factors`, are all told apart from what comes before them.
    fn estimator(&self, factors: &[usize], target: impl Fn(&[(usize, usize)]) -> f64) -> Option<Estimator> {
        let own: Vec<usize> = (0..self.columns.len()).filter(|&index| self.columns[index].is_of(factors)).collect();
        own.iter().all(|&index| self.is_kept(index)).then(|| self.estimate(&own, &target))
    }

    /// Any combination, where it contains nothing else.
    fn combination(&self, target: impl Fn(&[(usize, usize)]) -> f64) -> Option<Estimator> {
        Some(self.estimate(&[], &target)).filter(|estimator| estimator.aliases.is_empty())
    }

    fn estimate(&self, own: &[usize], target: &impl Fn(&[(usize, usize)]) -> f64) -> Estimator {
        let targets: Vec<f64> = self.columns.iter().map(|column| target(&column.codes)).collect();
        let kept: Vec<f64> = self.told_apart.kept().iter().map(|&index| targets[index]).collect();
        let mut weights = self.told_apart.weights(&kept);
        weights.iter_mut().filter(|weight| weight.abs() < NOTHING).for_each(|weight| *weight = 0.0);
        let size = targets.iter().fold(0.0, |size: f64, target| size.max(target.abs()));
        let mut aliases: Vec<Alias> = Vec::new();
        for (column, target) in self.columns.iter().zip(&targets) {
            let share = (dot(&weights, &column.values) - target) / size;
            if share.abs() < 1e3 * NOTHING {
                continue;
            }
            let factors: Vec<usize> = column.codes.iter().map(|(factor, _)| *factor).collect();
            let is_same = own.iter().any(|&own| are_one(&self.columns[own].values, &column.values));
            match aliases.iter_mut().find(|alias| alias.factors == factors) {
                Some(alias) => {
                    alias.share = if share.abs() > alias.share.abs() { share } else { alias.share };
                    alias.is_same &= is_same;
                }
                None => aliases.push(Alias { factors, share, is_same }),
            }
        }
        Estimator { weights, aliases }
    }

    fn is_kept(&self, index: usize) -> bool {
        self.told_apart.kept().binary_search(&index).is_ok()
    }
}

/// Whether two columns are equal, or each the other's negative.
fn are_one(one: &[f64], other: &[f64]) -> bool {
    let near = |sign: f64| one.iter().zip(other).all(|(one, other)| (one - sign * other).abs() < NOTHING);
    near(1.0) || near(-1.0)
}

/// The number that stands for a level in a code: a level has one of its own, base's is −1 in every one.
fn coded(level: usize, code: usize) -> f64 {
    match level {
        0 => -1.0,
        level if level == code + 1 => 1.0,
        _ => 0.0,
    }
}

/// By how much a code grows from base's level to another.
fn step(level: usize, code: usize) -> f64 {
    coded(level, code) - coded(0, code)
}

/// All pairs of numbers below `count`, the smaller one first.
pub fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::fraction::Regular;
    use crate::experiment::Fraction;

    fn near(one: &[f64], other: &[f64]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-12)
    }

    /// Every combination of two levels that passes, the first factor fastest.
    fn two_level(factors: usize, keep: impl Fn(u32) -> bool) -> Factorial {
        let cells: Vec<Vec<usize>> = (0..1_u32 << factors)
            .filter(|set| keep(*set))
            .map(|set| (0..factors).map(|bit| (set >> bit & 1) as usize).collect())
            .collect();
        Factorial::of(&vec![2; factors], &cells)
    }

    #[test]
    fn a_full_design_has_the_textbook_s_contrasts() {
        let design = two_level(2, |_| true);
        let main = design.main((0, 1)).expect("all arms are there");
        assert!(near(&main.weights, &[-0.5, 0.5, -0.5, 0.5]), "{main:?}");
        let interaction = design.interaction((0, 1), (1, 1)).expect("all arms are there");
        assert!(near(&interaction.weights, &[1.0, -1.0, -1.0, 1.0]), "{interaction:?}");
        let alone = design.alone((0, 1)).expect("all arms are there");
        assert!(near(&alone.weights, &[-1.0, 1.0, 0.0, 0.0]), "{alone:?}");
        assert!(main.aliases.is_empty() && interaction.aliases.is_empty() && alone.aliases.is_empty());
        assert!((design.efficiency((0, 1), &main) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn three_levels_are_compared_with_base_s() {
        let cells: Vec<Vec<usize>> = (0..6).map(|cell| vec![cell % 3, cell / 3]).collect();
        let design = Factorial::of(&[3, 2], &cells);
        let main = design.main((0, 2)).expect("all arms are there");
        assert!(near(&main.weights, &[-0.5, 0.0, 0.5, -0.5, 0.0, 0.5]), "{main:?}");
        let interaction = design.interaction((0, 2), (1, 1)).expect("all arms are there");
        assert!(near(&interaction.weights, &[1.0, 0.0, -1.0, -1.0, 0.0, 1.0]), "{interaction:?}");
        assert!((design.efficiency((0, 2), &main) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_half_of_four_pairs_its_interactions() {
        let half = Regular::best(4, Fraction::Half).expect("four factors");
        let design = two_level(4, |set| half.holds(set));
        assert!(design.main((3, 1)).is_some_and(|main| main.aliases.is_empty()));
        let first = design.interaction((0, 1), (1, 1)).expect("the first of each pair is kept");
        let [alias] = first.aliases.as_slice() else { panic!("one alias: {first:?}") };
        assert_eq!(alias.factors, [2, 3]);
        assert!((alias.share.abs() - 1.0).abs() < 1e-9 && first.is_whole(), "{alias:?}");
        assert_eq!(design.interaction((2, 1), (3, 1)), None, "it is what the first one cannot be told apart from");
    }

    #[test]
    fn a_quarter_of_five_mixes_interactions_into_main_effects() {
        let quarter = Regular::best(5, Fraction::Quarter).expect("five factors");
        assert_eq!(quarter.resolution(), 3);
        let design = two_level(5, |set| quarter.holds(set));
        for factor in 0..5 {
            let main = design.main((factor, 1)).expect("main effects come first");
            let expected: Vec<Vec<usize>> = quarter
                .aliases(1 << factor)
                .into_iter()
                .filter(|set| set.count_ones() == 2)
                .map(super::super::fraction::members)
                .collect();
            let mut found: Vec<Vec<usize>> = main.aliases.iter().map(|alias| alias.factors.clone()).collect();
            found.sort();
            assert_eq!(found, expected, "factor {factor}");
        }
    }

    /// Base, each alone, all but each, all: 2k + 2 arms. Main effects are clear of two-factor interactions for any k; which
    /// two interact is not told from four factors on, only with what else a factor does.
    #[test]
    fn add_and_leave_tells_main_effects_but_not_pairs() {
        for factors in 3..8 {
            let all = (1 << factors) - 1;
            let few = move |set: u32| set.count_ones() <= 1 || (all ^ set).count_ones() <= 1;
            let design = two_level(factors, few);
            for factor in 0..factors {
                let main = design.main((factor, 1)).expect("it is switched");
                assert!(main.aliases.is_empty(), "{factors} factors: {main:?}");
                assert!(design.with_the_rest((factor, 1)).is_some(), "{factors} factors");
            }
            let pair = design.interaction((0, 1), (1, 1));
            assert_eq!(pair.is_some_and(|pair| pair.is_whole()), factors == 3, "{factors} factors");
        }
    }

    #[test]
    fn a_forbidden_corner_costs_precision_and_one_interaction() {
        // Factor 1 requires factor 0.
        let design = two_level(3, |set| set & 0b11 != 0b10);
        let free = design.main((2, 1)).expect("it is free");
        assert!(free.aliases.is_empty(), "{free:?}");
        assert!(
            (design.efficiency((2, 1), &free) - 2.0 / 3.0).abs() < 1e-9,
            "the empty corner is made up from the others"
        );
        let bound = design.main((1, 1)).expect("it is switched where factor 0 is on");
        assert_eq!(bound.aliases.iter().map(|alias| alias.factors.clone()).collect::<Vec<_>>(), [vec![0, 1]]);
        assert!((design.efficiency((1, 1), &bound) - 2.0 / 3.0).abs() < 1e-9, "two of the six arms say nothing of it");
        assert_eq!(design.interaction((0, 1), (1, 1)), None);
    }

    #[test]
    fn a_factor_that_never_changes_has_no_effect_to_show() {
        let design = Factorial::of(&[2, 2], &[vec![0, 0], vec![1, 0]]);
        assert!(design.main((0, 1)).is_some());
        assert_eq!(design.main((1, 1)), None);
        assert_eq!(design.with_the_rest((0, 1)), None);
    }
}
