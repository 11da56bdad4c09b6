//! Bits and boolean logic.
//!
//! A gate over allocated bits costs one variable and one constraint; over a constant, and for a negation, nothing.

mod allocated;
mod decompose;
mod logic;
mod sha256;

pub use self::allocated::AllocatedBit;
pub use self::decompose::{field_into_allocated_bits_le, field_into_boolean_vec_le, u64_into_boolean_vec_le};
pub use self::logic::Boolean;

#[cfg(test)]
mod tests;
