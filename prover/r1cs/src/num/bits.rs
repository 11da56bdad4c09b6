//! Numbers as sums of bits.

use ff::{PrimeField, PrimeFieldBits};

use super::AllocatedNum;
use crate::boolean::{AllocatedBit, Boolean, field_into_allocated_bits_le};
use crate::{ConstraintSystem, SynthesisError};

impl<Scalar: PrimeField> AllocatedNum<Scalar> {
    /// The number's bits, least significant first, as many as the field's modulus has.
    ///
    /// They may be those of number + modulus, where that is below the next power of two:
    /// [`to_bits_le_strict`](Self::to_bits_le_strict) rules that out.
    pub fn to_bits_le<CS>(&self, mut cs: CS) -> Result<Vec<Boolean>, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        Scalar: PrimeFieldBits,
    {
        let bits = field_into_allocated_bits_le(&mut cs, self.value)?;
        self.enforce_is_sum(&mut cs, &bits);
        Ok(bits.into_iter().map(Boolean::from).collect())
    }

    /// The number's bits, least significant first, enforced to be below the modulus.
    ///
    /// From the top, a run of ones of modulus − 1 is followed by zeros. While all the bits under ones so far are one,
    /// a bit under such a zero must be zero, else it is free.
    pub fn to_bits_le_strict<CS>(&self, mut cs: CS) -> Result<Vec<Boolean>, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        Scalar: PrimeFieldBits,
    {
        let largest = (-Scalar::ONE).to_le_bits();
        let value = self.value.map(|value| value.to_le_bits());
        let places = (0..Scalar::NUM_BITS as usize).rev();

        let mut bits = Vec::with_capacity(places.len());
        let mut run: Vec<AllocatedBit> = Vec::new();
        let mut all_ones: Option<AllocatedBit> = None;
        for (count, place) in places.enumerate() {
            let bit = value.as_ref().map(|value| value[place]);
            let name = || format!("bit {count}");
            if largest[place] {
                let bit = AllocatedBit::alloc(cs.namespace(name), bit)?;
                run.push(bit.clone());
                bits.push(bit);
                continue;
            }
            if !run.is_empty() {
                run.extend(all_ones.take());
                all_ones = Some(and_all(cs.namespace(|| format!("run ending at {count}")), run.drain(..))?);
            }
            let all_ones = all_ones.as_ref().expect("the modulus' highest bit is one");
            bits.push(AllocatedBit::alloc_conditionally(cs.namespace(name), bit, all_ones)?);
        }

        bits.reverse();
        self.enforce_is_sum(&mut cs, &bits);
        Ok(bits.into_iter().map(Boolean::from).collect())
    }

    /// Enforces that the number is the sum of the bits times the powers of two.
    fn enforce_is_sum<CS: ConstraintSystem<Scalar>>(&self, cs: &mut CS, bits: &[AllocatedBit]) {
        cs.enforce(
            || "unpacking constraint",
            |lc| lc,
            |lc| lc,
            |mut lc| {
                let mut power = Scalar::ONE;
                for bit in bits {
                    lc = lc + (power, bit.get_variable());
                    power = power.double();
                }
                lc - self.variable
            },
        );
    }
}

/// The conjunction of all `bits`, of which there is at least one.
fn and_all<Scalar, CS>(mut cs: CS, bits: impl Iterator<Item = AllocatedBit>) -> Result<AllocatedBit, SynthesisError>
where
    Scalar: PrimeField,
    CS: ConstraintSystem<Scalar>,
{
    let mut all = None;
    for (count, bit) in bits.enumerate() {
        all = Some(match all {
            None => bit,
            Some(all) => AllocatedBit::and(cs.namespace(|| format!("and {count}")), &all, &bit)?,
        });
    }
    Ok(all.expect("a run has at least one bit"))
}
