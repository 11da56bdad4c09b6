//! What a relocation of x86-64 fills, and where the place it refers to lies.
//!
//! A reference by distance counts from the end of its instruction. Behind the field there may be an operand, so the
//! instruction's form is read: from the byte that names the registers, and the opcode before it.

/// `R_X86_64_64`.
pub(super) const ABSOLUTE: u32 = 1;
/// `R_X86_64_PC32`.
pub(super) const RELATIVE: u32 = 2;

/// No relocation: a call or jump whose distance the assembler filled in itself, within one section of one object.
pub(super) const ASSEMBLED: u32 = u32::MAX;

/// Offsets of the distance fields of what may be calls and jumps.
pub(super) fn calls(code: &[u8]) -> impl Iterator<Item = (usize, i32)> {
    let field = |at: usize| {
        let distance = code.get(at..at + 4)?.try_into().ok().map(i32::from_le_bytes)?;
        Some((at, distance))
    };
    code.windows(2).enumerate().filter_map(move |(at, window)| match window {
        [0xe8 | 0xe9, _] => field(at + 1),
        [0x0f, 0x80..=0x8f] => field(at + 2),
        _ => None,
    })
}

/// Bytes that the linker fills.
pub(super) fn width(kind: u32) -> usize {
    match kind {
        // 64, DTPMOD64, DTPOFF64, TPOFF64, PC64, GOTOFF64, GOT64, GOTPCREL64, GOTPC64, GOTPLT64, PLTOFF64, SIZE64.
        1 | 16..=18 | 24 | 25 | 27..=31 | 33 => 8,
        // 16, PC16.
        12 | 13 => 2,
        // 8, PC8.
        14 | 15 => 1,
        _ => 4,
    }
}

/// Whether it counts from the end of an instruction.
pub(super) fn is_relative(kind: u32) -> bool {
    // PC32, PLT32, GOTPCREL, TLSGD, TLSLD, GOTTPOFF, GOTPC32_TLSDESC, GOTPCRELX, REX_GOTPCRELX and its APX forms.
    matches!(kind, 2 | 4 | 9 | 19 | 20 | 22 | 34 | 41..=52)
}

/// From a field in code to the end of its instruction.
pub(super) fn to_end(code: &[u8], field: usize) -> i64 {
    4 + operand_behind(code, field)
}

/// The size of the operand behind a field that is an address by distance.
fn operand_behind(code: &[u8], field: usize) -> i64 {
    let before = |distance: usize| field.checked_sub(distance).and_then(|at| code.get(at)).copied();
    let Some(registers) = before(1).filter(|registers| registers & 0xc7 == 0x05) else { return 0 };
    let Some(opcode) = before(2) else { return 0 };
    let compares_or_shuffles = matches!(opcode, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6);
    // Three-byte opcodes of map 3, and the vector forms with a prefix of 2, 3 and 4 bytes.
    let map_3 = before(3) == Some(0x3a) && before(4) == Some(0x0f);
    let vex = before(5) == Some(0xc4) && before(4).is_some_and(|map| map & 0x1f == 3);
    let evex = before(6) == Some(0x62) && before(5).is_some_and(|map| map & 0x07 == 3);
    let short_vex = before(4) == Some(0xc5) && compares_or_shuffles;
    let long_vex = before(5) == Some(0xc4) && before(4).is_some_and(|map| map & 0x1f == 1) && compares_or_shuffles;
    if map_3 || vex || evex || short_vex || long_vex {
        return 1;
    }
    if before(3) == Some(0x0f) {
        return i64::from(compares_or_shuffles || matches!(opcode, 0xa4 | 0xac | 0xba));
    }
    let short = before(3) == Some(0x66) || before(4) == Some(0x66) && before(3).is_some_and(|rex| rex & 0xf0 == 0x40);
    let wide = if short { 2 } else { 4 };
    match (opcode, registers >> 3 & 7) {
        (0x80 | 0x83 | 0xc0 | 0xc1 | 0xc6 | 0x6b, _) | (0xf6, 0 | 1) => 1,
        (0x81 | 0xc7 | 0x69, _) | (0xf7, 0 | 1) => wide,
        _ => 0,
    }
}

/// Whether code is nothing but padding: breakpoints, zeros, and instructions that do nothing.
pub(super) fn is_padding(mut code: &[u8]) -> bool {
    while !code.is_empty() {
        let prefixes = code.iter().take_while(|&&byte| byte == 0x66 || byte == 0x2e).count();
        let length = match &code[prefixes..] {
            [0x90 | 0xcc | 0, ..] => 1,
            [0x0f, 0x1f, 0x00, ..] => 3,
            [0x0f, 0x1f, 0x40, ..] => 4,
            [0x0f, 0x1f, 0x44, ..] => 5,
            [0x0f, 0x1f, 0x80, ..] => 7,
            [0x0f, 0x1f, 0x84, ..] => 8,
            _ => return false,
        };
        code = code.get(prefixes + length..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembled by GNU as 2.40 from the text beside each, with `x` at the field.
    #[test]
    fn the_operand_behind_an_address_is_found() {
        let table: [(&str, &[u8], usize, i64); 13] = [
            ("lea x(%rip),%rax", &[0x48, 0x8d, 0x05, 0, 0, 0, 0], 3, 4),
            ("call x", &[0xe8, 0, 0, 0, 0], 1, 4),
            ("cmpb $0,x(%rip)", &[0x80, 0x3d, 0, 0, 0, 0, 0], 2, 5),
            ("movl $1,x(%rip)", &[0xc7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0], 2, 8),
            ("movw $1,x(%rip)", &[0x66, 0xc7, 0x05, 0, 0, 0, 0, 1, 0], 3, 6),
            ("movq $1,x(%rip)", &[0x48, 0xc7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0], 3, 8),
            ("testb $1,x(%rip)", &[0xf6, 0x05, 0, 0, 0, 0, 1], 2, 5),
            ("notl x(%rip)", &[0xf7, 0x15, 0, 0, 0, 0], 2, 4),
            ("shufps $3,x(%rip),%xmm1", &[0x0f, 0xc6, 0x0d, 0, 0, 0, 0, 3], 3, 5),
            ("pinsrd $1,x(%rip),%xmm1", &[0x66, 0x0f, 0x3a, 0x22, 0x0d, 0, 0, 0, 0, 1], 5, 5),
            ("vpshufd $1,x(%rip),%xmm1", &[0xc5, 0xf9, 0x70, 0x0d, 0, 0, 0, 0, 1], 4, 5),
            ("vpblendd $1,x(%rip),%xmm2,%xmm1", &[0xc4, 0xe3, 0x69, 0x02, 0x0d, 0, 0, 0, 0, 1], 5, 5),
            ("movaps x(%rip),%xmm1", &[0x0f, 0x28, 0x0d, 0, 0, 0, 0], 3, 4),
        ];
        for (text, code, field, expected) in table {
            assert_eq!(to_end(code, field), expected, "{text}");
        }
    }

    #[test]
    fn padding_is_what_does_nothing() {
        assert!(is_padding(&[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x90, 0xcc]));
        assert!(is_padding(&[]));
        assert!(!is_padding(&[0x90, 0xc3]));
    }
}
