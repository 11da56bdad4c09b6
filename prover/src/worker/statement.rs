//! Proofs and their public inputs as files, for one program to write and another to check.
//!
//! A proof file holds the 192 bytes of each proof of a batch, one after another. An inputs file is JSON: for each proof the
//! list of its public inputs without the constant one, each as 64 hexadecimal digits, most significant first.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use blstrs::Scalar;
use sha2::{Digest, Sha256};

use crate::params::cache::hex;

/// The bytes of one proof.
pub const PROOF_BYTES: usize = 192;

/// SHA-256 over the proofs' bytes, one after another, in hexadecimal.
pub fn digest(proofs: &[[u8; PROOF_BYTES]]) -> String {
    hex(&Sha256::digest(proofs.as_flattened()))
}

/// Writes a proof file.
pub fn write_proofs(path: &Path, proofs: &[[u8; PROOF_BYTES]]) -> Result<()> {
    fs::write(path, proofs.as_flattened()).with_context(|| format!("proof file {}: writing failed", path.display()))
}

/// Reads a proof file.
pub fn read_proofs(path: &Path) -> Result<Vec<[u8; PROOF_BYTES]>> {
    let bytes = fs::read(path).with_context(|| format!("proof file {}: reading failed", path.display()))?;
    let (proofs, rest) = bytes.as_chunks();
    if proofs.is_empty() || !rest.is_empty() {
        let length = bytes.len();
        bail!("proof file {}: {length} bytes are no whole number of proofs, each {PROOF_BYTES} bytes", path.display());
    }
    Ok(proofs.to_vec())
}

/// Writes an inputs file.
pub fn write_inputs(path: &Path, inputs: &[Vec<Scalar>]) -> Result<()> {
    let text: Vec<Vec<String>> =
        inputs.iter().map(|inputs| inputs.iter().map(|input| hex(&input.to_bytes_be())).collect()).collect();
    let text = serde_json::to_string_pretty(&text)?;
    fs::write(path, text).with_context(|| format!("inputs file {}: writing failed", path.display()))
}

/// Reads an inputs file.
pub fn read_inputs(path: &Path) -> Result<Vec<Vec<Scalar>>> {
    let name = || format!("inputs file {}", path.display());
    let text = fs::read_to_string(path).with_context(|| format!("{}: reading failed", name()))?;
    let texts: Vec<Vec<String>> = serde_json::from_str(&text).with_context(|| {
        format!(r#"{} is not of the form [["64 hexadecimal digits", …], …], one list a proof"#, name())
    })?;
    let parse = |proof: usize, input: usize, text: &str| {
        scalar(text).with_context(|| {
            format!(
                "{}: input {input} of proof {proof} is `{text}`, not 64 hexadecimal digits of a field element",
                name()
            )
        })
    };
    let list = |(proof, texts): (usize, &Vec<String>)| {
        texts.iter().enumerate().map(|(input, text)| parse(proof, input, text)).collect()
    };
    texts.iter().enumerate().map(list).collect()
}

fn scalar(text: &str) -> Option<Scalar> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Scalar::from_bytes_be(&bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_round_trip() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        let inputs = vec![vec![Scalar::from(258), -Scalar::from(1)], vec![]];
        write_inputs(&path, &inputs).unwrap();
        assert_eq!(read_inputs(&path).unwrap(), inputs);
        assert!(fs::read_to_string(&path).unwrap().contains(&format!("\"{}0102\"", "0".repeat(60))));
        let proofs = [[1; 192], [2; 192]];
        write_proofs(&path, &proofs).unwrap();
        assert_eq!(read_proofs(&path).unwrap(), proofs);
    }

    #[test]
    fn malformed_files_are_errors_that_name_them() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        for length in [0, 191, 193] {
            fs::write(&path, vec![0; length]).unwrap();
            let expected = format!("file: {length} bytes are no whole number of proofs, each 192 bytes");
            assert!(read_proofs(&path).unwrap_err().to_string().ends_with(&expected));
        }
        let modulus = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
        for (text, expected) in [
            ("[", "is not of the form"),
            ("[[1]]", "is not of the form"),
            (r#"[[], ["12"]]"#, "file: input 0 of proof 1 is `12`, not 64 hexadecimal digits"),
            (&format!(r#"[["{modulus}"]]"#), "of a field element"),
            (&format!(r#"[["+{}"]]"#, &modulus[1..]), "not 64 hexadecimal digits"),
        ] {
            fs::write(&path, text).unwrap();
            let error = read_inputs(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
