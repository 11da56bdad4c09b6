//! What machine code for a GPU tells its driver (`.nv.info`): registers, stack, parameters, limits of a launch.
//!
//! A section is a row of attributes: u8 form, u8 number; then nothing (form 1), u16 value (2 and 3), or u16 size and as
//! many bytes (4). Some hold numbers of symbols, which change with every symbol that is added anywhere; these are told by
//! their names. Found by comparing such sections with the symbol tables beside them (nvcc 13.0.88).

use super::device::name_of;
use super::elf::Elf;

/// Attributes whose first word is the number of the function that they speak of: size of a frame, least and largest stack,
/// registers.
const OF_A_FUNCTION: [u8; 4] = [0x11, 0x12, 0x23, 0x2f];

/// The constant bank of the parameters: its first word is the number of a symbol.
const PARAMETER_BANK: u8 = 0x0a;

/// Outside functions: every word is the number of a symbol.
const EXTERNALS: u8 = 0x0f;

/// One attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    /// Form and number.
    head: [u8; 2],
    value: &'a [u8],
}

/// The attributes of a section. What does not read as one comes last, as it is.
pub(super) fn read(mut section: &[u8]) -> Vec<Attribute<'_>> {
    let mut attributes = Vec::new();
    while let [form, number, rest @ ..] = section {
        let length = match (form, rest) {
            (1, _) => 0,
            (2 | 3, _) => 2,
            (4, [low, high, ..]) => 2 + usize::from(u16::from_le_bytes([*low, *high])),
            _ => rest.len(),
        };
        let (value, after) = rest.split_at(length.min(rest.len()));
        attributes.push(Attribute { head: [*form, *number], value });
        section = after;
    }
    attributes
}

impl Attribute<'_> {
    /// The value of form 4 as whole words, and the bytes behind the last of them.
    fn words(&self) -> Option<(Vec<u32>, &[u8])> {
        let value = self.value.get(2..).filter(|_| self.head[0] == 4)?;
        let (words, rest) = value.as_chunks::<4>();
        Some((words.iter().map(|word| u32::from_le_bytes(*word)).collect(), rest))
    }

    /// The function that the attribute speaks of, if it names one, and the attribute with names.
    pub(super) fn owned(&self, elf: &Elf) -> (Option<String>, Vec<u8>) {
        let words = self.words().map(|(words, _)| words).unwrap_or_default();
        let function = words.first().filter(|_| OF_A_FUNCTION.contains(&self.head[1]));
        (function.map(|number| name_of(elf, *number as usize)), self.with_names(elf))
    }

    /// The attribute with names in the place of symbols' numbers.
    pub(super) fn with_names(&self, elf: &Elf) -> Vec<u8> {
        let Some((words, rest)) = self.words() else { return [&self.head[..], self.value].concat() };
        let named = match self.head[1] {
            PARAMETER_BANK => 1,
            EXTERNALS => words.len(),
            number if OF_A_FUNCTION.contains(&number) => 1,
            _ => 0,
        };
        let mut content = self.head.to_vec();
        for (index, word) in words.iter().enumerate() {
            if index < named {
                content.extend(name_of(elf, *word as usize).into_bytes());
                content.push(0);
            } else {
                content.extend(word.to_le_bytes());
            }
        }
        content.extend(rest);
        content
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::digest::elf::{Kind, Symbol};

    fn elf(names: &[(usize, &'static str)]) -> Elf<'static> {
        let symbol = |name: &'static str| Symbol {
            name: name.as_bytes(),
            section: None,
            value: 0,
            size: 0,
            common: false,
            global: true,
            weak: false,
            kind: Kind::Function,
        };
        let symbols: HashMap<_, _> = names.iter().map(|&(number, name)| (number, symbol(name))).collect();
        Elf { x86_64: false, sections: Vec::new(), symbols }
    }

    /// The start of `.nv.info` as nvcc 13.0.88 wrote it for a kernel of 8 registers whose symbol was 0x11, and an
    /// attribute of form 3.
    const INFO: [u8; 28] = [
        0x04, 0x2f, 0x08, 0x00, 0x11, 0, 0, 0, 0x08, 0, 0, 0, 0x04, 0x11, 0x08, 0x00, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x03,
        0x1b, 0xff, 0x00,
    ];

    #[test]
    fn an_attribute_goes_to_the_function_whose_symbol_it_names() {
        let attributes = read(&INFO);
        assert_eq!(attributes.len(), 3);
        let (owner, content) = attributes[0].owned(&elf(&[(0x11, "kernel")]));
        assert_eq!(owner.as_deref(), Some("kernel"));
        assert_eq!(content, b"\x04\x2fkernel\0\x08\0\0\0");
        assert_eq!(attributes[2].owned(&elf(&[])), (None, vec![0x03, 0x1b, 0xff, 0x00]));
    }

    #[test]
    fn what_is_cut_is_kept_as_it_is() {
        for length in 0..INFO.len() {
            let attributes = read(&INFO[..length]);
            let kept: usize = attributes.iter().map(|attribute| 2 + attribute.value.len()).sum();
            assert!(kept == length || kept + 1 == length, "cut at {length}");
            for attribute in &attributes {
                attribute.owned(&elf(&[]));
            }
        }
    }
}
