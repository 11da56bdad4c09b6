//! Text that says where or when something was compiled, put into a form that does not.
//!
//! Two kinds are known. nvcc builds names from the id of its own process (`tmpxft_<pid>_<number>`) and from a hash of the
//! source's path (`_INTERNAL_<hash>_`, `_GLOBAL__N__<hash>_` and a few more); their digits become zeros, so that no
//! length changes. Folders become the names that the caller gives them.
//!
//! Where a file defines nothing that other files could use, nvcc puts its process id behind the name of its nameless
//! namespace as well, which makes it longer or shorter; and an initialiser is named after the object file, whose name
//! cc begins with a hash of its folder. Both go where a text may change its length.
//!
//! Anything else stays as it is: a name that is not understood makes two digests differ, never agree.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

/// The part of each match that is not named `keep` depends on the build, not on what is built.
static TEMPORARY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?-u)
        (?<keep>tmpxft_) [0-9a-f]{8} _ [0-9a-f]{8}
        | (?<hash> _INTERNAL_ | _GLOBAL__N__ | __nv_static_[0-9]+__ | __cudaRegisterLinkedBinary_ | __fatbinwrap_ )
          [0-9a-f]{8} _",
    )
    .expect("the pattern is right")
});

/// A nameless namespace as mangled: its length, then the name itself. A kernel's launcher has a mangled name in its name.
/// An initialiser of a file that cc compiled.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?-u)
        (?<length> [0-9]{1,3}) (?<space> _GLOBAL__N__ [0-9a-f]{8} _)
        | [0-9]{1,4} (?<launcher> __device_stub__)
        | (?<initialiser> _GLOBAL__sub_I_) [0-9a-f]{16} _",
    )
    .expect("the pattern is right")
});

/// The end of a nameless namespace's name where it has nvcc's process id: a hash of the file, and the id.
static PROCESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?-u)^(_GLOBAL__N__.*_[0-9a-f]{8})_[0-9]{1,7}$").expect("the pattern is right"));

/// Folders by the name that stands for them, wherever their path is part of a text.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// Path and name, longest path first.
    folders: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Roots {
    /// Each name with its folder, which is known as it is given and by its canonical path. A folder that is the root of
    /// the file system is left out: its path is part of every other.
    pub fn new<'a>(folders: impl IntoIterator<Item = (&'a str, &'a Path)>) -> Self {
        let mut known = Vec::new();
        for (name, folder) in folders {
            let canonical = folder.canonicalize().ok();
            for path in [Some(folder), canonical.as_deref()].into_iter().flatten() {
                let bytes = trimmed(path.as_os_str());
                if path.is_absolute() && !bytes.is_empty() {
                    known.push((bytes.to_vec(), format!("<{name}>").into_bytes()));
                }
            }
        }
        known.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        known.dedup_by(|(one, _), (other, _)| one == other);
        Self { folders: known }
    }

    /// No folders at all.
    pub(super) fn none() -> &'static Self {
        static NONE: Roots = Roots { folders: Vec::new() };
        &NONE
    }

    /// Whether the text names any of the folders.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        text.contains(&b'/') && (0..text.len()).any(|at| self.at(text, at).is_some())
    }

    /// The folder whose path starts at `at`, and ends at a separator or where no further letter of a name follows.
    fn at(&self, text: &[u8], at: usize) -> Option<&(Vec<u8>, Vec<u8>)> {
        if text[at] != b'/' {
            return None;
        }
        self.folders.iter().find(|(path, _)| {
            let rest = text[at..].strip_prefix(path.as_slice());
            rest.is_some_and(|rest| rest.first().is_none_or(|&next| !is_name(next)))
        })
    }

    fn replace<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.are_in(text) {
            return Cow::Borrowed(text);
        }
        let mut replaced = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            if let Some((path, name)) = self.at(text, at) {
                replaced.extend_from_slice(name);
                at += path.len();
            } else {
                replaced.push(text[at]);
                at += 1;
            }
        }
        Cow::Owned(replaced)
    }

    /// The text with folders and temporary names replaced. Its length may change.
    pub(super) fn neutral<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let replaced = self.replace(text);
        match same_length(&replaced) {
            Cow::Borrowed(_) => replaced,
            Cow::Owned(zeroed) => Cow::Owned(unnumbered(&zeroed).unwrap_or(zeroed)),
        }
    }
}

/// A letter that continues a file's name, so that `/src` is not found in `/srcs`.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
}

fn trimmed(path: &OsStr) -> &[u8] {
    let bytes = path.as_bytes();
    bytes.strip_suffix(b"/").unwrap_or(bytes)
}

/// The text with the changing digits of temporary names made zeros: for names, and for data whose layout must stay.
pub(super) fn same_length(text: &[u8]) -> Cow<'_, [u8]> {
    TEMPORARY.replace_all(text, |found: &Captures| match (found.name("keep"), found.name("hash")) {
        (Some(keep), _) => [keep.as_bytes(), b"00000000_00000000"].concat(),
        (None, Some(hash)) => [hash.as_bytes(), b"00000000_"].concat(),
        (None, None) => found[0].to_vec(),
    })
}

/// A symbol's or section's name for a digest.
pub(super) fn symbol(name: &[u8]) -> String {
    let zeroed = same_length(name);
    let name = unnumbered(&zeroed).map_or(zeroed, Cow::Owned);
    String::from_utf8_lossy(&name).into_owned()
}

