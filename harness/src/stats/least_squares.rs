//! Least squares over few columns, for what it says of a design: which columns can be told apart, and by which weights on
//! the rows a combination of coefficients is estimated.
//!
//! Columns are taken in the order given, so the caller says what matters more: a column that is a combination of
//! earlier ones is dropped. The kept ones are orthogonalised by Gram and Schmidt's method, each twice, which is as
//! accurate as reflections (Giraud, Langou and Rozložník, Numer. Math. 101, 2005, 87–100).

/// What is left of a column, as a share of its length, below which it is a combination of others.
const DEPENDENT: f64 = 1e-9;

/// The columns of a design, X = Q·R for those that are kept.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Orthonormal: Q, one vector for each kept column.
    basis: Vec<Vec<f64>>,
    /// For each kept column its coefficients on the basis up to itself: R, column by column.
    on_basis: Vec<Vec<f64>>,
    /// Which of the given columns are kept.
    kept: Vec<usize>,
}

impl Columns {
    /// Takes columns, all of one length, in order.
    pub fn of<'a>(columns: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut taken = Self { basis: Vec::new(), on_basis: Vec::new(), kept: Vec::new() };
        for (index, column) in columns.into_iter().enumerate() {
            taken.take(index, column);
        }
        taken
    }

    fn take(&mut self, index: usize, column: &[f64]) {
        let mut rest = column.to_vec();
        let mut on_basis = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            for (share, direction) in on_basis.iter_mut().zip(&self.basis) {
                let product = dot(&rest, direction);
                *share += product;
                for (rest, direction) in rest.iter_mut().zip(direction) {
                    *rest -= product * direction;
                }
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if length > DEPENDENT * dot(column, column).sqrt() {
            on_basis.push(length);
            self.basis.push(rest.into_iter().map(|value| value / length).collect());
            self.on_basis.push(on_basis);
            self.kept.push(index);
        }
    }

    /// Which columns are kept, ascending.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The weights w, one a row, by which w·y is the least-squares estimate of Σ `target`ᵢ · θᵢ, one target for each kept
    /// column: w = Q·z where Rᵀ·z = `target`.
    pub fn weights(&self, target: &[f64]) -> Vec<f64> {
        let mut weights = vec![0.0; self.basis.first().map_or(0, Vec::len)];
        let mut solved: Vec<f64> = Vec::with_capacity(self.basis.len());
        for ((on_basis, direction), target) in self.on_basis.iter().zip(&self.basis).zip(target) {
            let step = (target - dot(&solved, on_basis)) / on_basis[solved.len()];
            for (weight, direction) in weights.iter_mut().zip(direction) {
                *weight += step * direction;
            }
            solved.push(step);
        }
        weights
    }
}

/// The sum of products, up to the end of the shorter one.
pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = 1, 3, 2, 5 over x = 0, 1, 2, 3: slope 1.1, intercept 1.1, by the textbook's sums.
    #[test]
    fn a_line_through_four_points() {
        let columns = [vec![1.0; 4], vec![0.0, 1.0, 2.0, 3.0]];
        let columns = Columns::of(columns.iter().map(Vec::as_slice));
        let y = [1.0, 3.0, 2.0, 5.0];
        assert!((dot(&columns.weights(&[0.0, 1.0]), &y) - 1.1).abs() < 1e-14);
        assert!((dot(&columns.weights(&[1.0, 0.0]), &y) - 1.1).abs() < 1e-14);
        assert!((dot(&columns.weights(&[1.0, 2.0]), &y) - 3.3).abs() < 1e-14, "their combination too");
    }

    #[test]
    fn a_combination_of_earlier_columns_is_dropped() {
        let columns =
            [vec![1.0, 1.0, 1.0], vec![0.0, 1.0, 0.0], vec![2.0, 5.0, 2.0], vec![0.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]];
        let columns = Columns::of(columns.iter().map(Vec::as_slice));
        assert_eq!(columns.kept(), [0, 1, 4]);
    }
}
