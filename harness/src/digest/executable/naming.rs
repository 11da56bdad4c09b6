//! Names of functions and data without what differs from build to build.
//!
//! Rust puts a hash into every symbol, or a disambiguator for every crate, which change with the features and the folder
//! of a package; what is left is the path that a person would read. The compiler's names for constants count nothing at
//! all: such data are told by their content.

use super::super::names;

/// Beginnings of names that a compiler makes up, for data that have none.
const MADE_UP: [&str; 9] =
    ["anon.", "alloc_", "switch.table", "reltable.", "vtable.", "str.", "const.", "__unnamed_", "GCC_except_table"];

/// The name that is compared; `None` for one that the compiler made up.
pub(super) fn normal(symbol: &[u8], function: bool) -> Option<String> {
    let text = String::from_utf8_lossy(symbol);
    let text = without_module(&text);
    // `.L` starts the compiler's own labels.
    if text.is_empty() || text.starts_with(".L") || !function && MADE_UP.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    // Link-time optimisation numbers functions of one name, too.
    if let Ok(name) = rustc_demangle::try_demangle(without_number(text)) {
        return Some(format!("{name:#}"));
    }
    let text = if function { text } else { without_number(text) };
    Some(names::symbol(text.as_bytes()))
}

/// Without the number of its module, which link-time optimisation puts behind a name.
fn without_module(name: &str) -> &str {
    match name.rsplit_once(".llvm.") {
        Some((rest, number)) if is_number(number) => rest,
        _ => name,
    }
}

/// Without the number that tells those of one name apart: it counts what the compiler saw before.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((rest, number)) if is_number(number) && !rest.is_empty() => rest,
        _ => name,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the linker made the symbol up, at whatever happens to lie there.
pub(super) fn is_linkers(symbol: &[u8]) -> bool {
    const LINKERS: [&[u8]; 12] = [
        b"__bss_start",
        b"_edata",
        b"edata",
        b"_end",
        b"end",
        b"_etext",
        b"etext",
        b"__TMC_END__",
        b"__TMC_LIST__",
        b"__ehdr_start",
        b"__executable_start",
        b"__GNU_EH_FRAME_HDR",
    ];
    LINKERS.contains(&symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_build_to_build_is_gone() {
        // As rustc 1.95 and gcc 12 write them.
        let table: [(&str, bool, Option<&str>); 11] = [
            (
                "_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h9fd71fd507016dfeE.161",
                true,
                Some("<alloc::string::String as core::fmt::Display>::fmt"),
            ),
            (
                "_ZN14groth16_prover7density7Density6insert17hf1ae0fc697d74a79E",
                true,
                Some("groth16_prover::density::Density::insert"),
            ),
            (
                "_ZN91_$LT$serde_json..ser..Compound$LT$W$C$F$GT$$u20$as$u20$serde_core..ser..SerializeStruct$GT$3end17h78b8c806ad0d292cE.llvm.1477092291688616577",
                true,
                Some("<serde_json::ser::Compound<W,F> as serde_core::ser::SerializeStruct>::end"),
            ),
            (
                "_RNvNtNtCsgEmfK2I1SDS_4core5slice5index16slice_index_fail",
                true,
                Some("core::slice::index::slice_index_fail"),
            ),
            (".Lanon.043e6a45358c7842d46f1a94573de375.5", false, None),
            (".LC0", false, None),
            ("anon.82251bcc32ae47a6c9ca2320f710b946.0.llvm.5307759570593296172", false, None),
            ("counter.1234", false, Some("counter")),
            ("work.constprop.0", true, Some("work.constprop.0")),
            ("mul_mont_sparse_256", true, Some("mul_mont_sparse_256")),
            ("", true, None),
        ];
        for (symbol, function, expected) in table {
            assert_eq!(normal(symbol.as_bytes(), function).as_deref(), expected, "{symbol}");
        }
    }
}
