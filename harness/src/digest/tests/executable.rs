//! Executables that gcc links: what makes no difference, and every kind of difference.

use super::*;
use crate::digest::executable::{ExecutableDigest, differences, executable};

const SOURCE: &str = r#"#include <stdio.h>
static const int table[40] = {1, 2, 3, 5};
static int room[100];
static int start = 7;
static __thread int last = 3;
#define KEEP __attribute__((noinline))
KEEP static int one(int x) { return x * 3 + start; }
KEEP static int two(int x) { last += x; return x * 5 + room[x & 63]; }
static int (*const steps[3])(int) = {one, two, one};
static const char *const names[3] = {"first", "second", "third"};
KEEP int pick(int x) { return steps[x % 3](x) + table[x & 31]; }
KEEP double scale(double x) { return x * 1.25; }
KEEP int choose(int x) {
  switch (x) {
    case 0: return one(4);
    case 1: return two(8) + 1;
    case 2: return puts(names[0]);
    case 3: return x * start;
    case 4: return one(x) * 5;
    case 5: return two(x) - 77;
    default: return 0;
  }
}
int main(int n, char **v) { room[n & 63] = n; start += n; return pick(n) + choose(n) + (int)scale(n) + puts(names[n % 3]); }
"#;

fn digest(workshop: &Workshop, source: &str, compile: &[&str], link: &[&str]) -> ExecutableDigest {
    let object = workshop.gcc("main.c", source, compile);
    let program = workshop.path("program");
    run(Command::new("gcc").arg(&object).args(link).arg("-Wl,--emit-relocs").arg("-o").arg(&program));
    executable(&fs::read(program).expect("linked"), &Roots::default()).expect("digested")
}

fn parts(one: &ExecutableDigest, other: &ExecutableDigest) -> Vec<String> {
    differences(one, other).iter().map(ToString::to_string).collect()
}

#[test]
fn every_kind_of_change_is_found_and_named() {
    let workshop = Workshop::new();
    let table = [
        ("x * 3 + start", "x * 3 - start", "one"),
        ("{1, 2, 3, 5}", "{1, 2, 3, 6}", "table"),
        ("start = 7", "start = 8", "start"),
        ("last = 3", "last = 4", "last"),
        ("room[100]", "room[101]", "room"),
        ("{one, two, one}", "{one, one, two}", "steps"),
        ("\"first\", \"second\"", "\"second\", \"first\"", "names"),
        ("\"second\"", "\"Second\"", "names"),
        ("1.25", "1.75", "scale"),
        ("one(4)", "two(4)", "choose"),
        (
            "case 1: return two(8) + 1;\n    case 2: return puts(names[0]);",
            "case 2: return two(8) + 1;\n    case 1: return puts(names[0]);",
            "choose",
        ),
    ];
    for flags in [&[][..], &["-ffunction-sections", "-fdata-sections"], &["-O0"]] {
        let base = digest(&workshop, SOURCE, flags, &[]);
        for (from, to, part) in table {
            assert!(SOURCE.contains(from), "{from}");
            let other = digest(&workshop, &SOURCE.replace(from, to), flags, &[]);
            assert_ne!(other.binary, base.binary, "{to} {flags:?}");
            let found = parts(&base, &other);
            assert!(found.contains(&format!("{part} in the executable changed")), "{to} {flags:?}: {found:?}");
        }
    }
}

#[test]
fn order_debug_information_and_identifiers_make_no_difference() {
    let workshop = Workshop::new();
    let separate = ["-ffunction-sections", "-fdata-sections"];
    let base = digest(&workshop, SOURCE, &separate, &[]);
    let turned = ["-ffunction-sections", "-fdata-sections", "-fno-toplevel-reorder"];
    let pick = "KEEP int pick(int x) { return steps[x % 3](x) + table[x & 31]; }\n";
    let scale = "KEEP double scale(double x) { return x * 1.25; }\n";
    let moved = SOURCE.replace(scale, "").replace(pick, &format!("{scale}{pick}"));
    let others = [
        ("functions in another order", digest(&workshop, &moved, &separate, &[])),
        ("sorted sections", digest(&workshop, SOURCE, &separate, &["-Wl,--sort-section=name"])),
        ("debug information", digest(&workshop, SOURCE, &["-g", separate[0], separate[1]], &[])),
        ("no identifier", digest(&workshop, SOURCE, &separate, &["-Wl,--build-id=none"])),
        ("dropped sections", digest(&workshop, SOURCE, &separate, &["-Wl,-z,norelro"])),
        ("compiled in the file's order", digest(&workshop, SOURCE, &turned, &[])),
    ];
    for (what, other) in &others {
        assert_ne!(other.raw, base.raw, "{what}");
        assert_eq!(parts(&base, other), [""; 0], "{what}");
        assert_eq!(other.binary, base.binary, "{what}");
    }
}

#[test]
fn which_of_several_functions_of_one_name_is_called_counts() {
    let workshop = Workshop::new();
    let part = |number: u32, call: &str| {
        format!(
            "__attribute__((noinline)) static int step(int x) {{ return x * {number}; }}\nint {call}(int x) {{ return step(x) + 1; }}\n"
        )
    };
    let main = "int a(int); int b(int);\nint main(int n, char **v) { return a(n) * 3 + b(n); }\n";
    let digest = |first: u32, second: u32| {
        let one = workshop.gcc("one.c", &part(first, "a"), &[]);
        let two = workshop.gcc("two.c", &part(second, "b"), &[]);
        let main = workshop.gcc("main.c", main, &[]);
        let program = workshop.path("program");
        run(Command::new("gcc").args([&main, &one, &two]).arg("-Wl,--emit-relocs").arg("-o").arg(&program));
        executable(&fs::read(program).expect("linked"), &Roots::default()).expect("digested")
    };
    let (one, other) = (digest(3, 5), digest(5, 3));
    assert_ne!(one.binary, other.binary);
    assert_eq!(parts(&one, &other), ["which of several functions of one name is called in the executable changed"]);
}
