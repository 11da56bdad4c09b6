//! The order of a block: pure, drawn from the recorded seed, so that a resumed run draws the same.
//!
//! Blocks come in fours: two orders drawn at random, then the same two reversed; below eight units in eights, four and four.
//! Every order is as likely as any other in each block, so no arm is favoured; and over the group each unit stands, on
//! average, in the middle, so a drift that is linear in time cancels. A block's mirror image does not follow it at once: in
//! noise that lasts longer than a sample, the unit that ends the one and begins the other would be favoured twice, and the
//! two blocks would not count as two. At least eight samples lie between them. Two units alone are mirrored at once, A B B A.
//! Units here are whatever the caller runs one after another: arms, or arms and benches.

use rand_chacha::ChaCha12Rng;
use rand_core::{RngCore, SeedableRng};

/// The order of `units` in block number `block` (from 0): a permutation of `0..units`. It depends on nothing else.
pub fn order(seed: u64, block: u32, units: usize) -> Vec<usize> {
    let drawn = drawn_at_once(units);
    let (draw, mirrored) = (block / (2 * drawn) * drawn + block % drawn, block / drawn % 2 == 1);
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(draw));
    let mut order: Vec<usize> = (0..units).collect();
    // Fisher and Yates' shuffle.
    for last in (1..units).rev() {
        order.swap(last, below(&mut rng, last + 1));
    }
    if mirrored {
        order.reverse();
    }
    order
}

/// How many orders are drawn before they are run again reversed. Between a block and its mirror image lie all blocks but one
/// of these.
fn drawn_at_once(units: usize) -> u32 {
    match units {
        0..=2 => 1,
        3..8 => 4,
        _ => 2,
    }
}

/// A number below `bound`, each as likely as any other: draws from the incomplete last stretch are thrown away.
fn below(rng: &mut ChaCha12Rng, bound: usize) -> usize {
    let bound = bound as u64;
    let end = u64::MAX - u64::MAX % bound;
    loop {
        let draw = rng.next_u64();
        if draw < end {
            return usize::try_from(draw % bound).expect("below a usize");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn every_unit_runs_once() {
        for units in [0, 1, 2, 7, 33] {
            for block in 0..6 {
                let mut sorted = order(9, block, units);
                sorted.sort_unstable();
                assert_eq!(sorted, (0..units).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_same_seed_and_block_give_the_same_order() {
        assert_eq!(order(1, 5, 20), order(1, 5, 20));
        assert_ne!(order(1, 4, 20), order(2, 4, 20), "the seed matters");
        assert_ne!(order(1, 4, 20), order(1, 5, 20), "the block matters");
        assert_ne!(order(1, 4, 20), order(1, 8, 20), "the group matters");
    }

    /// From each block to its mirror image, in units of blocks.
    const GROUPS: [(usize, u32); 4] = [(3, 4), (7, 4), (8, 2), (33, 2)];

    #[test]
    fn a_group_of_blocks_balances_every_position() {
        for (units, ahead) in GROUPS {
            for block in (0..40).filter(|block| block / ahead % 2 == 0) {
                let mut mirrored = order(3, block + ahead, units);
                mirrored.reverse();
                assert_eq!(order(3, block, units), mirrored, "{units} units, block {block}");
            }
        }
    }

    #[test]
    fn what_is_not_mirrored_is_drawn_anew() {
        for (units, ahead) in GROUPS {
            let drawn = (0..64).filter(|block| block / ahead % 2 == 0).map(|block| order(3, block, units));
            let distinct: HashSet<Vec<usize>> = drawn.collect();
            // Three units have six orders in all.
            assert!(distinct.len() == 6 || distinct.len() >= 31, "{units} units: {}", distinct.len());
        }
    }

    /// In noise that lasts, the units next to each other in a block and its mirror image would share it.
    #[test]
    fn eight_samples_lie_between_a_block_and_its_mirror_image() {
        for units in 3..40_usize {
            let between = (drawn_at_once(units) as usize - 1) * units;
            assert!(between >= 8, "{units} units: {between}");
        }
    }

    #[test]
    fn two_units_run_a_b_b_a() {
        for pair in 0..20 {
            let (first, second) = (order(7, 2 * pair, 2), order(7, 2 * pair + 1, 2));
            assert_eq!((first[0], first[1]), (second[1], second[0]));
        }
    }

    /// 4! orders, 4800 pairs of draws from one seed: chi-square with 23 degrees of freedom stays below its 99.9% point,
    /// 49.73 (tables), for those that are run as drawn and those that are mirrored.
    #[test]
    fn every_order_is_as_likely_as_any_other() {
        for first in [0, 4] {
            let mut counts: HashMap<Vec<usize>, u32> = HashMap::new();
            for eight in 0..1200 {
                for block in (8 * eight + first)..(8 * eight + first + 4) {
                    *counts.entry(order(20_261_130, block, 4)).or_default() += 1;
                }
            }
            assert_eq!(counts.len(), 24);
            let chi_square: f64 = counts.values().map(|&count| (f64::from(count) - 200.0).powi(2) / 200.0).sum();
            assert!(chi_square < 49.73, "{chi_square}");
        }
    }
}
