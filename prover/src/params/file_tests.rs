//! Every fault that a parameter file was seen to have, made in a small good one.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::{Curve, Group};
use sha2::{Digest, Sha256};

use super::super::VerifyingKey;
use super::*;

/// Bytes of the verifying key's six single points.
const HEAD: usize = 3 * 96 + 3 * 192;

fn g1(multiple: u64) -> G1Affine {
    (G1Projective::generator() * Scalar::from(multiple)).to_affine()
}

fn g2(multiple: u64) -> G2Affine {
    (G2Projective::generator() * Scalar::from(multiple)).to_affine()
}

/// Sections of 2, 3, 4, 5, 6 and 6 points, no two alike.
fn sample() -> Parameters {
    let run = |from: u64, count: u64| (from..from + count).map(g1).collect::<Vec<_>>();
    Parameters {
        vk: VerifyingKey {
            alpha_g1: g1(1),
            beta_g1: g1(2),
            beta_g2: g2(2),
            gamma_g2: g2(3),
            delta_g1: g1(4),
            delta_g2: g2(4),
            ic: run(10, 2),
        },
        h: run(20, 3),
        l: run(30, 4),
        a: run(40, 5),
        b_g1: run(50, 6),
        b_g2: (50..56).map(g2).collect(),
    }
}

fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&sample(), &mut bytes).unwrap();
    bytes
}

fn parse(bytes: &[u8]) -> Result<(Parameters, [u8; 32]), FileError> {
    read(bytes, bytes.len() as u64)
}

fn error(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().to_string()
}

/// Where the count of H stands: after the head and two points of `ic` with their count.
const H_COUNT: usize = HEAD + 4 + 2 * 96;

#[test]
fn what_was_written_is_read_with_the_same_checksum() {
    let mut bytes = Vec::new();
    let written = write(&sample(), &mut bytes).unwrap();
    let (parameters, read) = parse(&bytes).unwrap();
    assert_eq!(parameters, sample());
    assert_eq!(written, <[u8; 32]>::from(Sha256::digest(&bytes)));
    assert_eq!(read, written);
}

#[test]
fn the_layout_is_the_documented_one() {
    let bytes = bytes();
    let vk = sample().vk;
    let head = [
        &vk.alpha_g1.to_uncompressed()[..],
        &vk.beta_g1.to_uncompressed(),
        &vk.beta_g2.to_uncompressed(),
        &vk.gamma_g2.to_uncompressed(),
        &vk.delta_g1.to_uncompressed(),
        &vk.delta_g2.to_uncompressed(),
        &[0, 0, 0, 2],
        &g1(10).to_uncompressed(),
    ]
    .concat();
    assert_eq!(bytes[..head.len()], head);
    assert_eq!(bytes[H_COUNT..H_COUNT + 4], [0, 0, 0, 3]);
    assert_eq!(bytes.len(), HEAD + 6 * 4 + (2 + 3 + 4 + 5 + 6) * 96 + 6 * 192);
}

#[test]
fn an_empty_file_is_cut_in_its_first_section() {
    assert_eq!(error(&[]), "cut short: section alpha_g1 at byte 0 needs 96 bytes, 0 are left");
}

/// Wherever it is cut, in a point, in a count or between them.
#[test]
fn a_cut_file_is_an_error_at_every_length() {
    let bytes = bytes();
    for length in 0..bytes.len() {
        assert!(matches!(parse(&bytes[..length]), Err(FileError::Cut { .. } | FileError::Count { .. })), "{length}");
    }
    assert_eq!(
        error(&bytes[..bytes.len() - 1]),
        format!(
            "section b_g2: the count at byte {} is 6, for 1152 bytes, but 1151 are left",
            bytes.len() - 6 * 192 - 4
        )
    );
    assert_eq!(error(&bytes[..=H_COUNT]), format!("cut short: section h at byte {H_COUNT} needs 4 bytes, 1 are left"));
}

/// The file was truncated between the look at its length and the read.
#[test]
fn a_file_that_ends_before_its_length_is_cut() {
    let bytes = bytes();
    let cut = read(&bytes[..bytes.len() - 1], bytes.len() as u64).unwrap_err();
    assert!(matches!(cut, FileError::Cut { section: Section::BG2, needed: 1152, left: 1151, .. }), "{cut}");
}

