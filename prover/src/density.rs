//! Which variables occur in a query: one bit a variable.
//!
//! The reference string leaves out the bases that are zero, so the prover must know which variables have one. A variable
//! counts when some constraint has it with a coefficient other than zero; this is what makes its polynomial non-zero.

/// One bit for each variable of one kind, and how many are set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Density {
    words: Vec<u64>,
    len: usize,
    ones: usize,
}

impl Density {
    /// No variables yet, with room for `capacity` of them.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { words: Vec::with_capacity(capacity.div_ceil(64)), len: 0, ones: 0 }
    }

    /// Adds a variable that does not occur yet.
    pub fn push(&mut self) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
    }

    /// Notes that a variable occurs.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn insert(&mut self, index: usize) {
        assert!(index < self.len, "variable {index} of {}", self.len);
        let word = &mut self.words[index / 64];
        let bit = 1 << (index % 64);
        self.ones += usize::from(*word & bit == 0);
        *word |= bit;
    }

    /// Whether a variable occurs; `false` beyond the last one.
    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many variables occur.
    pub fn count(&self) -> usize {
        self.ones
    }

    /// The bits, 64 a word, the lowest first; those beyond the last variable are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The variables that occur, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_list_of_booleans() {
        for len in [0, 1, 63, 64, 65, 200] {
            let mut density = Density::default();
            (0..len).for_each(|_| density.push());
            let mut list = vec![false; len];
            for index in (0..len).filter(|i| i % 3 == 0 || *i == 63).chain((0..len).step_by(5)) {
                density.insert(index);
                list[index] = true;
            }
            let set: Vec<usize> = (0..len).filter(|&i| list[i]).collect();
            assert_eq!(density.iter().collect::<Vec<_>>(), set);
            assert_eq!((density.len(), density.count()), (len, set.len()));
            let bits: u32 = density.words().iter().map(|word| word.count_ones()).sum();
            assert_eq!((density.words().len(), bits as usize), (len.div_ceil(64), set.len()));
            assert!((0..len + 70).all(|i| density.contains(i) == list.get(i).is_some_and(|&bit| bit)));
        }
    }
}
