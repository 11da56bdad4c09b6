//! Parameters and proofs against the naive account, with known secrets; and the verification equation.

use bellpepper_core::Circuit;
use blstrs::{G1Affine, G2Affine, Scalar};
use ff::Field;
use groth16_prover::generator::generate;
use groth16_prover::params::Parameters;
use groth16_prover::prove::{Options, Randomness, prove_batch};
use groth16_prover::verifier::{PreparedVerifyingKey, verify};
use group::Curve;
use group::prime::PrimeCurveAffine;

use crate::circuits::{PROVABLE, Random, Small, toxic};
use crate::reference::Reference;

fn g1(scalar: &Scalar) -> G1Affine {
    (G1Affine::generator() * scalar).to_affine()
}

fn g2(scalar: &Scalar) -> G2Affine {
    (G2Affine::generator() * scalar).to_affine()
}

fn same_parameters(parameters: &Parameters, reference: &Reference) {
    let exponents = reference.parameters();
    let in_g1 = |scalars: &[Scalar]| scalars.iter().map(g1).collect::<Vec<_>>();
    assert_eq!(parameters.vk.ic, in_g1(&exponents.ic));
    assert_eq!(parameters.h, in_g1(&exponents.h));
    assert_eq!(parameters.l, in_g1(&exponents.l));
    assert_eq!(parameters.a, in_g1(&exponents.a));
    assert_eq!(parameters.b_g1, in_g1(&exponents.b));
    assert_eq!(parameters.b_g2, exponents.b.iter().map(g2).collect::<Vec<_>>());
    let (vk, toxic) = (&parameters.vk, toxic());
    assert_eq!((vk.alpha_g1, vk.beta_g1, vk.delta_g1), (g1(&toxic.alpha), g1(&toxic.beta), g1(&toxic.delta)));
    assert_eq!((vk.beta_g2, vk.gamma_g2, vk.delta_g2), (g2(&toxic.beta), g2(&toxic.gamma), g2(&toxic.delta)));
}

/// Checks parameters and proof in the exponent, and that the verifier agrees: with this statement, and with no other.
fn check<C: Circuit<Scalar> + Copy + Send>(circuit: C) {
    let toxic = toxic();
    let reference = Reference::new(circuit, &toxic);
    let parameters = generate(circuit, &toxic).unwrap();
    same_parameters(&parameters, &reference);

    let key = PreparedVerifyingKey::from(&parameters.vk);
    let zero = Randomness { r: Scalar::ZERO, s: Scalar::ZERO };
    for randomness in [Randomness::from_seed(3, 0), zero] {
        let batch =
            prove_batch(vec![circuit], &parameters, std::slice::from_ref(&randomness), &Options::default()).unwrap();
        let expected = reference.proof(&randomness);
        let proof = &batch.proofs[0];
        assert_eq!((proof.a, proof.b, proof.c), (g1(&expected.a), g2(&expected.b), g1(&expected.c)));

        let mut inputs = batch.public_inputs[0].clone();
        assert_eq!(verify(&key, proof, &inputs), Ok(true));
        if let Some(last) = inputs.last_mut() {
            *last += Scalar::ONE;
            assert_eq!(verify(&key, proof, &inputs), Ok(false));
        }
    }
}

#[test]
fn small_circuits() {
    PROVABLE.into_iter().for_each(check);
}

#[test]
fn random_circuits() {
    for (seed, inputs, constraints) in [(1, 0, 3), (2, 3, 5), (3, 1, 63), (4, 7, 150)] {
        check(Random { seed, inputs, constraints });
    }
}

/// The sizes of ic, h, l, a and b, as bellperson has them.
#[test]
fn query_sizes() {
    let sizes = |circuit| {
        let parameters = generate(circuit, &toxic()).unwrap();
        assert_eq!(parameters.b_g1.len(), parameters.b_g2.len());
        let Parameters { vk, h, l, a, b_g1, .. } = parameters;
        (vk.ic.len(), h.len(), l.len(), a.len(), b_g1.len())
    };
    assert_eq!(sizes(Small::Empty), (1, 0, 0, 1, 0));
    assert_eq!(sizes(Small::OneInput), (2, 1, 0, 2, 0));
    assert_eq!(sizes(Small::OnlyInputs), (3, 3, 0, 3, 1));
    assert_eq!(sizes(Small::ZeroConstraint), (2, 3, 1, 3, 1));
    assert_eq!(sizes(Small::CancelledOnTheRight), (2, 3, 2, 3, 1));
    assert_eq!(sizes(Small::Dense), (2, 3, 2, 4, 4));
    assert_eq!(sizes(Small::Sparse), (2, 3, 2, 2, 0));
}
