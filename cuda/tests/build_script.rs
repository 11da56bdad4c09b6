//! Parts of the build script, which cargo tests nowhere else.

#[path = "../build/depfile.rs"]
mod depfile;

use std::path::PathBuf;

#[test]
fn lists_of_prerequisites_are_read_as_make_reads_them() {
    let cases: [(&str, &[&str]); 6] = [
        ("", &[]),
        ("a.o:\n", &[]),
        ("a.o: a.cu", &["a.cu"]),
        ("out/a.o : a.cu \\\n    /usr/b.h \\\n  c.h\n", &["a.cu", "/usr/b.h", "c.h"]),
        (
            "a.o: with\\ space.h \\\n\tb\\#c.h d$$e.h back\\\\slash.h\r\n",
            &["with space.h", "b#c.h", "d$e.h", "back\\slash.h"],
        ),
        ("a.o: C:x.h two:colons.h\n", &["C:x.h", "two:colons.h"]),
    ];
    for (text, expected) in cases {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(depfile::prerequisites(text), expected, "{text:?}");
    }
}
