//! What this build says it is: its version and features, in a section of their own.
//!
//! Digests of executables leave the section `.ablate.stamp` out. Were the list in the code, a feature that does nothing
//! would change it by its name alone. The section is read when the program runs, so that the compiler cannot copy from it.
#![expect(unsafe_code, reason = "the name of a section is not checked by the compiler")]

use std::hint::black_box;

/// Bytes of the label, zeros behind its text.
const SIZE: usize = 256;

/// Features by name, and whether they are on.
const FEATURES: [(&str, bool); 9] = [
    ("cuda", cfg!(feature = "cuda")),
    ("gpu-b-g2", cfg!(feature = "gpu-b-g2")),
    ("host-pin", cfg!(feature = "host-pin")),
    ("kernel-tuning", cfg!(feature = "kernel-tuning")),
    ("msm-windows", cfg!(feature = "msm-windows")),
    ("parallel-b-g2", cfg!(feature = "parallel-b-g2")),
    ("porep", cfg!(feature = "porep")),
    ("presize", cfg!(feature = "presize")),
    ("smallvec", cfg!(feature = "smallvec")),
];

// SAFETY: the section holds plain bytes, and nothing but this and the archive's stamp, each ended by a zero.
#[used]
#[unsafe(link_section = ".ablate.stamp")]
static LABEL: [u8; SIZE] = label();

/// `label VERSION FEATURE FEATURE`.
const fn label() -> [u8; SIZE] {
    let mut label = [0; SIZE];
    let mut end = append(&mut label, 0, "label ");
    end = append(&mut label, end, env!("CARGO_PKG_VERSION"));
    let mut index = 0;
    while index < FEATURES.len() {
        if FEATURES[index].1 {
            end = append(&mut label, end, " ");
            end = append(&mut label, end, FEATURES[index].0);
        }
        index += 1;
    }
    assert!(end < SIZE, "the label needs more room");
    label
}

const fn append(label: &mut [u8; SIZE], start: usize, text: &str) -> usize {
    let mut index = 0;
    while index < text.len() {
        label[start + index] = text.as_bytes()[index];
        index += 1;
    }
    start + text.len()
}

/// The label's words behind the first: the version, then the features that are on.
fn words() -> impl Iterator<Item = &'static str> {
    let label: &'static [u8; SIZE] = black_box(&LABEL);
    let text = label.split(|&byte| byte == 0).next().unwrap_or_default();
    std::str::from_utf8(text).unwrap_or_default().split(' ').skip(1)
}

/// The version of the package.
pub fn version() -> &'static str {
    words().next().unwrap_or_default()
}

/// The features this build has: toggles, and the native archive.
pub fn features() -> Vec<&'static str> {
    words().skip(1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_says_what_the_compiler_was_told() {
        assert_eq!(version(), env!("CARGO_PKG_VERSION"));
        let on: Vec<&str> = FEATURES.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        assert_eq!(features(), on);
    }
}
