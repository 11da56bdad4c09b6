//! Host digests of what gcc and ar make.

use super::*;
use crate::digest::{DigestError, stamp_of_executable};

/// A constant table, a local function, one that asserts, one that prints.
const SOURCE: &str = r#"#include <assert.h>
#include <stdio.h>
static const int table[40] = {1, 2, 3, 5};
int counter;
static int helper(int x) { return table[x & 3]; }
__attribute__((noinline)) int first(int x) { assert(x != 3); return helper(x) + counter; }
int second(int x) { printf("second %d\n", x); return first(x) * 2; }
"#;

#[test]
fn what_says_nothing_about_the_code_changes_the_file_and_not_the_digest() {
    let workshop = Workshop::new();
    let plain = workshop.of(SOURCE, &[]);
    let commented = SOURCE.replace("int counter;", "int counter; // how often");
    let renamed = SOURCE.replace("helper", "assistant");
    let others = [
        ("debug information", workshop.of(SOURCE, &["-g"])),
        ("no .comment", workshop.of(SOURCE, &["-fno-ident"])),
        ("a comment within a line", workshop.of(&commented, &["-g"])),
        ("the name of a local function that was inlined", workshop.of(&renamed, &["-g"])),
    ];
    for (what, other) in &others {
        assert_ne!(other.raw, plain.raw, "{what}");
        assert_eq!(other.host, plain.host, "{what}: {:?}", parts(&plain, other));
        assert_eq!(parts(&plain, other), [""; 0], "{what}");
    }
    assert!(plain.device.is_empty() && plain.notes.is_empty());
}

#[test]
fn names_dates_and_owners_of_members_are_not_part_of_it() {
    let workshop = Workshop::new();
    let object = workshop.gcc("source.c", SOURCE, &[]);
    let plain = workshop.ar("D", &[&object]);
    let dated = workshop.ar("U", &[&object]);
    let renamed = workshop.path("0123456789abcdef-other.o");
    fs::copy(&object, &renamed).expect("copied");
    let renamed = workshop.ar("D", &[&renamed]);
    assert_ne!(dated, plain);
    assert_ne!(renamed, plain);
    assert_eq!(workshop.digest(&dated).host, workshop.digest(&plain).host);
    assert_eq!(workshop.digest(&renamed).host, workshop.digest(&plain).host);
    assert_eq!(workshop.digest(&renamed).members[0].name, "other.o");
}

#[test]
fn a_moved_checkout_is_the_same_also_where_its_path_is_in_the_data() {
    // A long path goes to another section than a short one, and moves the data behind it.
    let source = format!(
        "{SOURCE}{}",
        r"#include <string.h>
static const char where[] = __FILE__;
static const int after[50] = {7, 8, 9};
int third(int x) { return where[x] + after[x] + second(x); }
"
    );
    let here = Workshop::new().of(&source, &[]);
    let there = Workshop::named(&"long".repeat(20)).of(&source, &[]);
    assert_ne!(here.raw, there.raw);
    assert_eq!(here.host, there.host, "{:?}", parts(&here, &there));

    let other = source.replace("{7, 8, 9}", "{7, 8, 10}");
    let other = Workshop::named(&"long".repeat(20)).of(&other, &[]);
    assert_eq!(parts(&here, &other), ["after in source.o changed"]);
}

#[test]
fn a_path_that_nobody_named_shows() {
    let (here, there) = (Workshop::new(), Workshop::new());
    let bare = |workshop: &Workshop| {
        let object = workshop.gcc("source.c", SOURCE, &[]);
        archive(&workshop.ar("D", &[&object]), &Roots::default()).expect("digested")
    };
    assert_ne!(bare(&here).host, bare(&there).host);
}

#[test]
fn whatever_changes_the_code_changes_the_digest_and_is_named() {
    let workshop = Workshop::new();
    let plain = workshop.of(SOURCE, &[]);
    let table = [
        ("{1, 2, 3, 5}", "{1, 2, 3, 6}", "table in source.o changed"),
        ("(x) * 2", "(x) * 3", "second in source.o changed"),
        ("second %d", "second: %d", "second in source.o changed"),
        ("x != 3", "x != 4", "first in source.o changed"),
        ("int second(", "int twice(", "second in source.o removed"),
        ("int counter;", "int counter[7];", "counter in source.o changed"),
        ("int counter;", "__attribute__((weak)) int counter;", "global names in source.o changed"),
        ("first(x) * 2", "(first)(x) * 2 + (puts(\"\"), 0)", "second in source.o changed"),
    ];
    for (from, to, expected) in table {
        assert!(SOURCE.contains(from), "{from}");
        let source = if to.contains("[7]") {
            SOURCE.replace(from, to).replace("+ counter", "+ counter[0]")
        } else {
            SOURCE.replace(from, to)
        };
        let other = workshop.of(&source, &[]);
        assert_ne!(other.host, plain.host, "{to}");
        let found = parts(&plain, &other);
        assert!(found.iter().any(|part| part == expected), "{to}: {found:?}");
        assert_eq!(other.device_all, plain.device_all, "{to}");
    }
}

