//! A Groth16 prover over BLS12-381.
