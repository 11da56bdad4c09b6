//! Numbers of the scalar field.

mod allocated;
mod bits;
mod sum;

pub use self::allocated::AllocatedNum;
pub use self::sum::Num;

#[cfg(test)]
mod tests;
