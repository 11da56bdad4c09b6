//! The sources that builds read from this machine's disk, and whether any was written while the matrix was building.
//!
//! Every file of the workspace's packages is looked at before the first build and after each one; which of them are inputs
//! is what cargo says afterwards: its dep-info files, the manifests of native archives, and every file of a package whose
//! archive is verified, since build scripts often name too little. A file that is no input may change freely.
//!
//! Limits: files outside of the workspace's packages are known from the end of the first build that names them. What a
//! registry holds is not looked at; the lock file's checksums stand for it.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::store::{Identity, digest_of, hex};
use crate::record;

/// Larger files are known by size and time alone: reading gigabytes of data that happen to lie there would cost minutes.
const READ_UP_TO: u64 = 16 << 20;

/// Folders of a package that hold what programs left there.
const OUTPUTS: [&str; 3] = ["results", "reports", "target"];

/// How the names of libraries and object files end.
const LIBRARIES: [&str; 3] = ["a", "o", "so"];

/// Files by their paths below the workspace, and the digests of their contents.
pub(super) type Files = BTreeMap<String, String>;

/// Files that are looked at again and again.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    watched: BTreeMap<PathBuf, Seen>,
    used: BTreeSet<PathBuf>,
    moved: BTreeSet<PathBuf>,
}

/// A file as it was when it was first looked at.
#[derive(Clone, Debug)]
struct Seen {
    /// As it was last looked at; `None`: there was no file.
    identity: Option<Identity>,
    /// Of its content; `None`: there was no file.
    digest: Option<String>,
}

impl Inputs {
    /// Looks at every file of the folders.
    pub(super) fn watch<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut inputs = Self::default();
        let mut files = BTreeSet::new();
        for folder in folders {
            walk(folder, &mut files);
        }
        for file in files {
            inputs.add(file);
        }
        inputs
    }

    /// Looks at a file that is not known yet.
    fn add(&mut self, file: PathBuf) {
        if let Entry::Vacant(entry) = self.watched.entry(file) {
            let identity = Identity::of(entry.key()).ok();
            let digest = identity.as_ref().and_then(|identity| content(entry.key(), identity));
            entry.insert(Seen { identity, digest });
        }
    }

    /// These files and folders are inputs of a build that just ended.
    pub(super) fn used(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            let mut files = BTreeSet::new();
            if path.is_dir() {
                walk(&path, &mut files);
            } else {
                files.insert(path);
            }
            for file in files {
                self.add(file.clone());
                self.used.insert(file);
            }
        }
    }

    /// Makes inputs of the libraries and object files that lie among the sources, and names them: a linker may be led to
    /// them without cargo's knowing.
    pub(super) fn libraries(&mut self) -> Vec<PathBuf> {
        let native =
            |file: &&PathBuf| file.extension().is_some_and(|end| LIBRARIES.iter().any(|library| end == *library));
        let libraries: Vec<PathBuf> = self.watched.keys().filter(native).cloned().collect();
        self.used.extend(libraries.iter().cloned());
        libraries
    }

    /// Looks at every file again; only those that were touched are read.
    pub(super) fn look_again(&mut self) {
        for (file, seen) in &mut self.watched {
            let now = Identity::of(file).ok();
            if now != seen.identity {
                if now.as_ref().and_then(|now| content(file, now)) != seen.digest {
                    self.moved.insert(file.clone());
                }
                seen.identity = now;
            }
        }
    }

    /// The inputs whose content changed since they were first looked at.
    pub(super) fn moved(&self) -> impl Iterator<Item = &Path> {
        self.moved.iter().filter(|file| self.used.contains(*file)).map(PathBuf::as_path)
    }

    /// These files, and those in these folders, that are there. Nothing where one changed since it was first looked at: which
    /// content a build has read is then unknown.
    pub(super) fn contents<'a>(&self, paths: impl IntoIterator<Item = &'a Path>, root: &Path) -> Option<Files> {
        let mut files = Files::new();
        for path in paths {
            for (file, seen) in self.watched.range(path.to_owned()..).take_while(|(file, _)| file.starts_with(path)) {
                if self.moved.contains(file) {
                    return None;
                }
                let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
                files.extend(seen.digest.clone().map(|digest| (name, digest)));
            }
        }
        Some(files)
    }

    /// All inputs that are there together, by their paths below `root`.
    pub(super) fn record(&self, root: &Path) -> record::Inputs {
        let mut hasher = Sha256::new();
        let mut files = 0;
        for file in &self.used {
            let Some(digest) = self.watched.get(file).and_then(|seen| seen.digest.as_deref()) else { continue };
            let name = file.strip_prefix(root).unwrap_or(file);
            hasher.update(format!("{digest} {}\0", name.display()));
            files += 1;
        }
        record::Inputs { files, digest: hex(&hasher.finalize()) }
    }
}

/// The digest of a file's content; of a large one, its size and time.
fn content(file: &Path, identity: &Identity) -> Option<String> {
    if identity.size > READ_UP_TO {
        let modified = fs::metadata(file).and_then(|metadata| metadata.modified()).ok()?;
        return Some(format!("{} bytes of {modified:?}", identity.size));
    }
    digest_of(file).ok()
}

/// Every file below a folder, but for hidden ones, what builds and runs leave behind, and what links lead to.
fn walk(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else { continue };
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if kind.is_file() || (kind.is_symlink() && path.is_file()) {
            files.insert(path);
        } else if kind.is_dir() && !is_output(&path) {
            walk(&path, files);
        }
    }
}

