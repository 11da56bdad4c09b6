//! The two functions of three bits in SHA-256 (FIPS 180-4, section 4.1.2), each in fewer constraints than its gates.

use ff::PrimeField;

use super::{AllocatedBit, Boolean};
use crate::{ConstraintSystem, SynthesisError};

impl Boolean {
    /// "Choose": (`a` AND `b`) XOR ((NOT `a`) AND `c`), as a · (b − c) = result − c.
    pub fn sha256_ch<Scalar, CS>(mut cs: CS, a: &Self, b: &Self, c: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let value = values(a, b, c).map(|[a, b, c]| if a { b } else { c });
        match (a, b, c) {
            (Self::Constant(_), Self::Constant(_), Self::Constant(_)) => {
                return Ok(Self::Constant(value.expect("constants have values")));
            }
            (Self::Constant(false), _, c) => return Ok(c.clone()),
            (a, Self::Constant(false), c) => return Self::and(cs, &a.not(), c),
            (a, b, Self::Constant(false)) => return Self::and(cs, a, b),
            (a, b, Self::Constant(true)) => return Self::or(cs, &a.not(), b),
            (a, Self::Constant(true), c) => return Self::or(cs, a, c),
            (
                Self::Constant(true) | Self::Is(_) | Self::Not(_),
                Self::Is(_) | Self::Not(_),
                Self::Is(_) | Self::Not(_),
            ) => {}
        }

        let one = CS::one();
        let (plus, minus) = (Scalar::ONE, -Scalar::ONE);
        let result = AllocatedBit::unconstrained(&mut cs, "ch", value)?;
        cs.enforce(
            || "ch computation",
            |lc| c.add_to(b.add_to(lc, one, plus), one, minus),
            |lc| a.add_to(lc, one, plus),
            |lc| c.add_to(lc + result.get_variable(), one, minus),
        );
        Ok(Self::Is(result))
    }

    /// "Majority": (`a` AND `b`) XOR (`a` AND `c`) XOR (`b` AND `c`), as a · (2bc − b − c) = bc − result.
    pub fn sha256_maj<Scalar, CS>(mut cs: CS, a: &Self, b: &Self, c: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let value = values(a, b, c).map(|[a, b, c]| if a { b | c } else { b & c });
        match (a, b, c) {
            (Self::Constant(_), Self::Constant(_), Self::Constant(_)) => {
                return Ok(Self::Constant(value.expect("constants have values")));
            }
            (Self::Constant(false), x, y) | (x, Self::Constant(false), y) | (x, y, Self::Constant(false)) => {
                return Self::and(cs, x, y);
            }
            (Self::Constant(true), x, y) | (x, Self::Constant(true), y) | (x, y, Self::Constant(true)) => {
                return Self::or(cs, x, y);
            }
            (Self::Is(_) | Self::Not(_), Self::Is(_) | Self::Not(_), Self::Is(_) | Self::Not(_)) => {}
        }

        let one = CS::one();
        let (plus, minus) = (Scalar::ONE, -Scalar::ONE);
        let result = AllocatedBit::unconstrained(&mut cs, "maj", value)?;
        let both = Self::and(cs.namespace(|| "b and c"), b, c)?;
        cs.enforce(
            || "maj computation",
            |lc| c.add_to(b.add_to(both.add_to(lc, one, plus.double()), one, minus), one, minus),
            |lc| a.add_to(lc, one, plus),
            |lc| both.add_to(lc, one, plus) - result.get_variable(),
        );
        Ok(Self::Is(result))
    }
}

/// The three values, where all are known.
fn values(a: &Boolean, b: &Boolean, c: &Boolean) -> Option<[bool; 3]> {
    Some([a.get_value()?, b.get_value()?, c.get_value()?])
}
