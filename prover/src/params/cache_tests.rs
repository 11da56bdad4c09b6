//! The cache over bytes that are no parameters: what they mean is not its business.

use std::io::{Read, Write};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::*;

const SIZES: Sizes = Sizes { ic: 1, h: 2, l: 3, a: 4, b_g1: 5, b_g2: 6 };

fn key() -> Key {
    Key { circuit: "mixed:2,20".to_owned(), setup_seed: 7 }
}

fn cache() -> (TempDir, Cache) {
    let folder = TempDir::new().unwrap();
    let cache = Cache::new(folder.path().join("params"));
    (folder, cache)
}

fn make(cache: &Cache, content: &[u8]) -> Result<bool, CacheError> {
    cache.make(&key(), |file| {
        file.write_all(content).unwrap();
        Ok((SIZES, Sha256::digest(content).into()))
    })
}

fn read(mut file: File, length: u64) -> Result<(Vec<u8>, [u8; 32]), io::Error> {
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    assert_eq!(content.len() as u64, length);
    let sha256 = Sha256::digest(&content).into();
    Ok((content, sha256))
}

fn load(cache: &Cache) -> Result<Vec<u8>, CacheError> {
    cache.load(&key(), read)
}

#[test]
fn what_was_made_is_loaded_and_not_made_again() {
    let (_folder, cache) = cache();
    assert!(make(&cache, b"first").unwrap());
    assert!(!make(&cache, b"second").unwrap());
    assert_eq!(load(&cache).unwrap(), b"first");
}

#[test]
fn the_folder_holds_named_files_and_a_sidecar_that_warns() {
    let (_folder, cache) = cache();
    make(&cache, b"first").unwrap();
    let path = cache.path(&key());
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let name = "mixed-2-20.seed-7.params";
    assert_eq!(names, [name.to_owned(), format!("{name}.json"), format!("{name}.lock")]);

    let sidecar: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(with_suffix(&path, ".json")).unwrap()).unwrap();
    assert_eq!(
        (&sidecar["format"], &sidecar["circuit"], &sidecar["setup_seed"]),
        (&1.into(), &"mixed:2,20".into(), &7.into())
    );
    assert_eq!((&sidecar["bytes"], &sidecar["sizes"]["b_g2"]), (&5.into(), &6.into()));
    assert_eq!(sidecar["sha256"], "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e");
    assert!(sidecar["warning"].as_str().unwrap().starts_with("insecure"));
}

#[test]
fn missing_parameters_name_the_command_that_makes_them() {
    let (folder, cache) = cache();
    let folder = folder.path().join("params");
    let expected = format!(
        "no parameters at {0}/mixed-2-20.seed-7.params: run `prover setup --circuit mixed:2,20 --setup-seed 7 --params-dir {0}`",
        folder.display()
    );
    assert_eq!(load(&cache).unwrap_err().to_string(), expected);
}

/// Done to a parameter file and its sidecar.
type Damage<'a> = &'a dyn Fn(&Path, &Path);

/// Every kind of damage is told with the file and the remedy, stays where it is, and is not mended by a set-up.
#[test]
fn damage_is_an_error_and_stays() {
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    let rewrite = |path: &Path, from: &str, to: &str| {
        assert!(text(path).contains(from));
        fs::write(path, text(path).replace(from, to)).unwrap();
    };
    let cases: [(&str, Damage); 6] = [
        ("its SHA-256 is", &|file, _| rewrite(file, "first", "firsT")),
        ("its SHA-256 is", &|file, _| rewrite(file, "first", "firs")),
        ("cannot be used: No such file", &|_, sidecar| fs::remove_file(sidecar).unwrap()),
        ("cannot be used: EOF", &|_, sidecar| fs::write(sidecar, "{").unwrap()),
        ("format 2, where this program knows 1", &|_, sidecar| rewrite(sidecar, "\"format\": 1", "\"format\": 2")),
        ("is of mixed:2,21 with set-up seed 7", &|_, sidecar| rewrite(sidecar, "2,20", "2,21")),
    ];
    for (fault, damage) in cases {
        let (_folder, cache) = cache();
        make(&cache, b"first").unwrap();
        let path = cache.path(&key());
        damage(&path, &with_suffix(&path, ".json"));
        let error = load(&cache).unwrap_err().to_string();
        assert!(error.starts_with(&format!("parameter file {}: ", path.display())), "{error}");
        assert!(error.contains(fault), "{error}");
        assert!(
            error.contains("; delete the parameter file and run `prover setup --circuit mixed:2,20 --setup-seed 7 "),
            "{error}"
        );
        assert!(!make(&cache, b"first").unwrap());
        assert_eq!(load(&cache).unwrap_err().to_string(), error);
    }
}

#[test]
fn a_fault_in_the_bytes_is_told_with_the_file() {
    let (_folder, cache) = cache();
    make(&cache, b"first").unwrap();
    let error = cache.load(&key(), |_, _| Err::<((), [u8; 32]), _>(io::Error::other("point 3 is odd"))).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("mixed-2-20.seed-7.params: point 3 is odd; delete the parameter file and run `"), "{error}");
}

#[test]
fn set_ups_at_once_make_the_file_once() {
    let (_folder, cache) = cache();
    let (made, together) = (AtomicUsize::new(0), Barrier::new(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                together.wait();
                let new = make(&cache, b"content").unwrap();
                made.fetch_add(usize::from(new), Ordering::Relaxed);
                assert_eq!(load(&cache).unwrap(), b"content");
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[test]
fn a_set_up_that_failed_leaves_nothing_to_load() {
    let (_folder, cache) = cache();
    let failure = |file: &mut File| {
        file.write_all(b"half").unwrap();
        Err(CacheError::Missing { path: PathBuf::new(), command: String::new() })
    };
    cache.make(&key(), failure).unwrap_err();
    assert!(matches!(load(&cache), Err(CacheError::Missing { .. })));
    assert!(make(&cache, b"whole").unwrap());
    assert_eq!(load(&cache).unwrap(), b"whole");
}

#[test]
fn an_unwritable_folder_is_named() {
    let (folder, _) = cache();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = make(&Cache::new(&file), b"x").unwrap_err().to_string();
    assert_eq!(error, format!("parameter file {}: creating the folder failed", file.display()));
}

#[test]
fn a_file_of_any_name_is_held_to_its_sidecar_where_it_has_one() {
    let (folder, cache) = cache();
    make(&cache, b"first").unwrap();
    let foreign = folder.path().join("foreign");
    fs::write(&foreign, b"other").unwrap();
    assert_eq!(load_file(&foreign, read).unwrap(), b"other");
    fs::copy(with_suffix(&cache.path(&key()), ".json"), folder.path().join("foreign.json")).unwrap();
    let error = load_file(&foreign, read).unwrap_err().to_string();
    assert!(error.contains("its SHA-256 is") && error.ends_with("put a good copy in its place"), "{error}");
}
