//! Real circuits of bellpepper and neptune: in the test system, in a system without names or values, as a witness alone.

use bellpepper::gadgets::{blake2s::blake2s, lookup, multipack, sha256::sha256};
use bellpepper::util_cs::{bench_cs::BenchCS, metric_cs::MetricCS, witness_cs::WitnessCS};
use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::num::AllocatedNum;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use generic_array::typenum::{U2, U4, U8};
use neptune::circuit::{CircuitType, poseidon_hash_circuit};
use neptune::circuit2::{poseidon_hash_allocated, poseidon_hash_num};
use neptune::poseidon::{Arity, PoseidonConstants};

use crate::matrices::Matrices;
use crate::report::{Scalar, case, print_lines, scalar, spread};

pub fn print() {
    for bytes in [0, 3, 64] {
        everywhere(&format!("sha256 of {bytes}"), || Hash::Sha256 { bytes });
    }
    everywhere("blake2s of 3", || Hash::Blake2s { bytes: 3 });
    everywhere("lookup", || Lookup);
    everywhere("poseidon 2", || Poseidon(PoseidonConstants::<Scalar, U2>::new()));
    everywhere("poseidon 4", || Poseidon(PoseidonConstants::<Scalar, U4>::new()));
    everywhere("poseidon 8", || Poseidon(PoseidonConstants::<Scalar, U8>::new()));
}

/// What all the systems make of a circuit.
fn everywhere<C: Describe>(name: &str, circuit: impl Fn() -> C) {
    case(name, |cs| format!("{:?}", circuit().build(cs, true)));

    let mut matrices = Matrices::default();
    let result = circuit().build(&mut matrices, false);
    println!("{name}, nothing known -> {result:?} {} {}", matrices.inputs, matrices.aux);
    print_lines(&matrices.constraints);

    let mut witness = WitnessCS::<Scalar>::new();
    let result = circuit().build(&mut witness, true);
    println!("{name}, witness -> {result:?}");
    print_lines(&witness.scalar_inputs().iter().chain(&witness.scalar_aux()).map(scalar).collect::<Vec<_>>());

    let (mut metric, mut bench) = (MetricCS::<Scalar>::new(), BenchCS::<Scalar>::new());
    let results = (circuit().build(&mut metric, true), Known(circuit()).synthesize(&mut bench));
    println!("{name}, counted -> {results:?} {} {}", metric.num_constraints(), bench.num_constraints());
    print_lines(&metric.pretty_print_list());
}

/// A circuit whose witness may be left out.
trait Describe {
    fn build<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS, known: bool) -> Result<(), SynthesisError>;
}

struct Known<C>(C);

impl<C: Describe> Circuit<Scalar> for Known<C> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.0.build(cs, true)
    }
}

/// The digest of private bytes, packed into public inputs.
#[derive(Clone, Copy)]
enum Hash {
    Sha256 { bytes: usize },
    Blake2s { bytes: usize },
}

impl Describe for Hash {
    fn build<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS, known: bool) -> Result<(), SynthesisError> {
        let (Self::Sha256 { bytes } | Self::Blake2s { bytes }) = self;
        let message: Vec<u8> = (0..bytes).map(|place| (place * 37 + 11) as u8).collect();
        let bits: Vec<bool> = match self {
            Self::Sha256 { .. } => multipack::bytes_to_bits(&message),
            Self::Blake2s { .. } => multipack::bytes_to_bits_le(&message),
        };
        let bits = bits.into_iter().enumerate().map(|(place, bit)| {
            let cs = cs.namespace(|| format!("message bit {place}"));
            AllocatedBit::alloc(cs, known.then_some(bit)).map(Boolean::from)
        });
        let bits = bits.collect::<Result<Vec<_>, _>>()?;
        let digest = match self {
            Self::Sha256 { .. } => sha256(cs.namespace(|| "sha256"), &bits)?,
            Self::Blake2s { .. } => blake2s(cs.namespace(|| "blake2s"), &bits, b"12345678")?,
        };
        multipack::pack_into_inputs(cs.namespace(|| "digest"), &digest)
    }
}

/// Both table look-ups.
struct Lookup;

impl Describe for Lookup {
    fn build<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS, known: bool) -> Result<(), SynthesisError> {
        let bits = [true, false, true].into_iter().enumerate().map(|(place, bit)| {
            let cs = cs.namespace(|| format!("bit {place}"));
            AllocatedBit::alloc(cs, known.then_some(bit)).map(Boolean::from)
        });
        let bits = bits.collect::<Result<Vec<_>, _>>()?;
        let table: Vec<_> = (0..8).map(|place| (spread(place), spread(place + 8))).collect();
        lookup::lookup3_xy(cs.namespace(|| "table"), &bits, &table)?;
        lookup::lookup3_xy_with_conditional_negation(cs.namespace(|| "signed table"), &bits, &table[..4])?;
        Ok(())
    }
}

/// neptune's three ways to hash as many numbers as the constants take.
struct Poseidon<A: Arity<Scalar>>(PoseidonConstants<Scalar, A>);

impl<A: Arity<Scalar>> Describe for Poseidon<A> {
    fn build<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS, known: bool) -> Result<(), SynthesisError> {
        let numbers = (0..A::to_usize() as u64).map(|place| {
            let value = || if known { Ok(spread(place)) } else { Err(SynthesisError::AssignmentMissing) };
            AllocatedNum::alloc(cs.namespace(|| format!("number {place}")), value)
        });
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        let hash = poseidon_hash_allocated(cs.namespace(|| "hash"), numbers.clone(), &self.0)?;
        hash.inputize(cs.namespace(|| "public"))?;
        let legacy = CircuitType::Legacy;
        let old = poseidon_hash_circuit(cs.namespace(|| "old"), legacy, numbers.clone(), &self.0)?;
        let sum = poseidon_hash_num(cs.namespace(|| "sum"), numbers, &self.0)?;
        let difference = sum.lc(Scalar::from(1)) - old.get_variable();
        cs.enforce(|| "same hash", |lc| lc, |lc| lc, |lc| lc + &difference);
        Ok(())
    }
}