fn is_output(folder: &Path) -> bool {
    let named = folder.file_name().is_some_and(|name| OUTPUTS.iter().any(|output| name == *output));
    named && !folder.join("mod.rs").is_file() || folder.join("CACHEDIR.TAG").is_file()
}

/// What a dep-info file says an executable was made from; nothing where there is no such file.
pub(super) fn of_dep_info(executable: &Path, root: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(executable.with_extension("d")).unwrap_or_default();
    let rules = text.lines().filter_map(|line| line.split_once(": ")).map(|(_, files)| files);
    rules.flat_map(unescaped).map(|file| root.join(file)).collect()
}

/// Words at spaces; a space that belongs to a name has a backslash before it.
fn unescaped(list: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = list.chars().peekable();
    while let (Some(letter), Some(word)) = (letters.next(), words.last_mut()) {
        match letter {
            '\\' if letters.peek() == Some(&' ') => word.extend(letters.next()),
            ' ' => words.push(String::new()),
            letter => word.push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "1").expect("written");
        }
        folder
    }

    fn moved(inputs: &Inputs, root: &Path) -> Vec<String> {
        let name = |file: &Path| file.strip_prefix(root).expect("below it").display().to_string();
        inputs.moved().map(name).collect()
    }

    #[test]
    fn an_input_that_changes_or_goes_has_moved_and_a_readme_or_a_touch_has_not() {
        let folder = folder(&["src/a.rs", "src/b.rs", "src/c.rs", "README.md"]);
        let root = folder.path();
        let mut inputs = Inputs::watch([root]);
        fs::write(root.join("src/a.rs"), "2").expect("written");
        fs::write(root.join("src/b.rs"), "1").expect("touched");
        fs::write(root.join("README.md"), "2").expect("written");
        fs::remove_file(root.join("src/c.rs")).expect("removed");
        inputs.look_again();
        inputs.used([root.join("src")]);
        assert_eq!(moved(&inputs, root), ["src/a.rs"], "what is gone is not listed in a folder");
        inputs.used([root.join("src/c.rs")]);
        assert_eq!(moved(&inputs, root), ["src/a.rs", "src/c.rs"]);
    }

    #[test]
    fn an_edit_that_was_taken_back_between_two_builds_has_moved() {
        let folder = folder(&["src/a.rs"]);
        let file = folder.path().join("src/a.rs");
        let mut inputs = Inputs::watch([folder.path()]);
        for text in ["2", "1"] {
            fs::write(&file, text).expect("written");
            inputs.look_again();
        }
        inputs.used([file]);
        assert_eq!(moved(&inputs, folder.path()), ["src/a.rs"]);
    }

    #[test]
    fn a_library_among_the_sources_is_an_input() {
        let folder = folder(&["native/liba.a", "native/a.o", "native/a.c", "target/libb.a"]);
        let mut inputs = Inputs::watch([folder.path()]);
        assert_eq!(inputs.libraries(), ["native/a.o", "native/liba.a"].map(|file| folder.path().join(file)));
        fs::write(folder.path().join("native/liba.a"), "2").expect("written");
        inputs.look_again();
        assert_eq!(moved(&inputs, folder.path()), ["native/liba.a"]);
    }

    #[test]
    fn outputs_and_hidden_files_are_no_inputs() {
        let folder =
            folder(&["a", "target/x", "results/x", "built/CACHEDIR.TAG", "built/x", ".git/x", "src/target/mod.rs"]);
        let inputs = Inputs::watch([folder.path()]);
        let names = inputs.watched.keys().map(|file| file.strip_prefix(folder.path()).expect("below").to_owned());
        assert_eq!(names.collect::<Vec<_>>(), [Path::new("a"), Path::new("src/target/mod.rs")]);
    }

    #[test]
    fn the_digest_goes_by_names_below_the_root_and_by_contents() {
        let (one, other) = (folder(&["a", "b"]), folder(&["a", "b"]));
        let record = |folder: &tempfile::TempDir| {
            let mut inputs = Inputs::watch([folder.path()]);
            inputs.used([folder.path().to_owned()]);
            inputs.record(folder.path())
        };
        let before = record(&one);
        assert_eq!(before, record(&other));
        assert_eq!(before.files, 2);
        fs::write(other.path().join("b"), "2").expect("written");
        assert_ne!(before.digest, record(&other).digest);
    }

    #[test]
    fn contents_are_those_of_files_and_folders_unless_one_moved() {
        let folder = folder(&["k/a.h", "k/b.h", "k.c", "src/a.rs"]);
        let root = folder.path();
        let mut inputs = Inputs::watch([root]);
        let names = |inputs: &Inputs, paths: &[&str]| -> Option<Vec<String>> {
            let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
            Some(inputs.contents(paths.iter().map(PathBuf::as_path), root)?.into_keys().collect())
        };
        assert_eq!(names(&inputs, &["k", "src/a.rs", "gone"]).expect("none moved"), ["k/a.h", "k/b.h", "src/a.rs"]);
        fs::write(root.join("k/b.h"), "2").expect("written");
        inputs.look_again();
        assert_eq!(names(&inputs, &["k"]), None);
        assert_eq!(names(&inputs, &["k.c"]).expect("none moved"), ["k.c"]);
    }

    #[test]
    fn a_dep_info_file_is_read_with_spaces_in_names() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("p.d"), "/t/p: /src/a\\ b.rs src/c.rs\n\n/src/c.rs:\n").expect("written");
        let files = of_dep_info(&folder.path().join("p"), Path::new("/w"));
        assert_eq!(files, [Path::new("/src/a b.rs"), Path::new("/w/src/c.rs")]);
        assert!(of_dep_info(&folder.path().join("q"), Path::new("/w")).is_empty());
    }
}
