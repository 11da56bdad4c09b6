use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;

const SAID: &str = "nvcc: NVIDIA (R) Cuda compiler driver\nBuilt on Wed_Aug_20\nCuda compilation tools, release 13.0, V13.0.88\n\
                    Build cuda_13.0.r13.0/compiler.36424714_0\n";

/// A program that says it is nvcc of this version.
fn nvcc(folder: &Path, version: &str) -> PathBuf {
    let program = folder.join("bin/nvcc");
    fs::create_dir_all(folder.join("bin")).expect("made");
    let said = SAID.replace("V13.0.88", &format!("V{version}"));
    fs::write(&program, format!("#!/bin/sh\ncat <<'END'\n{said}END\n")).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");
    program
}

/// An experiment in `folder` with these lines for the toolchain.
fn experiment(folder: &Path, toolchain: &str) -> Experiment {
    let text = format!(
        "schema = 1\nname = \"x\"\nquestion = \"?\"\ntarget = {{ package = \"p\" }}\n{toolchain}\
         factor = [{{ id = \"A\", feature = \"a\" }}]\nmeasure = {{ looks = [12], min_effect = \"1%\" }}\n\
         bench = [{{ name = \"b\", args = [], metric = \"span\" }}]\n"
    );
    fs::write(folder.join("x.toml"), text).expect("written");
    fs::write(folder.join("Cargo.toml"), "").expect("written");
    crate::experiment::load(&folder.join("x.toml"), Some(folder)).expect("an experiment")
}

const CUDA: &str = "toolchain = { cuda = { version = \"13.0\", arch = [\"sm_80\", \"sm_90\"] } }\n";

fn named(program: &Path) -> Lookup {
    Lookup { nvcc: Some(program.into()), ..Lookup::default() }
}

#[test]
fn a_build_is_told_where_nvcc_is_and_for_what_it_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = nvcc(folder.path(), "13.0.88");
    let read = experiment(folder.path(), CUDA);
    let of = |lookup: &Lookup| Toolkit::of(&read, lookup, &mut |_| ()).expect("found").expect("asked for");
    let toolkit = of(&named(&program));
    let [first, second, (third, digest)] = toolkit.environment().try_into().expect("three");
    assert_eq!(first, ("NVCC".to_owned(), program.display().to_string()));
    assert_eq!(second, ("ABLATE_CUDA_ARCH".to_owned(), "sm_80,sm_90".to_owned()));
    assert_eq!((third.as_str(), digest.len()), ("ABLATE_NVCC_DIGEST", 16));
    assert_eq!(toolkit.description(), format!("13.0.88 for sm_80, sm_90: {}, named by NVCC", program.display()));

    let on_path = Lookup { path: Some(folder.path().join("bin").into()), ..Lookup::default() };
    assert_eq!(of(&on_path).environment(), of(&named(&program)).environment(), "however it was found");
    assert!(of(&on_path).description().ends_with("found through PATH"));
}

#[test]
fn an_exchanged_nvcc_has_another_digest_and_so_has_one_that_calls_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, behind) = (nvcc(folder.path(), "13.0.88"), folder.path().join("version"));
    let read = experiment(folder.path(), CUDA);
    let digest = || {
        let toolkit = Toolkit::of(&read, &named(&program), &mut |_| ()).expect("found").expect("asked for");
        toolkit.environment()[2].1.clone()
    };
    let first = digest();
    assert_eq!(digest(), first);
    nvcc(folder.path(), "13.0.90");
    assert_ne!(digest(), first);
    fs::write(&program, format!("#!/bin/sh\ncat {}\n", behind.display())).expect("written");
    fs::write(&behind, SAID).expect("written");
    let wrapped = digest();
    fs::write(&behind, SAID.replace("36424714", "36424715")).expect("written");
    assert_ne!(digest(), wrapped, "the script is the same, what it calls is not");
}

#[test]
fn only_an_experiment_with_a_toolkit_that_builds_something_looks_for_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let nothing = Lookup::default();
    let mut silent = |line: &str| panic!("{line}");
    assert_eq!(Toolkit::of(&experiment(folder.path(), ""), &nothing, &mut silent).expect("none"), None);
    let mut without_target = experiment(folder.path(), CUDA);
    without_target.target = None;
    assert_eq!(Toolkit::of(&without_target, &nothing, &mut silent).expect("none"), None);
    let error = Toolkit::of(&experiment(folder.path(), CUDA), &nothing, &mut silent).expect_err("there is none");
    let error = format!("{error:#}");
    assert!(error.contains("x.toml: there is no nvcc") && error.contains("set CUDA_HOME"), "{error}");
    assert!(error.contains("provision = \"python\""), "{error}");
}

#[test]
fn another_version_is_an_error_with_both_and_the_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = nvcc(folder.path(), "12.6.77");
    let error = |toolchain: &str, lookup: &Lookup| {
        let refused = Toolkit::of(&experiment(folder.path(), toolchain), lookup, &mut |_| ()).expect_err("refused");
        format!("{refused:#}").replace(&folder.path().display().to_string(), "DIR")
    };
    assert_eq!(
        error(CUDA, &named(&program)),
        "DIR/x.toml: toolchain.cuda.version: the experiment asks for CUDA 13.0, but DIR/bin/nvcc (named by NVCC) is of CUDA \
         12.6.77: let NVCC name an nvcc of that version, or write `version = \"12.6\"`"
    );
    let fetching = CUDA.replace("] } }", "], provision = \"python\" } }");
    let path = Lookup { path: Some(folder.path().join("bin").into()), ..Lookup::default() };
    assert_eq!(
        error(&fetching, &path),
        "DIR/x.toml: toolchain.cuda.version: the experiment asks for CUDA 13.0, but DIR/bin/nvcc (found through PATH) is of \
         CUDA 12.6.77: set CUDA_HOME to the folder of a toolkit of that version, or take that folder out of PATH to have that \
         version fetched, or write `version = \"12.6\"`"
    );
    fs::write(&program, "#!/bin/sh\necho hello\n").expect("written");
    assert!(error(CUDA, &named(&program)).contains("names no version of CUDA"));
    fs::write(&program, "#!/bin/sh\nexit 3\n").expect("written");
    assert!(error(CUDA, &named(&program)).contains("--version` failed with exit status: 3"));
}

#[test]
fn versions_are_compared_number_by_number() {
    assert_eq!(version(SAID), Some("13.0.88"));
    assert_eq!(version("nvcc: NVIDIA\n"), None);
    for (version, wanted, same) in
        [("13.0.88", "13.0", true), ("13.0.88", "13.0.88", true), ("13.01.1", "13.0", false), ("13.1.2", "13.0", false)]
    {
        assert_eq!(is(version, wanted), same, "{version} for {wanted}");
    }
}
