//! What must be an error is one, and says which.

use blstrs::Scalar;
use ff::Field;
use groth16_prover::generator::{GeneratorError, generate};
use groth16_prover::proof::Proof;
use groth16_prover::prove::{Options, ProveError, Randomness, prove_batch};
use groth16_prover::quotient::QuotientError;
use groth16_prover::toxic::ToxicWaste;
use groth16_prover::verifier::{PreparedVerifyingKey, VerifyError, verify, verify_batch};

use crate::circuits::{Random, Small, toxic};

fn prove(circuit: Small, parameters_of: Small) -> Result<(), ProveError> {
    let parameters = generate(parameters_of, &toxic()).unwrap();
    prove_batch(vec![circuit], &parameters, &[Randomness::from_seed(1, 0)], &Options::default()).map(drop)
}

#[test]
fn an_unconstrained_variable_is_named() {
    let error = generate(Small::Unused, &toxic()).unwrap_err();
    assert!(matches!(&error, GeneratorError::Unconstrained { index: 0, name } if name == "outer/forgotten"), "{error}");
}

#[test]
fn a_wrong_witness_is_no_proof() {
    let error = prove(Small::Unsatisfied, Small::OneConstraint).unwrap_err();
    let expected = QuotientError::Unsatisfied { constraint: 0 };
    assert!(matches!(&error, ProveError::Quotient { circuit: 0, source } if *source == expected), "{error}");
}

#[test]
fn foreign_parameters_are_refused_with_the_section() {
    let refused = |circuit, parameters| match prove(circuit, parameters).unwrap_err() {
        ProveError::QuerySize { section, needed, found, .. } => (section, needed, found),
        other => panic!("{other}"),
    };
    assert_eq!(refused(Small::OneConstraint, Small::OnlyInputs), ("ic", 2, 3));
    assert_eq!(refused(Small::OneInput, Small::OneConstraint), ("h", 1, 3));
    assert_eq!(refused(Small::OneConstraint, Small::CancelledTwice), ("l", 2, 1));
    assert_eq!(refused(Small::Sparse, Small::OneConstraint), ("a", 2, 3));
    assert_eq!(refused(Small::TwiceInOne, Small::Dense), ("a", 3, 4));
}

#[test]
fn cut_queries_are_refused() {
    let mut parameters = generate(Small::OneConstraint, &toxic()).unwrap();
    parameters.b_g2.pop();
    let randomness = [Randomness::from_seed(1, 0)];
    let error = prove_batch(vec![Small::OneConstraint], &parameters, &randomness, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("needs 1 points in section b_g2"), "{error}");
}

#[test]
fn requests_that_make_no_sense() {
    let parameters = generate(Small::OneConstraint, &toxic()).unwrap();
    let request = |window, randomness: &[Randomness]| {
        let options = Options { window, ..Options::default() };
        prove_batch(vec![Small::OneConstraint], &parameters, randomness, &options).unwrap_err()
    };
    assert!(matches!(request(None, &[]), ProveError::Randomness { circuits: 1, given: 0 }));
    for window in [0, 1, 17, u32::MAX] {
        assert!(matches!(request(Some(window), &[Randomness::from_seed(1, 0)]), ProveError::Window(_)));
    }
}

#[test]
fn secrets_that_cannot_be_used() {
    let zero_gamma = ToxicWaste { gamma: Scalar::ZERO, ..toxic() };
    let zero_delta = ToxicWaste { delta: Scalar::ZERO, ..toxic() };
    // One is in every domain.
    let tau_in_domain = ToxicWaste { tau: Scalar::ONE, ..toxic() };
    for (secrets, name) in [(zero_gamma, "gamma"), (zero_delta, "delta"), (tau_in_domain, "tau")] {
        let error = generate(Small::OneConstraint, &secrets).unwrap_err();
        assert!(error.to_string().starts_with(name), "{error}");
    }
}

#[test]
fn the_verifier_wants_the_right_number_of_inputs() {
    let circuit = Random { seed: 5, inputs: 2, constraints: 4 };
    let parameters = generate(circuit, &toxic()).unwrap();
    let batch = prove_batch(vec![circuit], &parameters, &[Randomness::from_seed(1, 0)], &Options::default()).unwrap();
    let key = PreparedVerifyingKey::from(&parameters.vk);
    let (proof, inputs) = (&batch.proofs[0], &batch.public_inputs[0]);
    let expected = Err(VerifyError::InputCount { expected: 2, given: 1 });
    assert_eq!(verify(&key, proof, &inputs[..1]), expected);
    assert_eq!(verify_batch(&key, &[(proof, inputs), (proof, &inputs[..1])], 1), expected);
    let empty = groth16_prover::params::VerifyingKey { ic: Vec::new(), ..parameters.vk };
    assert_eq!(verify(&(&empty).into(), proof, inputs), Err(VerifyError::EmptyKey));
}

#[test]
fn a_flipped_bit_of_the_bytes_is_noticed() {
    let parameters = generate(Small::OneConstraint, &toxic()).unwrap();
    let randomness = [Randomness::from_seed(1, 0)];
    let batch = prove_batch(vec![Small::OneConstraint], &parameters, &randomness, &Options::default()).unwrap();
    let key = PreparedVerifyingKey::from(&parameters.vk);
    let accepted = |bytes: &[u8; Proof::BYTES]| {
        Proof::from_bytes(bytes).is_some_and(|proof| verify(&key, &proof, &batch.public_inputs[0]).unwrap())
    };
    assert!(accepted(&batch.bytes[0]));
    for bit in (0..8 * Proof::BYTES).step_by(37) {
        let mut bytes = batch.bytes[0];
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!accepted(&bytes), "bit {bit}");
    }
}