/// The text without what depends on a process or a folder and has no fixed length; `None` where it has nothing of it.
fn unnumbered(text: &[u8]) -> Option<Vec<u8>> {
    let mut changed = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = NUMBERED.captures_at(text, at) {
        let whole = found.get(0)?;
        changed.extend_from_slice(&text[at..whole.start()]);
        at = whole.end();
        if let Some(kept) = found.name("launcher").or(found.name("initialiser")) {
            changed.extend_from_slice(kept.as_bytes());
        } else if let (Some(length), Some(space)) = (found.name("length"), found.name("space")) {
            let name = namespace(text, length.as_bytes(), space.start());
            changed.extend_from_slice(name.map_or(whole.as_bytes(), |(name, end)| {
                at = end;
                name
            }));
        }
    }
    (at > 0).then(|| {
        changed.extend_from_slice(&text[at..]);
        changed
    })
}

/// The name of a nameless namespace without a process id, and where it ends in the text; `None` where it has none.
fn namespace<'a>(text: &'a [u8], length: &[u8], start: usize) -> Option<(&'a [u8], usize)> {
    let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
    let end = start.checked_add(length)?;
    let name = PROCESS.captures(text.get(start..end)?)?.get(1)?;
    Some((name.as_bytes(), end))
}

/// An archive member's name without the hash of its folder, which cc puts in front.
pub(super) fn member(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    match name.split_once('-') {
        Some((hash, rest)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => rest.to_owned(),
        _ => name.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nvcc_s_temporary_names_lose_pid_and_hash_and_nothing_else() {
        // As nvcc 13.0.88 writes them.
        let table = [
            ("tmpxft_00003a77_00000000-6_k.cudafe1.cpp", "tmpxft_00000000_00000000-6_k.cudafe1.cpp"),
            (
                "_ZN31_INTERNAL_6c010257_4_k_cu_table33_GLOBAL__N__6c010257_4_k_cu_table10anon_tableE",
                "_ZN31_INTERNAL_00000000_4_k_cu_table33_GLOBAL__N__00000000_4_k_cu_table10anon_tableE",
            ),
            ("__nv_static_22__6c010257_4_k_cu_table_hidden", "__nv_static_22__00000000_4_k_cu_table_hidden"),
            ("__fatbinwrap_6c010257_4_k_cu_table", "__fatbinwrap_00000000_4_k_cu_table"),
            ("table_6c010257_4", "table_6c010257_4"),
            ("_ZN12_GLOBAL__N_13addEi", "_ZN12_GLOBAL__N_13addEi"),
        ];
        for (name, expected) in table {
            assert_eq!(symbol(name.as_bytes()), expected);
            assert_eq!(expected.len(), name.len());
        }
    }

    #[test]
    fn a_process_id_of_any_length_goes_and_so_does_the_folder_of_an_initialiser() {
        let stub = |length: u32, inner: u32, id: &str| {
            format!("_Z{length}__device_stub__ZN{inner}_GLOBAL__N__553dffc1_4_k_cu_68f6dbab_{id}6gatherEPjPj")
        };
        // As nvcc 13.0.88 writes them; the length counts the process id's digits.
        assert_eq!(symbol(stub(69, 41, "6684").as_bytes()), symbol(stub(70, 42, "30698").as_bytes()));
        let other = stub(69, 41, "6684").replace("gather", "father");
        assert_ne!(symbol(stub(69, 41, "6684").as_bytes()), symbol(other.as_bytes()));
        let table = [
            ("_ZN42_GLOBAL__N__553dffc1_4_k_cu_68f6dbab_306981aEv", "_ZN_GLOBAL__N__00000000_4_k_cu_68f6dbab1aEv"),
            ("_ZN36_GLOBAL__N__553dffc1_4_k_cu_68f6dbab1aEv", "_ZN36_GLOBAL__N__00000000_4_k_cu_68f6dbab1aEv"),
            ("_GLOBAL__sub_I_9e36c8670f1f78e7_k.o.cudafe1.cpp", "_GLOBAL__sub_I_k.o.cudafe1.cpp"),
            ("_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main"),
        ];
        for (name, expected) in table {
            assert_eq!(symbol(name.as_bytes()), expected);
        }
    }

    #[test]
    fn folders_become_names_the_longest_first_and_only_as_a_whole() {
        let roots = Roots::new([("root", Path::new("/some/tree")), ("out", Path::new("/some/tree/target/out/"))]);
        let neutral = |text: &str| String::from_utf8(roots.neutral(text.as_bytes()).into_owned()).expect("text");
        assert_eq!(neutral("/some/tree/src/a.cu"), "<root>/src/a.cu");
        assert_eq!(neutral("x /some/tree/target/out/b.c:3"), "x <out>/b.c:3");
        assert_eq!(neutral("/some/trees/src"), "/some/trees/src");
        assert_eq!(neutral("/some/tree"), "<root>");
        assert_eq!(neutral("a/work"), "a/work");
        assert!(!roots.are_in(b"/some/tre"));
    }

    #[test]
    fn the_whole_file_system_and_relative_folders_stand_for_nothing() {
        let roots = Roots::new([("root", Path::new("/")), ("here", Path::new("no-such-folder"))]);
        assert_eq!(roots.neutral(b"/a no-such-folder/b").as_ref(), b"/a no-such-folder/b");
    }

    #[test]
    fn members_lose_the_hash_of_their_folder() {
        assert_eq!(member(b"0123456789abcdef-entry.o"), "entry.o");
        assert_eq!(member(b"b_g2-x.o"), "b_g2-x.o");
        assert_eq!(member(b"k.o"), "k.o");
    }
}
