use std::os::unix::fs::PermissionsExt;

use super::*;

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A toolkit's folder with an nvcc in it.
fn home(root: &Path, name: &str) -> PathBuf {
    let home = root.join(name);
    executable(&home.join("bin/nvcc"), "#!/bin/sh\n");
    home
}

#[test]
fn nvcc_comes_before_cuda_home_and_that_before_path() {
    let root = tempfile::tempdir().unwrap();
    let [first, second, third] = ["first", "second", "third"].map(|name| home(root.path(), name));
    let mut lookup = Lookup {
        nvcc: Some(first.join("bin/nvcc").into()),
        cuda_home: Some(second.clone().into()),
        path: Some(std::env::join_paths([root.path().join("nothing"), third.join("bin")]).unwrap()),
    };
    let found = |lookup: &Lookup| find(lookup).unwrap().map(|nvcc| (nvcc.program, nvcc.source));
    assert_eq!(found(&lookup), Some((first.join("bin/nvcc"), Source::Nvcc)));
    lookup.nvcc = Some("nvcc".into());
    assert_eq!(found(&lookup), Some((third.join("bin/nvcc"), Source::Nvcc)));
    lookup.nvcc = None;
    assert_eq!(found(&lookup), Some((second.join("bin/nvcc"), Source::CudaHome)));
    lookup.cuda_home = None;
    assert_eq!(found(&lookup), Some((third.join("bin/nvcc"), Source::Path)));
    lookup.path = None;
    assert_eq!(found(&lookup), None);
}

#[test]
fn a_variable_that_names_something_else_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let path = Some(home(root.path(), "good").join("bin").into());
    let nvcc = Lookup { nvcc: Some("/nowhere/nvcc".into()), cuda_home: None, path: path.clone() };
    let home = Lookup { nvcc: None, cuda_home: Some("/nowhere".into()), path };
    assert_eq!(
        find(&nvcc).unwrap_err().to_string(),
        "NVCC names /nowhere/nvcc, where there is no nvcc: correct it or unset it"
    );
    assert_eq!(
        find(&home).unwrap_err().to_string(),
        "CUDA_HOME names /nowhere/bin/nvcc, where there is no nvcc: correct it or unset it"
    );
}

#[test]
fn missing_and_not_to_be_fetched_names_both_remedies() {
    let error = find_or_provision(&Lookup::default(), "13.0", None, &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("set CUDA_HOME") && error.contains("provision = \"python\""), "{error}");
}

#[test]
fn only_pinned_versions_are_fetched() {
    let provisioner = Provisioner { python: "/nowhere/python3".into(), folder: "/nowhere".into() };
    let error = provisioner.provision("12.6", &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("CUDA 12.6 cannot be fetched, only 13.0"), "{error}");
}

#[test]
fn every_wheel_is_pinned_by_version_and_hash() {
    for (short, exact, wheels) in PINNED {
        assert!(exact.starts_with(short) && wheels.contains(&format!("nvidia-cuda-nvcc=={exact} ")));
        for line in wheels.lines().filter(|line| !line.starts_with('#')) {
            let (requirement, hash) = line.split_once(" --hash=sha256:").expect(line);
            assert!(requirement.contains("==") && hash.len() == 64, "{line}");
        }
    }
}

/// A python3 that does what pip does to the target folder, slowly, and counts its calls.
fn python(root: &Path, installs: &str) -> Provisioner {
    let calls = root.join("calls");
    let text = format!(
        "#!/bin/sh\necho called >> {}\nwhile [ \"$1\" != --target ]; do shift; done\ncd \"$2\" || exit 9\n\
         grep -q 'nvidia-cuda-nvcc==13.0.88 --hash' \"$4\" || exit 8\nsleep 0.2\n{installs}\n",
        calls.display()
    );
    executable(&root.join("python3"), &text);
    Provisioner { python: root.join("python3"), folder: root.join("ignored") }
}

