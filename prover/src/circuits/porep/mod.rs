//! Filecoin's proof of replication: its own circuit, on a replica that is made for it.
//!
//! A sector of random data is sealed by Filecoin's libraries: labels of the stacked graphs, encoding, commitments. Its vanilla
//! proof answers the challenges, and the circuit shows that there is such a proof. Trees over Poseidon have arity 8, the data's
//! tree is binary over SHA-256, the graphs have degrees 6 and 8: what real sectors have, but for their size.
//!
//! The sector lies in a temporary folder, which is gone when the circuit is there, and the graph's parents in a cache. Both are
//! in the folder that the libraries' setting `parent_cache` names; the program sets it (`worker::filecoin`).

use std::path::Path;

use anyhow::{Context, Result, ensure};
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use filecoin_hashers::Hasher;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_hashers::sha256::Sha256Hasher;
use generic_array::typenum::{U0, U8};
use rand_core::RngCore;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::drgraph::BASE_DEGREE;
use storage_proofs_core::merkle::{LCTree, MerkleTreeTrait};
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_core::settings::SETTINGS;

use storage_proofs_porep::stacked::{
    Challenges, EXP_DEGREE, PrivateInputs, PublicInputs, SetupParams, StackedCircuit, StackedCompound, StackedDrg,
    TemporaryAuxCache,
};

use crate::seeds;

/// The nodes of a sector of 2 KiB, 32 bytes each.
pub(super) const SECTOR_NODES: usize = 64;

/// Distinguishes kinds of sectors in Filecoin; here any constant will do.
const POREP_ID: [u8; 32] = [44; 32];

type Tree = LCTree<PoseidonHasher, U8, U0, U0>;
type Domain = <<Tree as MerkleTreeTrait>::Hasher as Hasher>::Domain;
type Drg<'a> = StackedDrg<'a, Tree, Sha256Hasher>;
type Compound = StackedCompound<Tree, Sha256Hasher>;

/// Knowledge of a replica, and the answers to some challenges about it.
///
/// Public inputs: the replica's identity, the commitments to data and replica, and the places of the challenged nodes and of
/// their parents.
#[derive(Clone)]
pub struct Porep {
    circuit: StackedCircuit<Tree, Sha256Hasher>,
    inputs: Vec<Scalar>,
}

impl Porep {
    /// A sector of `nodes` nodes of random data, `layers` deep, from a seed and the circuit's place in its batch: each circuit
    /// of a batch has data, a replica and challenges of its own.
    ///
    /// Circuits exist for 2 and 11 layers; `nodes` is a power of eight.
    pub fn new(nodes: usize, layers: usize, challenges: usize, seed: u64, index: u64) -> Result<Self> {
        let parameters = Drg::setup(&SetupParams {
            nodes,
            degree: BASE_DEGREE,
            expansion_degree: EXP_DEGREE,
            porep_id: POREP_ID,
            challenges: Challenges::new_interactive(challenges),
            num_layers: layers,
            api_version: ApiVersion::V1_1_0,
            api_features: Vec::new(),
        })?;
        let folder = Path::new(&SETTINGS.parent_cache);
        std::fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        let folder = tempfile::Builder::new().prefix("replica-").tempdir_in(folder)?;
        let replica_path = folder.path().join("replica");

        let mut stream = seeds::stream(b"porep sector...1", seed, index);
        let replica_id = Domain::from(Scalar::random(&mut stream));
        let mut data: Vec<u8> = (0..nodes).flat_map(|_| Scalar::random(&mut stream).to_bytes_le()).collect();
        std::fs::write(&replica_path, &data)?;
        let (labels, _) = Drg::replicate_phase1(&parameters, &replica_id, folder.path())?;
        let (tau, (p_aux, t_aux)) = Drg::replicate_phase2(
            &parameters,
            labels,
            data.as_mut_slice().into(),
            None,
            folder.path().to_owned(),
            replica_path.clone(),
        )?;
        std::fs::write(&replica_path, &data)?;

        let mut challenge_seed = [0; 32];
        stream.fill_bytes(&mut challenge_seed);
        let public = PublicInputs { replica_id, seed: Some(challenge_seed), tau: Some(tau), k: None };
        let t_aux = TemporaryAuxCache::new(&t_aux, replica_path, false)?;
        let private = PrivateInputs { p_aux, t_aux };
        let proofs = Drg::prove_all_partitions(&parameters, &public, &private, 1)?;
        ensure!(Drg::verify_all_partitions(&parameters, &public, &proofs)?, "the vanilla proof does not verify");
        let circuit = Compound::circuit(&public, (), &proofs[0], &parameters, None)?;
        let inputs = Compound::generate_public_inputs(&public, &parameters, None)?;
        Ok(Self { circuit, inputs })
    }

    /// What the verifier knows; computed by Filecoin's libraries from what is public alone.
    pub fn public_inputs(&self) -> Vec<Scalar> {
        self.inputs.clone()
    }
}

impl std::fmt::Debug for Porep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Porep").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

impl Circuit<Scalar> for Porep {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.circuit.synthesize(cs)
    }
}
