//! Executables that gcc links from archives: what they hold, and what they hold instead.

use super::*;
use crate::digest::DigestError;
use crate::digest::executable::{Held, executable, holds};

/// Tables, strings, a constant that the linker merges, local functions, jumps by a table, thread-local data, a call of libc.
const LIBRARY: &str = r#"#include <stdio.h>
#include <string.h>
static const int table[40] = {1, 2, 3, 5};
static __thread int last = 3;
static int room[100];
int shared = 7;
const char *const names[3] = {"first", "second", "third"};
__attribute__((noinline)) static int helper(int x) { last += x; return table[x & 31] + room[x & 63]; }
int deep(int x) { room[x & 63] = x; return helper(x) * 3; }
int work(int x) { printf("work %d %s\n", x, names[x % 3]); return deep(x) + shared; }
double scale(double x) { return x * 1.25 + 3.5; }
int choose(int x) {
  switch (x) {
    case 0: return deep(4);
    case 1: return (int)strlen(names[1]);
    case 2: return puts("two");
    case 3: return x * shared;
    case 4: return deep(x) * 5;
    case 5: return 77;
    default: return 0;
  }
}
int unused(int x) { return x ^ 0x1234; }
int both(void) { return puts("alpha") + puts("omega"); }
"#;

const MAIN: &str = "int work(int); int choose(int); double scale(double);\n\
                    int main(int n, char **v) { return work(n) + choose(n) + (int)scale(n); }\n";

const SECTIONS: [&str; 2] = ["-ffunction-sections", "-fdata-sections"];

impl Workshop {
    /// An archive of one source, under its own name.
    fn built(&self, name: &str, text: &str, flags: &[&str]) -> Vec<u8> {
        let object = self.gcc(&format!("{name}.c"), text, flags);
        let archive = self.ar("D", &[&object]);
        fs::write(self.path(&format!("lib{name}.a")), &archive).expect("written");
        archive
    }

    /// Links a program with libraries in that order.
    fn link(&self, main: &str, libraries: &[&str], flags: &[&str]) -> Vec<u8> {
        let main = self.gcc("main.c", main, &[]);
        let program = self.path("program");
        let libraries = libraries.iter().map(|name| self.path(&format!("lib{name}.a")));
        run(Command::new("gcc").arg(&main).args(libraries).args(flags).arg("-o").arg(&program));
        fs::read(program).expect("linked")
    }
}

fn held(executable: &[u8], archive: &[u8]) -> Held {
    holds(executable, archive).expect("looked up")
}

fn foreign(held: &Held) -> Vec<String> {
    held.foreign.iter().map(ToString::to_string).collect()
}

#[test]
fn what_was_linked_is_held_whatever_the_linker_relaxes_merges_or_drops() {
    let workshop = Workshop::new();
    let table: [(&[&str], &[&str], usize); 5] = [
        (&[], &[], 8),
        (&SECTIONS, &["-Wl,--gc-sections"], 6),
        (&SECTIONS, &["-no-pie"], 8),
        (&["-O0"], &["-static"], 8),
        (&["-O3", "-fno-plt", "-mavx2"], &["-Wl,-O2", "-Wl,--emit-relocs"], 8),
    ];
    for (compile, link, found) in table {
        let archive = workshop.built("k", LIBRARY, compile);
        let held = held(&workshop.link(MAIN, &["k"], link), &archive);
        assert_eq!(foreign(&held), [""; 0], "{compile:?} {link:?}");
        assert_eq!((held.found, held.all), (found, 8), "{compile:?} {link:?}");
    }
}

