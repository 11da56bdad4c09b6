//! Many affine additions for the price of one inversion.
//!
//! The sum of two affine points costs an inversion, 2M and 1S. Inverting n denominators together (Montgomery's trick)
//! costs one inversion and 3M each, so an addition comes to 5M + 1S: less than the 7M + 4S of a mixed projective one.
//! All cases are handled: equal points, opposite points, infinity on either side.

use crate::base_field::BaseField;
use crate::curve::Affine;

/// A list of independent additions. No sum may be an operand of another addition of the same list.
pub(crate) trait Additions<A> {
    /// How many there are.
    fn len(&self) -> usize;
    /// The two operands of one of them.
    fn operands(&self, index: usize) -> (&A, &A);
    /// Takes its sum. Called once for each index, in descending order.
    fn set(&mut self, index: usize, sum: A);
}

/// How a sum is found.
#[derive(Clone, Copy)]
enum Kind {
    /// By the line through both points.
    Chord,
    /// By the tangent: the points are equal.
    Tangent,
    /// It is the left point: the right one is infinity.
    Left,
    /// It is the right point: the left one is infinity.
    Right,
    /// It is infinity: the points are opposite.
    Infinity,
}

/// What is known of one addition after the first pass.
#[derive(Clone, Copy)]
struct Slope<F> {
    kind: Kind,
    /// The slope's denominator; one where there is no slope.
    denominator: F,
    /// The product of all denominators before this one.
    prefix: F,
}

/// Runs lists of additions; keeps its scratch memory between them.
pub(crate) struct BatchAdder<A: Affine> {
    slopes: Vec<Slope<A::Base>>,
}

impl<A: Affine> BatchAdder<A> {
    pub(crate) fn new() -> Self {
        Self { slopes: Vec::new() }
    }

    /// Performs all additions of a list.
    pub(crate) fn run(&mut self, additions: &mut impl Additions<A>) {
        let mut product = A::Base::ONE;
        self.slopes.clear();
        self.slopes.extend((0..additions.len()).map(|index| {
            let (p, q) = additions.operands(index);
            let (kind, denominator) = classify(p, q);
            let slope = Slope { kind, denominator, prefix: product };
            product = product.times(&denominator);
            slope
        }));
        let mut inverse = product.invert();
        for (index, slope) in self.slopes.iter().enumerate().rev() {
            let (p, q) = additions.operands(index);
            let sum = match slope.kind {
                Kind::Chord => third(p, q, &q.y().minus(p.y()).times(&slope.prefix.times(&inverse))),
                Kind::Tangent => third(p, q, &tangent_numerator(p).times(&slope.prefix.times(&inverse))),
                Kind::Left => *p,
                Kind::Right => *q,
                Kind::Infinity => A::identity(),
            };
            additions.set(index, sum);
            inverse = inverse.times(&slope.denominator);
        }
    }
}

#[inline]
fn is_infinity<A: Affine>(point: &A) -> bool {
    point.x().is_zero() && point.y().is_zero()
}

/// How p + q is found, and the denominator for it.
#[inline]
fn classify<A: Affine>(p: &A, q: &A) -> (Kind, A::Base) {
    if is_infinity(p) {
        return (Kind::Right, A::Base::ONE);
    }
    if is_infinity(q) {
        return (Kind::Left, A::Base::ONE);
    }
    let difference = q.x().minus(p.x());
    if !difference.is_zero() {
        (Kind::Chord, difference)
    } else if q.y().minus(p.y()).is_zero() {
        (Kind::Tangent, p.y().plus(p.y()))
    } else {
        (Kind::Infinity, A::Base::ONE)
    }
}

/// 3x².
fn tangent_numerator<A: Affine>(point: &A) -> A::Base {
    let square = point.x().square();
    square.plus(&square).plus(&square)
}

/// The sum of two points on a line of this slope.
#[inline]
fn third<A: Affine>(p: &A, q: &A, slope: &A::Base) -> A {
    let x = slope.square().minus(p.x()).minus(q.x());
    let y = p.x().minus(&x).times(slope).minus(p.y());
    A::from_coordinates(x, y)
}

/// A point, or its negative.
#[inline]
pub(crate) fn signed<A: Affine>(point: &A, negative: bool) -> A {
    if negative && !is_infinity(point) {
        A::from_coordinates(*point.x(), A::Base::ZERO.minus(point.y()))
    } else {
        *point
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine, Scalar};
    use group::Curve;

    use super::*;

    struct Pairs<A>(Vec<(A, A)>, Vec<Option<A>>);

    impl<A: Affine> Additions<A> for Pairs<A> {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn operands(&self, index: usize) -> (&A, &A) {
            (&self.0[index].0, &self.0[index].1)
        }
        fn set(&mut self, index: usize, sum: A) {
            assert!(self.1[index].replace(sum).is_none());
        }
    }

    /// Every ordered pair of a few small multiples, infinity and negatives among them.
    fn all_pairs_add_up<A: Affine>() {
        let multiple = |k: i64| {
            let scalar = Scalar::from(k.unsigned_abs());
            (A::generator() * if k < 0 { -scalar } else { scalar }).to_affine()
        };
        let points: Vec<A> = (-3..=3).map(multiple).collect();
        let pairs: Vec<_> = points.iter().flat_map(|&p| points.iter().map(move |&q| (p, q))).collect();
        let mut additions = Pairs(pairs.clone(), vec![None; pairs.len()]);
        BatchAdder::new().run(&mut additions);
        for (&(p, q), sum) in pairs.iter().zip(additions.1) {
            assert_eq!(sum.unwrap(), (p.to_curve() + q.to_curve()).to_affine());
            assert_eq!((signed(&p, true), signed(&p, false)), (-p, p));
        }
    }

    #[test]
    fn sums_agree_with_the_curve_library() {
        all_pairs_add_up::<G1Affine>();
        all_pairs_add_up::<G2Affine>();
    }

    #[test]
    fn an_empty_list_is_fine() {
        BatchAdder::<G1Affine>::new().run(&mut Pairs(Vec::new(), Vec::new()));
    }
}
