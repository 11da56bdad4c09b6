//! Known numbers as freshly allocated bits, least significant first. Nothing ties the bits to the number.

use ff::{PrimeField, PrimeFieldBits};

use super::{AllocatedBit, Boolean};
use crate::{ConstraintSystem, SynthesisError};

/// The 64 bits of `value`.
pub fn u64_into_boolean_vec_le<Scalar: PrimeField, CS: ConstraintSystem<Scalar>>(
    mut cs: CS,
    value: Option<u64>,
) -> Result<Vec<Boolean>, SynthesisError> {
    let bits = (0..u64::BITS).map(|place| value.map(|value| value >> place & 1 == 1));
    Ok(alloc_all(&mut cs, bits)?.into_iter().map(Boolean::from).collect())
}

/// As many bits of `value` as the field's modulus has.
pub fn field_into_boolean_vec_le<Scalar, CS>(cs: CS, value: Option<Scalar>) -> Result<Vec<Boolean>, SynthesisError>
where
    Scalar: PrimeField + PrimeFieldBits,
    CS: ConstraintSystem<Scalar>,
{
    Ok(field_into_allocated_bits_le(cs, value)?.into_iter().map(Boolean::from).collect())
}

/// As many bits of `value` as the field's modulus has.
pub fn field_into_allocated_bits_le<Scalar, CS>(
    mut cs: CS,
    value: Option<Scalar>,
) -> Result<Vec<AllocatedBit>, SynthesisError>
where
    Scalar: PrimeField + PrimeFieldBits,
    CS: ConstraintSystem<Scalar>,
{
    let bits = value.map(|value| value.to_le_bits());
    let bits = (0..Scalar::NUM_BITS as usize).map(|place| bits.as_ref().map(|bits| bits[place]));
    alloc_all(&mut cs, bits)
}

/// Allocates each bit in a namespace of its own.
fn alloc_all<Scalar, CS>(
    cs: &mut CS,
    bits: impl Iterator<Item = Option<bool>>,
) -> Result<Vec<AllocatedBit>, SynthesisError>
where
    Scalar: PrimeField,
    CS: ConstraintSystem<Scalar>,
{
    bits.enumerate().map(|(place, bit)| AllocatedBit::alloc(cs.namespace(|| format!("bit {place}")), bit)).collect()
}
