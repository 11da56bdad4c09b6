//! Batches, toggles and windows: none of them may change a byte.

use bellpepper::gadgets::sha256::sha256;
use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use groth16_prover::assignment::{CapacityHint, ProvingAssignment};
use groth16_prover::generator::generate;
use groth16_prover::info::info;
use groth16_prover::params::Parameters;
use groth16_prover::proof::Proof;
use groth16_prover::prove::{Batch, Options, Randomness, prove_batch};
use groth16_prover::timeline::Phase;
use groth16_prover::toggles::Toggles;
use groth16_prover::verifier::{PreparedVerifyingKey, verify_batch};
use groth16_prover::windows;

use crate::circuits::{Random, toxic};

const OFF: Toggles = Toggles { presize: false, parallel_b_g2: false, msm_windows: false };
const CIRCUIT: Random = Random { seed: 9, inputs: 2, constraints: 90 };

fn prove<C: Circuit<Scalar> + Copy + Send>(
    circuit: C,
    count: usize,
    parameters: &Parameters,
    options: &Options,
) -> Batch {
    let randomness: Vec<_> = (0..count as u64).map(|index| Randomness::from_seed(7, index)).collect();
    prove_batch(vec![circuit; count], parameters, &randomness, options).unwrap()
}

#[test]
fn batches_of_none_one_and_three_verify_together() {
    let parameters = generate(CIRCUIT, &toxic()).unwrap();
    let key = PreparedVerifyingKey::from(&parameters.vk);
    for count in [0, 1, 3] {
        let batch = prove(CIRCUIT, count, &parameters, &Options::default());
        let mut proofs = batch.proofs.clone();
        assert_eq!(proofs.len(), count);
        let check = |proofs: &[Proof]| {
            let pairs: Vec<_> = proofs.iter().zip(batch.public_inputs.iter().map(Vec::as_slice)).collect();
            verify_batch(&key, &pairs, 1).unwrap()
        };
        assert!(check(&proofs));
        if let Some(last) = proofs.last_mut() {
            last.c = -last.c;
            assert!(!check(&proofs), "one of {count} is wrong");
        }
    }
}

#[test]
fn every_toggle_gives_the_same_bytes() {
    let parameters = generate(CIRCUIT, &toxic()).unwrap();
    let expected = prove(CIRCUIT, 3, &parameters, &Options { toggles: OFF, ..Options::default() }).bytes;
    assert!(expected[0] != expected[1] && expected[1] != expected[2]);
    let toggles = [
        Toggles { presize: true, ..OFF },
        Toggles { parallel_b_g2: true, ..OFF },
        Toggles { msm_windows: true, ..OFF },
        Toggles { presize: true, parallel_b_g2: true, msm_windows: true },
    ];
    for toggles in toggles {
        let batch = prove(CIRCUIT, 3, &parameters, &Options { toggles, ..Options::default() });
        assert_eq!(batch.bytes, expected, "{toggles:?}");
    }
    // A hint that is too small is still only a hint.
    let small = CapacityHint { constraints: 1, inputs: 0, aux: 2 };
    let options = Options { hint: Some(small), toggles: Toggles { presize: true, ..OFF }, window: None };
    assert_eq!(prove(CIRCUIT, 3, &parameters, &options).bytes, expected);
}

#[test]
fn every_window_gives_the_same_bytes() {
    let parameters = generate(CIRCUIT, &toxic()).unwrap();
    let expected = prove(CIRCUIT, 1, &parameters, &Options::default()).bytes;
    for window in windows::RANGE {
        let batch = prove(CIRCUIT, 1, &parameters, &Options { window: Some(window), ..Options::default() });
        assert_eq!(batch.bytes, expected, "window {window}");
        assert_eq!(batch.facts[0].a.window, window);
    }
}

#[test]
fn a_hint_allocates_once() {
    let parameters = generate(CIRCUIT, &toxic()).unwrap();
    let hint = CapacityHint::from(&parameters);
    let assignment = ProvingAssignment::synthesize(CIRCUIT, Some(hint)).unwrap();
    assert_eq!(assignment.a.capacity(), hint.constraints);
    assert_eq!((assignment.aux.len(), assignment.aux.capacity()), (hint.aux, hint.aux));
    assert_eq!((assignment.inputs.len(), assignment.inputs.capacity()), (hint.inputs, hint.inputs));
}

/// A preimage of a public digest, as bits.
#[derive(Clone, Copy)]
struct Preimage {
    byte: Option<u8>,
}

impl Circuit<Scalar> for Preimage {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let bits = (0..8)
            .map(|i| {
                let bit = self.byte.map(|byte| byte >> i & 1 == 1);
                AllocatedBit::alloc(cs.namespace(|| format!("bit {i}")), bit).map(Boolean::from)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let digest = sha256(cs.namespace(|| "sha256"), &bits)?;
        for (i, bit) in digest.iter().enumerate() {
            let value = bit.get_value().map(|bit| Scalar::from(u64::from(bit)));
            let input = cs.alloc_input(|| format!("digest {i}"), || value.ok_or(SynthesisError::AssignmentMissing))?;
            let lc = bit.lc(CS::one(), Scalar::ONE);
            cs.enforce(|| format!("digest {i}"), |zero| zero + &lc, |lc| lc + CS::one(), |lc| lc + input);
        }
        Ok(())
    }
}

/// A real gadget: parameters without values, a proof, and what is told about it.
#[test]
fn sha256_of_a_byte() {
    let parameters = generate(Preimage { byte: None }, &toxic()).unwrap();
    let batch = prove(Preimage { byte: Some(0xa5) }, 2, &parameters, &Options::default());
    let key = PreparedVerifyingKey::from(&parameters.vk);
    let pairs: Vec<_> = batch.proofs.iter().zip(batch.public_inputs.iter().map(Vec::as_slice)).collect();
    assert_eq!(verify_batch(&key, &pairs, 2), Ok(true));

    let facts = batch.facts[0];
    let assignment = ProvingAssignment::synthesize(Preimage { byte: Some(0xa5) }, None).unwrap();
    let told = info(&assignment, None, Toggles::BUILT).unwrap();
    assert_eq!((told.domain, told.inputs, told.aux), (parameters.h.len() + 1, 257, parameters.l.len()));
    assert_eq!((told.msms.a, told.msms.b_g1, told.msms.l), (facts.a, facts.b_g1, facts.l));
    assert_eq!(facts.l.nontrivial, 0, "a SHA-256 witness is all bits");
    assert_eq!(facts.l.ones, assignment.aux.iter().filter(|value| **value == Scalar::ONE).count());
    assert!(facts.h.nontrivial > facts.h.bases / 2);

    let phases = |phase| batch.spans.iter().filter(|span| span.name == phase).count();
    assert_eq!((phases(Phase::Synthesis), phases(Phase::Ntt), phases(Phase::MsmBG2)), (1, 2, 2));
    assert!(batch.total <= batch.span);
    assert!(batch.spans.iter().all(|span| u128::from(span.start_ns + span.ns) <= batch.span.as_nanos()));
}