#[test]
fn another_library_of_the_same_names_is_found_by_every_kind_of_change() {
    let workshop = Workshop::new();
    let archive = workshop.built("k", LIBRARY, &SECTIONS);
    let table = [
        ("^ 0x1234", "^ 0x1235", "unused of k.o has another content"),
        ("* 3;", "* 5;", "deep of k.o has another content"),
        ("{1, 2, 3, 5}", "{1, 2, 3, 6}", "deep of k.o refers to .rodata.table, which has another content"),
        ("\"two\"", "\"twi\"", "choose of k.o refers to .rodata"),
        ("puts(\"two\")", "puts(\"two\") + puts(\"three\") + puts(\"six\")", "choose of k.o has another content"),
        ("\"work %d", "\"Work %d", "work of k.o refers to .rodata"),
        ("\"omega\"", "\"omegb\"", "both of k.o refers to .rodata"),
        ("1.25", "1.75", "scale of k.o refers to .rodata.cst8"),
        ("shared = 7", "shared = 8", "shared of k.o has another content"),
        ("last += x", "last -= x", "deep of k.o refers to .text.helper, which has another content"),
        ("return deep(x) + shared", "return choose(x) + shared", "work of k.o"),
    ];
    for (from, to, expected) in table {
        assert!(LIBRARY.contains(from), "{from}");
        workshop.built("other", &LIBRARY.replace(from, to), &SECTIONS);
        let held = held(&workshop.link(MAIN, &["other", "k"], &[]), &archive);
        let found = foreign(&held);
        assert!(found.iter().any(|part| part.starts_with(expected)), "{to}: {found:?}");
        assert!(held.found > 0, "{to}");
    }
}

#[test]
fn an_archive_that_nothing_calls_is_not_held_at_all() {
    let workshop = Workshop::new();
    let archive = workshop.built("k", LIBRARY, &[]);
    let held = held(&workshop.link("int main(void) { return 0; }\n", &["k"], &[]), &archive);
    assert_eq!((held.found, held.all, held.foreign.len()), (0, 8, 0));
}

#[test]
fn local_functions_of_the_same_name_in_other_files_are_no_evidence() {
    let workshop = Workshop::new();
    let archive = workshop.built("k", LIBRARY, &[]);
    let main = format!("{MAIN}__attribute__((noinline, used)) static int helper(int x) {{ return x * 99; }}\n");
    assert_eq!(foreign(&held(&workshop.link(&main, &["k"], &[]), &archive)), [""; 0]);
}

#[test]
fn without_symbols_nothing_can_be_told_and_damage_never_panics() {
    let workshop = Workshop::new();
    let archive = workshop.built("k", LIBRARY, &[]);
    assert_eq!(holds(&workshop.link(MAIN, &["k"], &["-s"]), &archive), Err(DigestError::Stripped));
    let program = workshop.link(MAIN, &["k"], &["-Wl,--emit-relocs"]);
    for at in (0..program.len()).step_by(97) {
        let mut damaged = program.clone();
        damaged[at] ^= 0xff;
        let _ = holds(&damaged, &archive);
        let _ = executable(&damaged, &Roots::default());
        let _ = holds(&program[..at], &archive);
    }
    for at in (0..archive.len()).step_by(31) {
        let mut damaged = archive.clone();
        damaged[at] ^= 0xff;
        let _ = holds(&program, &damaged);
    }
}

#[test]
fn c_code_in_another_order_is_the_same_executable_and_the_stamp_is_not_in_it() {
    let workshop = Workshop::new();
    let stamp = |text: &str| {
        format!(
            "__attribute__((section(\".ablate.stamp\"), used)) const char stamp[65] = \"{text}\";\nint other(int x) {{ return x * 7; }}\n"
        )
    };
    let main = "int other(int); int work(int); int choose(int);\nint main(int n, char **v) { return work(n) + choose(n) + other(n); }\n";
    let digest = |libraries: &[&str], label: &str| {
        workshop.built("k", LIBRARY, &SECTIONS);
        workshop.built("stamp", &stamp(label), &[]);
        let bytes = workshop.link(main, libraries, &["-Wl,--emit-relocs"]);
        executable(&bytes, &Roots::default()).expect("digested")
    };
    let (one, other) = (digest(&["k", "stamp"], "abc"), digest(&["stamp", "k"], "abd"));
    assert_ne!(one.raw, other.raw);
    assert_eq!((one.stamp.as_deref(), other.stamp.as_deref()), (Some("abc"), Some("abd")));
    let found = crate::digest::executable::differences(&one, &other);
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(one.binary, other.binary);
}
