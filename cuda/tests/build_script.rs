//! Parts of the build script, which cargo tests nowhere else.

#[path = "../build/depfile.rs"]
mod depfile;
#[path = "../build/program.rs"]
mod program;

use std::path::{Path, PathBuf};

use program::Program;

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

#[test]
fn a_program_is_looked_for_again_in_the_way_it_was_found() {
    let by_name = Program::find(Path::new("sh")).expect("every system has one");
    assert_eq!((by_name.place().as_str(), by_name.file_name()), ("$PATH/sh", Path::new("sh")));
    let by_place = Program::find(&by_name.path).expect("it was found there");
    assert_eq!(Some(Path::new(&by_place.place())), by_name.path.parent());
    assert_eq!(by_place.path, by_name.path);
    assert!(Program::find(Path::new("no such program")).is_none());
    assert!(Program::find(Path::new("/no/such/program")).is_none());
}
