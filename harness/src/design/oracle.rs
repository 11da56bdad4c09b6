//! Agreement with answers computed by other means: statsmodels, scipy and pydoe. `tests/oracle/factorial.py` says how each
//! came about.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::factorial::{Factorial, Setting, pairs};
use super::fraction::{Regular, Set, members};
use crate::experiment::Fraction;
use crate::stats::least_squares::dot;
use crate::stats::location::Location;
use crate::stats::student;
use crate::stats::trend;

const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    /// Of the intervals.
    levels: Vec<f64>,
    data_sets: Vec<DataSet>,
    slopes: Vec<Slope>,
    student: Vec<Quantile>,
    fractions: Vec<Best>,
    aliases: Vec<Classes>,
}

/// Blocks of values of a design's cells, and what effects they show.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DataSet {
    levels: Vec<usize>,
    cells: Vec<Vec<usize>>,
    /// By block, then by cell.
    y: Vec<Vec<f64>>,
    /// By name: `0:1` the main effect of factor 0's level 1, `0:1,2:1` an interaction.
    effects: BTreeMap<String, Effect>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Effect {
    estimate: f64,
    p: f64,
    bounds: Vec<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Slope {
    y: Vec<f64>,
    #[serde(rename = "slope")]
    estimate: f64,
    low: f64,
    high: f64,
    p: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quantile {
    degrees: usize,
    level: f64,
    t: f64,
}

/// What a search over all fractions of so many factors found.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Best {
    factors: usize,
    erased: u32,
    generators: String,
}

/// Effects that cannot be told apart, in letters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Classes {
    generator: String,
    classes: Vec<Vec<String>>,
}

fn answers() -> Answers {
    serde_json::from_str(include_str!("../../tests/oracle/factorial.json")).expect("factorial.py writes this shape")
}

fn near(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= TOLERANCE * theirs.abs().max(1.0)
}

fn setting(text: &str) -> Setting {
    let (factor, level) = text.split_once(':').expect("factor:level");
    (factor.parse().expect("a number"), level.parse().expect("a number"))
}

#[test]
fn effects_and_their_intervals_agree() {
    let Answers { levels, data_sets, .. } = answers();
    assert!(data_sets.len() >= 200, "{} data sets", data_sets.len());
    for DataSet { levels: factors, cells, y, effects } in data_sets {
        let design = Factorial::of(&factors, &cells);
        for (name, expected) in effects {
            let estimator = match name.split_once(',') {
                None => design.main(setting(&name)),
                Some((one, other)) => design.interaction(setting(one), setting(other)),
            };
            let estimator = estimator.unwrap_or_else(|| panic!("{name} of {cells:?} can be estimated"));
            let values: Vec<f64> = y.iter().map(|block| dot(&estimator.weights, block)).collect();
            for (&level, &[low, high]) in levels.iter().zip(&expected.bounds) {
                let ours = student::mean(&values, level).expect("finite");
                assert!(near(ours.estimate, expected.estimate), "{name}: {ours:?} against {}", expected.estimate);
                assert!(near(ours.p, expected.p), "{name}: {ours:?} against p = {}", expected.p);
                // With two blocks an end may be a hundred times the estimate: the tolerance is relative there.
                assert!(near(ours.low, low) && near(ours.high, high), "{name}: {ours:?} against {low} to {high}");
            }
        }
    }
}

#[test]
fn slopes_agree() {
    for Slope { y, estimate: slope, low, high, p } in answers().slopes {
        let Location { estimate, low: ours, high: upper, p: of, .. } =
            trend::slope(std::slice::from_ref(&y), 0.05).expect("three or more");
        assert!(near(estimate, slope) && near(ours, low) && near(upper, high) && near(of, p), "{y:?}");
    }
}

#[test]
fn students_quantiles_agree() {
    for Quantile { degrees, level, t } in answers().student {
        let ours = student::critical(level, degrees);
        assert!(near(ours, t), "{level} with {degrees}: {ours} against {t}");
        assert!((student::two_sided(t, degrees) / level - 1.0).abs() < 1e-9, "{level} with {degrees}");
    }
}

fn part(erased: u32) -> Fraction {
    if erased == 1 { Fraction::Half } else { Fraction::Quarter }
}

/// Letters to a set: `acd` is factors 0, 2 and 3.
fn set(letters: &str) -> Set {
    letters.bytes().filter(u8::is_ascii_lowercase).map(|letter| 1 << (letter - b'a')).sum()
}

/// The words of a generator such as `a b c abc`, signs aside: each longer column times the factor that it stands for.
fn words(generators: &str) -> Vec<Set> {
    let columns: Vec<&str> = generators.split_whitespace().collect();
    // Column i is factor i; its letters name the columns that have one letter, in order.
    let free: Vec<usize> = (0..columns.len()).filter(|&at| set(columns[at]).is_power_of_two()).collect();
    let of = |letters: &str| members(set(letters)).into_iter().map(|letter| 1 << free[letter]).sum::<Set>();
    let made =
        (0..columns.len()).filter(|at| !free.contains(at)).map(|at| of(columns[at]) | 1 << at).collect::<Vec<Set>>();
    match made.as_slice() {
        [one, other] => vec![*one, *other, one ^ other],
        _ => made,
    }
}

