//! How many bits of a scalar a multi-scalar multiplication takes at a time (toggle D4).
//!
//! A window of w bits costs 255 / w passes over the bases and 2^(w − 1) buckets to sum up in each.

use serde::Serialize;

use crate::toggles::Toggles;

/// The windows that can be asked for.
pub const RANGE: std::ops::RangeInclusive<u32> = 2..=16;

/// The library's rule for a multiplication with `scalars` non-trivial scalars: that of blst's Pippenger.
pub fn library(scalars: usize) -> u32 {
    let bits = scalars.checked_ilog2().unwrap_or(0);
    let window = match bits {
        0..=4 => 2,
        5..=12 => bits - 2,
        _ => bits - 3,
    };
    window.clamp(*RANGE.start(), *RANGE.end())
}

/// From how many non-trivial scalars on a window is the fastest: measured on x86-64 with ADX, one thread.
/// `cargo bench -p groth16-prover --bench kernels -- window` measures it again.
const TUNED_G1: [(usize, u32); 9] =
    [(0, 4), (128, 5), (512, 7), (2_048, 9), (4_096, 10), (12_000, 12), (30_000, 13), (100_000, 14), (180_000, 15)];

/// The same for G2.
const TUNED_G2: [(usize, u32); 9] =
    [(0, 4), (64, 5), (256, 7), (768, 8), (4_096, 10), (12_000, 11), (30_000, 13), (100_000, 14), (200_000, 15)];

fn tuned(table: &[(usize, u32)], scalars: usize) -> u32 {
    table.iter().rev().find(|(from, _)| *from <= scalars).map_or(*RANGE.start(), |(_, window)| *window)
}

/// The number of non-trivial scalars, or the window, of each of a proof's multiplications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PerMsm<T> {
    /// Over the H query.
    pub h: T,
    /// Over the L query.
    pub l: T,
    /// Over the A query.
    pub a: T,
    /// Over the B query in G1.
    pub b_g1: T,
    /// Over the B query in G2.
    pub b_g2: T,
}

impl<T> PerMsm<T> {
    /// The same function of each.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> PerMsm<U> {
        PerMsm { h: f(self.h), l: f(self.l), a: f(self.a), b_g1: f(self.b_g1), b_g2: f(self.b_g2) }
    }

    /// A function of each and its counterpart.
    pub fn zip<'a, U, V>(self, other: &'a PerMsm<U>, f: impl Fn(T, &'a U) -> V) -> PerMsm<V> {
        PerMsm {
            h: f(self.h, &other.h),
            l: f(self.l, &other.l),
            a: f(self.a, &other.a),
            b_g1: f(self.b_g1, &other.b_g1),
            b_g2: f(self.b_g2, &other.b_g2),
        }
    }
}

/// The windows of a batch, one entry a circuit.
///
/// A forced window holds for all. Else, with `msm_windows`, each multiplication gets its own from the table; without, all
/// get the library's choice for the average count.
pub fn choose(forced: Option<u32>, toggles: Toggles, counts: &[PerMsm<usize>]) -> Vec<PerMsm<u32>> {
    let all = |window| PerMsm { h: window, l: window, a: window, b_g1: window, b_g2: window };
    if let Some(window) = forced {
        return vec![all(window); counts.len()];
    }
    if toggles.msm_windows {
        let own = |count: &PerMsm<usize>| PerMsm {
            h: tuned(&TUNED_G1, count.h),
            l: tuned(&TUNED_G1, count.l),
            a: tuned(&TUNED_G1, count.a),
            b_g1: tuned(&TUNED_G1, count.b_g1),
            b_g2: tuned(&TUNED_G2, count.b_g2),
        };
        return counts.iter().map(own).collect();
    }
    let sum: usize = counts.iter().map(|c| c.h + c.l + c.a + c.b_g1 + c.b_g2).sum();
    vec![all(library(sum / (5 * counts.len()).max(1))); counts.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFF: Toggles = Toggles { presize: false, parallel_b_g2: false, msm_windows: false };

    #[test]
    fn library_rule_at_its_edges() {
        let windows = [0, 1, 31, 32, 4096, 8191, 8192, 1 << 20, usize::MAX].map(library);
        assert_eq!(windows, [2, 2, 2, 3, 10, 10, 10, 16, 16]);
    }

    #[test]
    fn off_means_one_window_for_all() {
        let counts = PerMsm { h: 1 << 14, l: 0, a: 0, b_g1: 0, b_g2: 0 };
        let windows = choose(None, OFF, &[counts, PerMsm::default()])[0];
        let expected = library((1 << 14) / 10);
        assert_eq!(windows, PerMsm { h: expected, l: expected, a: expected, b_g1: expected, b_g2: expected });
    }

    #[test]
    fn on_means_each_by_its_own_count() {
        let counts = PerMsm { h: 1 << 20, l: 3, a: 5000, b_g1: 0, b_g2: 0 };
        let windows = choose(None, Toggles { msm_windows: true, ..OFF }, &[counts])[0];
        assert!(windows.h > windows.a && windows.a > windows.l);
    }

    #[test]
    fn a_forced_window_wins() {
        let windows = choose(Some(7), Toggles { msm_windows: true, ..OFF }, &[PerMsm::default()])[0];
        assert_eq!(windows, PerMsm { h: 7, l: 7, a: 7, b_g1: 7, b_g2: 7 });
    }

    #[test]
    fn tables_are_ascending_and_in_range() {
        for table in [TUNED_G1, TUNED_G2] {
            assert_eq!(table[0].0, 0);
            assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
            assert!(table.iter().all(|(_, window)| RANGE.contains(window)));
        }
    }
}