#[test]
fn alignment_of_code_and_room_made_by_the_linker_count() {
    let workshop = Workshop::new();
    let source = "int room[4];\nint f(int x) { return room[x]; }\n";
    let plain = workshop.of(source, &["-fcommon"]);
    let aligned = workshop.of(source, &["-fcommon", "-falign-functions=64"]);
    assert_eq!(parts(&plain, &aligned), [".text in source.o changed"]);
    let larger = workshop.of(&source.replace("[4]", "[5]"), &["-fcommon"]);
    assert_eq!(parts(&plain, &larger), ["global names in source.o changed"]);
}

#[test]
fn the_order_of_functions_and_members_counts() {
    let workshop = Workshop::new();
    let one = workshop.of("int a(void) { return 1; }\nint b(int x) { return x * 5; }\n", &[]);
    let two = workshop.of("int b(int x) { return x * 5; }\nint a(void) { return 1; }\n", &[]);
    assert_ne!(one.host, two.host);
    assert!(parts(&one, &two).contains(&".text in source.o changed".to_owned()), "{:?}", parts(&one, &two));

    let a = workshop.gcc("a.c", "int a(void) { return 1; }\n", &[]);
    let b = workshop.gcc("b.c", "int b(void) { return 2; }\n", &[]);
    let [one, two] = [[&a, &b], [&b, &a]].map(|[one, two]| workshop.digest(&workshop.ar("D", &[one, two])));
    assert_ne!(one.host, two.host);
    assert_eq!(parts(&one, &two).len(), 1);
    let less = workshop.digest(&workshop.ar("D", &[&a]));
    assert_eq!(parts(&one, &less), ["in b.o removed"]);
}

#[test]
fn a_reference_to_another_place_or_name_counts_though_no_byte_differs() {
    let workshop = Workshop::new();
    let source =
        "extern int f(int), g(int);\nstatic int one, two;\nint *p = &one, *q = &two;\nint h(int x) { return f(x); }\n";
    let plain = workshop.of(source, &[]);
    let other_name = workshop.of(&source.replace("return f(x)", "return g(x)"), &[]);
    assert_eq!(parts(&plain, &other_name), ["h in source.o changed"]);
    let other_place = workshop.of(&source.replace("&one, *q = &two", "&two, *q = &one"), &[]);
    assert_ne!(plain.host, other_place.host);
}

#[test]
fn the_stamp_is_read_and_left_out() {
    let workshop = Workshop::new();
    let stamped = |stamp: &str| {
        let text = format!(
            "__attribute__((section(\".ablate.stamp\"), used, retain)) const char stamp[5] = \"{stamp}\";\n\
             int main(void) {{ return 0; }}\n"
        );
        let object = workshop.gcc("source.c", &text, &[]);
        let program = workshop.path("program");
        run(Command::new("gcc").arg(&object).arg("-o").arg(&program));
        (workshop.digest(&workshop.ar("D", &[&object])), fs::read(program).expect("linked"))
    };
    let ((one, program), (two, _)) = (stamped("abcd"), stamped("abce"));
    assert_eq!(one.stamp.as_deref(), Some("abcd"));
    assert_eq!(two.stamp.as_deref(), Some("abce"));
    assert_eq!(one.host, two.host);
    assert_eq!(stamp_of_executable(&program), Ok(Some("abcd".to_owned())));
    let truth = fs::read("/proc/self/exe").expect("this program");
    assert_eq!(stamp_of_executable(&truth), Ok(None));
}

#[test]
fn what_cannot_be_looked_into_is_compared_byte_for_byte_and_told() {
    let workshop = Workshop::new();
    let note = |digest: &ArchiveDigest| digest.notes.join("\n");
    let text = |content: &str| {
        let file = workshop.write("notes.txt", content);
        workshop.digest(&workshop.ar("D", &[&file]))
    };
    let (one, two) = (text("one"), text("two"));
    assert_ne!(one.host, two.host);
    assert!(note(&one).contains("notes.txt is compared byte for byte"), "{}", note(&one));

    let optimised = workshop.of(SOURCE, &["-flto", "-fno-fat-lto-objects"]);
    assert!(note(&optimised).contains("link-time optimiser"), "{}", note(&optimised));
}

#[test]
fn no_archive_a_thin_one_and_an_empty_one_are_errors() {
    let workshop = Workshop::new();
    let object = workshop.gcc("source.c", SOURCE, &[]);
    let thin = workshop.ar("T", &[&object]);
    assert_eq!(archive(&thin, &Roots::default()), Err(DigestError::Thin));
    assert_eq!(archive(b"!<arch>\n", &Roots::default()), Err(DigestError::Empty));
    assert!(matches!(archive(b"int main", &Roots::default()), Err(DigestError::NotAnArchive(_))));
}

#[test]
fn a_damaged_archive_is_never_a_panic() {
    let workshop = Workshop::new();
    let object = workshop.gcc("source.c", SOURCE, &[]);
    let good = workshop.ar("D", &[&object]);
    for at in (0..good.len()).step_by(7) {
        let _ = archive(&good[..at], &Roots::default());
        let mut damaged = good.clone();
        damaged[at] ^= 0x55;
        let _ = archive(&damaged, &Roots::default());
    }
}
