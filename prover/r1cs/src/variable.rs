//! Variables, named by their number among the public or the private ones.

use serde::{Deserialize, Serialize};

/// A variable of a constraint system: where in the assignment its value stands, not the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variable(pub Index);

impl Variable {
    /// The variable at `index`, which is not checked to exist: circuits get theirs by allocating.
    pub fn new_unchecked(index: Index) -> Self {
        Self(index)
    }

    /// Where the variable's value stands.
    pub fn get_unchecked(&self) -> Index {
        self.0
    }
}

/// A variable's place, counted from zero in the order of allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Index {
    /// Among the public inputs; number 0 is the constant one.
    Input(usize),
    /// Among the private (auxiliary) variables.
    Aux(usize),
}