/// Two designs are equally good where they have equally many words of each length.
#[test]
fn fractions_are_as_good_as_the_best_of_a_search() {
    for Best { factors, erased, generators } in answers().fractions {
        let ours = Regular::best(factors, part(erased)).expect("so many factors have a fraction");
        let lengths = |words: &[Set]| {
            let mut lengths: Vec<u32> = words.iter().map(|word| word.count_ones()).collect();
            lengths.sort_unstable();
            lengths
        };
        assert_eq!(
            lengths(&ours.words),
            lengths(&words(&generators)),
            "{factors} factors: {ours:?} against {generators}"
        );
    }
}

/// Every class of effects that a fraction cannot tell apart, up to signs, with the words that were searched above.
#[test]
fn aliases_agree() {
    for Classes { generator, classes } in answers().aliases {
        let words = words(&generator);
        let factors = generator.split_whitespace().count();
        let ours = Regular { factors, words };
        for class in classes {
            let sets: BTreeSet<Set> = class.iter().filter(|word| *word != "i").map(|word| set(word)).collect();
            let Some(&first) = sets.first() else { continue };
            let mut found: BTreeSet<Set> = ours.aliases(first).into_iter().filter(|set| *set != 0).collect();
            found.insert(first);
            assert_eq!(found, sets, "{generator}: {class:?}");
        }
    }
}

/// What the regular fraction says of aliases, and what the weights of least squares let through, are the same.
#[test]
fn aliases_of_words_and_of_weights_are_the_same() {
    for (factors, part) in [
        (3, Fraction::Half),
        (4, Fraction::Half),
        (5, Fraction::Half),
        (5, Fraction::Quarter),
        (6, Fraction::Quarter),
        (7, Fraction::Quarter),
    ] {
        let regular = Regular::best(factors, part).expect("a fraction");
        let cells: Vec<Vec<usize>> = (0..1_u32 << factors)
            .filter(|set| regular.holds(*set))
            .map(|set| (0..factors).map(|bit| (set >> bit & 1) as usize).collect())
            .collect();
        let design = Factorial::of(&vec![2; factors], &cells);
        let of_order_two = |effect: Set| -> BTreeSet<Vec<usize>> {
            regular.aliases(effect).into_iter().filter(|set| set.count_ones() == 2).map(members).collect()
        };
        for factor in 0..factors {
            let main = design.main((factor, 1)).expect("resolution III at least");
            let found: BTreeSet<Vec<usize>> = main.aliases.iter().map(|alias| alias.factors.clone()).collect();
            assert!(main.is_whole());
            assert_eq!(found, of_order_two(1 << factor), "factor {factor} of {factors}");
        }
        for (one, other) in pairs(factors) {
            let Some(pair) = design.interaction((one, 1), (other, 1)) else { continue };
            let found: BTreeSet<Vec<usize>> = pair.aliases.iter().map(|alias| alias.factors.clone()).collect();
            assert!(pair.is_whole());
            assert_eq!(found, of_order_two(1 << one | 1 << other), "{one}×{other} of {factors}");
        }
    }
}

/// Box, Hunter and Hunter, Statistics for Experimenters, 2nd ed., table 5.3: the pilot plant. Temperature 23, concentration
/// −5, catalyst 1.5, and twice their two-factor interactions: 1.5, 10 and 0.
#[test]
fn the_pilot_plant_has_its_published_effects() {
    let y = [60.0, 72.0, 54.0, 68.0, 52.0, 83.0, 45.0, 80.0];
    let cells: Vec<Vec<usize>> = (0..8).map(|cell| (0..3).map(|bit| cell >> bit & 1).collect()).collect();
    let design = Factorial::of(&[2; 3], &cells);
    let main = |factor| dot(&design.main((factor, 1)).expect("full").weights, &y);
    let pair = |one, other| dot(&design.interaction((one, 1), (other, 1)).expect("full").weights, &y);
    let found = [main(0), main(1), main(2), pair(0, 1), pair(0, 2), pair(1, 2)];
    for (found, published) in found.into_iter().zip([23.0, -5.0, 1.5, 3.0, 20.0, 0.0]) {
        assert!((found - published).abs() < 1e-12, "{found} against {published}");
    }
}

/// Student, Biometrika 6 (1908) 20: the additional hours of sleep of ten patients; as R's `t.test(extra)` prints them.
#[test]
fn students_sleepers_have_their_published_interval() {
    let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
    let mean = student::mean(&sleep, 0.05).expect("ten values");
    assert!((mean.estimate - 1.58).abs() < 1e-12);
    assert!((mean.low - 0.700_114_2).abs() < 1e-7 && (mean.high - 2.459_885_8).abs() < 1e-7, "{mean:?}");
    assert!((mean.p - 0.002_833).abs() < 1e-6, "{mean:?}");
}

/// Box, Hunter and Hunter, table 6.22, and Montgomery, table 8.14: the highest resolution for so many factors.
#[test]
fn resolutions_are_the_tables() {
    let halves = [(3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8)];
    let quarters = [(5, 3), (6, 4), (7, 4), (8, 5), (9, 6), (10, 6)];
    for (table, part) in [(halves, Fraction::Half), (quarters, Fraction::Quarter)] {
        for (factors, resolution) in table {
            assert_eq!(Regular::best(factors, part).map(|best| best.resolution()), Some(resolution), "{factors}");
        }
    }
    assert_eq!(Regular::best(2, Fraction::Half), None);
    assert_eq!(Regular::best(4, Fraction::Quarter), None);
}