#[test]
fn appended_bytes_are_an_error() {
    let mut bytes = bytes();
    let end = bytes.len();
    bytes.extend([0; 3]);
    assert_eq!(error(&bytes), format!("3 bytes follow the last point of section b_g2, which ends at byte {end}"));
}

/// 2^32 − 1 points would take 412 GB: the error comes from the length, before anything is allocated.
#[test]
fn a_count_that_the_file_cannot_hold_is_an_error() {
    let mut bytes = bytes();
    bytes[H_COUNT..H_COUNT + 4].fill(0xff);
    let left = bytes.len() - H_COUNT - 4;
    assert_eq!(
        error(&bytes),
        format!("section h: the count at byte {H_COUNT} is 4294967295, for 412316860320 bytes, but {left} are left")
    );
}

/// The sample with the bytes of H's point 1 replaced, and what is said of it.
fn with_h_point(point: &[u8]) -> String {
    let mut bytes = bytes();
    let at = H_COUNT + 4 + 96;
    bytes[at..at + 96].copy_from_slice(point);
    let text = error(&bytes);
    let place = format!("section h: point 1 at byte {at}: ");
    text.strip_prefix(&place).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn infinity_in_h_is_an_error() {
    assert_eq!(with_h_point(&G1Affine::default().to_uncompressed()), "the point is at infinity");
}

#[test]
fn an_off_curve_point_in_h_is_an_error() {
    let mut point = g1(21).to_uncompressed();
    point[95] ^= 1;
    assert_eq!(with_h_point(&point), "the point is not on its curve");
    // Zeros are neither on the curve nor the encoding of infinity; an x of p or more is no field element.
    assert_eq!(with_h_point(&[0; 96]), "the point is not on its curve");
    let mut point = g1(21).to_uncompressed();
    point[..48].fill(0x1f);
    assert_eq!(with_h_point(&point), "the point is not on its curve");
}

#[test]
fn flags_of_other_encodings_are_errors() {
    let mut point = g1(21).to_uncompressed();
    point[0] |= 0x80;
    assert_eq!(with_h_point(&point), "the compression bit is set, and points here are uncompressed");
    point[0] ^= 0x80 | 0x20;
    assert_eq!(with_h_point(&point), "the sign bit is set, which only a compressed point may carry");
}

#[test]
fn infinity_as_delta_is_an_error() {
    let mut bytes = bytes();
    let at = 2 * 96 + 2 * 192;
    bytes[at..at + 96].copy_from_slice(&G1Affine::default().to_uncompressed());
    assert_eq!(error(&bytes), "section delta_g1: point 0 at byte 576: the point is at infinity");
}

#[test]
fn the_first_of_several_faults_is_told() {
    let mut bytes = bytes();
    let first = bytes.len() - 5 * 192;
    for at in (first..bytes.len()).step_by(192) {
        bytes[at] |= 0x80;
    }
    assert!(error(&bytes).starts_with(&format!("section b_g2: point 1 at byte {first}: ")));
}

/// A point of the curve y² = x³ + 4 that is not in the subgroup: almost every small x gives one.
fn off_subgroup() -> G1Affine {
    (1..=255)
        .filter_map(|x| {
            let mut compressed = [0; 48];
            (compressed[0], compressed[47]) = (0x80, x);
            Option::<G1Affine>::from(G1Affine::from_compressed_unchecked(&compressed))
        })
        .find(|point| !bool::from(point.is_torsion_free()))
        .unwrap()
}

#[test]
fn the_verifying_key_is_held_to_the_subgroup_and_the_queries_are_not() {
    let outside = off_subgroup().to_uncompressed();
    let mut in_key = bytes();
    in_key[HEAD + 4..HEAD + 4 + 96].copy_from_slice(&outside);
    let expected = format!("section ic: point 0 at byte {}: the point is not in the subgroup of prime order", HEAD + 4);
    assert_eq!(error(&in_key), expected);

    let mut in_query = bytes();
    in_query[H_COUNT + 4..H_COUNT + 4 + 96].copy_from_slice(&outside);
    assert_eq!(parse(&in_query).unwrap().0.h[0], off_subgroup());
}
