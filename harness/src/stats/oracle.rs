//! Agreement with answers computed by other means: scipy, statsmodels, numpy and brute force. `tests/oracle/generate.py`
//! says how each came about.

use serde::Deserialize;

use super::location::Location;
use super::multiple::{benjamini_hochberg, discovery_level};
use super::signed_rank::p_value;
use super::spending;
use crate::judge::planned_looks;

const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    /// Of the intervals in each data set.
    levels: Vec<f64>,
    data_sets: Vec<DataSet>,
    adjusted: Vec<Adjusted>,
    plans: Vec<Plan>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DataSet {
    x: Vec<f64>,
    p: f64,
    estimate: f64,
    /// `null` where the level is below the smallest p-value.
    bounds: Vec<Option<[f64; 2]>>,
    interval_p: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adjusted {
    p: Vec<f64>,
    bh: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    looks: Vec<u32>,
    alpha: f64,
    family: usize,
    levels: Vec<f64>,
}

fn answers() -> Answers {
    serde_json::from_str(include_str!("../../tests/oracle/answers.json")).expect("generate.py writes this shape")
}

fn near(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= TOLERANCE
}

#[test]
fn signed_rank_p_values_agree() {
    let sets = answers().data_sets;
    assert!(sets.len() >= 200, "{} data sets", sets.len());
    for DataSet { x, p, .. } in sets {
        assert!(near(p_value(&x), p), "{x:?}: {} against {p}", p_value(&x));
    }
}

#[test]
fn estimates_and_intervals_agree() {
    let Answers { levels, data_sets, .. } = answers();
    for DataSet { x, estimate, bounds, interval_p, .. } in data_sets {
        assert_eq!(bounds.len(), levels.len());
        for (&level, bounds) in levels.iter().zip(bounds) {
            let ours = Location::of(&x, level).expect("the data are finite");
            assert!(near(ours.estimate, estimate), "{x:?}: {ours:?} against {estimate}");
            assert!(near(ours.p, interval_p), "{x:?}: {ours:?} against p = {interval_p}");
            match bounds {
                Some([low, high]) => assert!(near(ours.low, low) && near(ours.high, high), "{x:?}: {ours:?}"),
                None => assert!(ours.low == f64::NEG_INFINITY && ours.high == f64::INFINITY, "{x:?}: {ours:?}"),
            }
        }
    }
}

#[test]
fn adjusted_p_values_agree() {
    for Adjusted { p, bh } in answers().adjusted {
        let ours = benjamini_hochberg(&p);
        assert!(ours.iter().zip(&bh).all(|(&ours, &theirs)| near(ours, theirs)), "{p:?}: {ours:?} against {bh:?}");
        let level = discovery_level(&ours, 0.05);
        assert!(p.iter().zip(&bh).all(|(&raw, &bh)| (raw <= level) == (bh <= 0.05)), "{p:?} at {level}");
    }
}

#[test]
fn levels_of_looks_agree() {
    for Plan { looks, alpha, family, levels } in answers().plans {
        let ours = planned_looks(&looks, alpha, family);
        assert_eq!(ours.len(), levels.len());
        for (ours, theirs) in ours.iter().zip(levels) {
            assert!(near(ours.level, theirs), "{looks:?}: {ours:?} against {theirs}");
        }
    }
}

#[test]
fn all_of_alpha_is_spent_by_the_last_look() {
    let spent = spending::spent(&[0.5, 1.0], 0.05);
    assert!(near(spent[0], 0.003_050_645_515_977_819) && near(spent[1], 0.05), "{spent:?}");
}
