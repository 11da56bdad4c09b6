//! Many tests at once.

/// One test's level in a family of `family`: Bonferroni's α ÷ family. A family of none counts as one.
pub fn bonferroni(alpha: f64, family: usize) -> f64 {
    alpha / family.max(1) as f64
}

/// Benjamini and Hochberg's adjusted p-values, in the order given (J. R. Stat. Soc. B 57, 1995, 289–300): a test is
/// among the discoveries at false discovery rate q exactly where its adjusted p-value is at most q.
///
/// The i-th smallest becomes min over j ≥ i of p(j) · m ÷ j, at most 1.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let m = p_values.len();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; m];
    let mut smallest = 1.0_f64;
    for (from_top, &index) in order.iter().enumerate() {
        let rank = m - from_top;
        smallest = smallest.min(p_values[index] * m as f64 / rank as f64);
        adjusted[index] = smallest;
    }
    adjusted
}

/// The level of the intervals that go with [`benjamini_hochberg`] at rate `q`: R · q ÷ m for R discoveries among m
/// (Benjamini and Yekutieli, JASA 100, 2005, 71–81), with R at least 1.
///
/// A raw p-value is at most this level exactly where the test is a discovery, so an interval of this level excludes "no
/// change" exactly there.
pub fn discovery_level(adjusted: &[f64], q: f64) -> f64 {
    let discoveries = adjusted.iter().filter(|&&p| p <= q).count();
    discoveries.max(1) as f64 * bonferroni(q, adjusted.len())
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these come from one exact operation each")]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_fifteen_tests_have_four_discoveries() {
        // Benjamini and Hochberg 1995, section 3.2: at q = .05 the four smallest are rejected.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        let adjusted = benjamini_hochberg(&p);
        assert_eq!(adjusted.iter().filter(|&&p| p <= 0.05).count(), 4);
        let level = discovery_level(&adjusted, 0.05);
        for (raw, adjusted) in p.iter().zip(&adjusted) {
            assert_eq!(*raw <= level, *adjusted <= 0.05);
        }
    }

    #[test]
    fn no_tests_and_no_discoveries() {
        assert!(benjamini_hochberg(&[]).is_empty());
        assert_eq!(discovery_level(&[], 0.05), 0.05);
        assert_eq!(discovery_level(&[0.9, 1.0], 0.05), 0.025);
        assert_eq!(bonferroni(0.05, 0), 0.05);
    }
}