const INSTALL: &str = "mkdir -p nvidia/cu13/bin nvidia/cu13/lib; touch nvidia/cu13/bin/nvcc; echo Installing";

fn calls(root: &Path) -> usize {
    fs::read_to_string(root.join("calls")).unwrap_or_default().lines().count()
}

#[test]
fn runs_that_start_at_once_fetch_once() {
    let root = tempfile::tempdir().unwrap();
    let provisioner = python(root.path(), INSTALL);
    let found: Vec<Nvcc> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| provisioner.provision("13.0", &mut |_| ()).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let toolkit = root.path().join("ignored/cuda-13.0.88/nvidia/cu13").canonicalize().unwrap();
    assert!(found.iter().all(|nvcc| nvcc.program == toolkit.join("bin/nvcc")));
    assert_eq!(fs::read_link(toolkit.join("lib64")).unwrap(), Path::new("lib"));
    assert_eq!(calls(root.path()), 1);
}

#[test]
fn progress_is_told_and_a_second_run_fetches_nothing() {
    let root = tempfile::tempdir().unwrap();
    let provisioner = python(root.path(), INSTALL);
    let mut lines = Vec::new();
    provisioner.provision("13.0", &mut |line| lines.push(line.to_owned())).unwrap();
    assert_eq!(lines, ["fetching nvcc 13.0.88 from the Python registry (about 100 MB, once)", "Installing"]);
    provisioner.provision("13.0.88", &mut |line| panic!("{line}")).unwrap();
    assert_eq!(calls(root.path()), 1);
}

#[test]
fn a_failed_fetch_leaves_nothing_and_is_tried_again() {
    let root = tempfile::tempdir().unwrap();
    let provisioner = python(root.path(), "mkdir nvidia; echo 'ERROR: hashes do not match' >&2; exit 1");
    let error = provisioner.provision("13.0", &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("ERROR: hashes do not match") && error.contains("set CUDA_HOME"), "{error}");
    let left: Vec<_> = fs::read_dir(&provisioner.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["cuda-13.0.88.lock"]);
    // A killed run leaves what it had.
    fs::create_dir_all(provisioner.folder.join("cuda-13.0.88.partial/nvidia/old")).unwrap();
    let provisioner = python(root.path(), INSTALL);
    provisioner.provision("13.0", &mut |_| ()).unwrap();
    assert!(!provisioner.folder.join("cuda-13.0.88/nvidia/old").exists());
    assert_eq!(calls(root.path()), 2);
}

#[test]
fn no_python_and_no_nvcc_in_the_folder_are_errors_that_say_so() {
    let root = tempfile::tempdir().unwrap();
    let provisioner = Provisioner { python: "/nowhere/python3".into(), folder: root.path().join("ignored") };
    let error = provisioner.provision("13.0", &mut |_| ()).unwrap_err().to_string();
    assert!(error.starts_with("running /nowhere/python3: "), "{error}");
    fs::create_dir_all(provisioner.folder.join("cuda-13.0.88")).unwrap();
    let error = provisioner.provision("13.0", &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("cuda-13.0.88: delete that folder"), "{error}");
}

/// The real wheels, and a real compilation by them.
#[test]
#[ignore = "fetches about 100 MB from the Python registry"]
fn the_pinned_wheels_compile() {
    let root = tempfile::tempdir().unwrap();
    let nvcc = Provisioner::of_project(root.path()).provision("13.0", &mut |line| eprintln!("{line}")).unwrap();
    let source = root.path().join("kernel.cu");
    fs::write(&source, "__global__ void k(int* x) { *x = 1; }\n").unwrap();
    let status =
        Command::new(&nvcc.program).args(["-arch=sm_90", "-c", "-o", "/dev/null"]).arg(&source).status().unwrap();
    assert!(status.success());
    let library = nvcc.program.parent().unwrap().join("../lib64/libcudart_static.a");
    assert!(library.is_file());
}
