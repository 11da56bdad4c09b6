//! Order statistics of all pairs of values, without writing the pairs down.
//!
//! A thousand values have half a million pairs. Of sorted values, the pairs whose average (or distance) is at most some t
//! are counted in one walk with two fingers; the k-th smallest is then the smallest number with more than k pairs up to it,
//! found by bisection over the floating-point numbers themselves. So the result is exactly the one that sorting all
//! pairs would give, in 64 walks at most, and no memory is asked for.

/// The `k`-th smallest, from 0, of the n(n+1)/2 averages of two of the ascending `sorted` values, each with itself too.
///
/// `sorted` is not empty and finite, and there are more than `k` averages.
pub(super) fn nth_average(sorted: &[f64], k: usize) -> f64 {
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    smallest(first, last, |t| averages_up_to(sorted, t) > k)
}

/// How many averages are at most `t`.
pub(super) fn averages_up_to(sorted: &[f64], t: f64) -> usize {
    let (mut end, mut count) = (sorted.len(), 0);
    for (i, one) in sorted.iter().enumerate() {
        while end > i && 0.5 * (one + sorted[end - 1]) > t {
            end -= 1;
        }
        if end <= i {
            break;
        }
        count += end - i;
    }
    count
}

/// The `k`-th smallest, from 0, of the n(n−1)/2 distances between two of the ascending `sorted` values.
///
/// `sorted` is finite, and there are more than `k` distances.
pub(super) fn nth_distance(sorted: &[f64], k: usize) -> f64 {
    let widest = sorted[sorted.len() - 1] - sorted[0];
    smallest(0.0, widest, |t| distances_up_to(sorted, t) > k)
}

fn distances_up_to(sorted: &[f64], t: f64) -> usize {
    let (mut start, mut count) = (0, 0);
    for (j, one) in sorted.iter().enumerate() {
        while one - sorted[start] > t {
            start += 1;
        }
        count += j - start;
    }
    count
}

/// The smallest number from `low` to `high` that `is_enough`, which holds from there on; it holds at `high`.
fn smallest(low: f64, high: f64, is_enough: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (key(low), key(high));
    while low < high {
        let middle = low + (high - low) / 2;
        if is_enough(number(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // Adding zero turns −0 into 0.
    number(high) + 0.0
}

/// Numbers in their order as whole numbers in theirs: the bits, mirrored where the number is negative.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "selection gives exactly the number that sorting does")]
mod tests {
    use super::*;

    /// Sorting all pairs gives the same, for values with ties, zeros and both signs.
    #[test]
    fn selection_is_sorting() {
        for n in 1..40_u32 {
            let mut values: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 23) / 7.0 - 1.5).collect();
            values.sort_by(f64::total_cmp);
            let (mut averages, mut distances) = (Vec::new(), Vec::new());
            for (i, one) in values.iter().enumerate() {
                averages.extend(values[i..].iter().map(|other| 0.5 * (one + other)));
                distances.extend(values[i + 1..].iter().map(|other| other - one));
            }
            averages.sort_by(f64::total_cmp);
            distances.sort_by(f64::total_cmp);
            for (k, &average) in averages.iter().enumerate() {
                assert_eq!(nth_average(&values, k), average, "average {k} of {values:?}");
            }
            for (k, &distance) in distances.iter().enumerate() {
                assert_eq!(nth_distance(&values, k), distance, "distance {k} of {values:?}");
            }
            assert_eq!(averages_up_to(&values, 0.0), averages.iter().filter(|average| **average <= 0.0).count());
        }
    }

    #[test]
    fn numbers_and_keys_have_one_order() {
        let numbers = [f64::MIN, -1.0, -1e-300, -0.0, 0.0, 5e-324, 1e-300, 1.0, f64::MAX];
        assert!(numbers.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(numbers.iter().all(|&one| number(key(one)).to_bits() == one.to_bits()));
    }
}
