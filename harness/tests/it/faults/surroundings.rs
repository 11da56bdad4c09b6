//! Faults of what is around a build: clocks, links, disks, killed processes, cargo's words, other people.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use super::Step::{Do, Edit};
use super::{FAST, FILE, archive, assert_found, by_shell, catalogue, code, verify};
use crate::archives::project;
use crate::subject;
use crate::support::{Answer, Project, answer, command};

/// Everything that was built is from tomorrow, as after a clock that was wrong and has been set right.
fn built_tomorrow(project: &Project) {
    let tomorrow = SystemTime::now() + Duration::from_hours(24);
    set_times(&project.path().join("target"), tomorrow);
}

fn set_times(path: &Path, time: SystemTime) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("listed") {
            set_times(&entry.expect("an entry").path(), time);
        }
    } else {
        File::open(path).and_then(|file| file.set_times(FileTimes::new().set_modified(time))).expect("set");
    }
}

/// target/ is a link to a folder on another disk, as it were.
fn target_elsewhere(project: &Project) {
    fs::create_dir(project.path().join("elsewhere")).expect("made");
    symlink("elsewhere", project.path().join("target")).expect("linked");
}

catalogue! {
    an_edit_after_a_build_under_a_clock_in_the_future: FAST,
        twin [], fault [Do(built_tomorrow), Edit("k-sys/k.c", "K * 2", "K * 4")]
        => [("base stale", "k/k.c"), ("fast stale", "k/k.c")];

    /// Cargo goes by times for Rust as well.
    a_rust_source_edited_after_a_build_under_a_clock_in_the_future: FAST,
        twin [], fault [Do(built_tomorrow), Edit("src/main.rs", "k_sys::k()", "k_sys::k() + 1")]
        => [("base stale", "since it was linked src/main.rs changed"), ("fast stale", "src/main.rs changed")];

    an_edited_header_under_a_symlinked_target_folder: FAST,
        twin [Do(target_elsewhere)], fault [Edit("k-sys/k.h", "21", "22")]
        => [("base stale", "k/k.h"), ("fast stale", "k/k.h")];
}

/// The same sources twice, but for one number, and older than any build.
#[test]
fn two_checkouts_that_share_a_target_folder() {
    let (one, other) = (project(FAST), project(FAST));
    Edit("k-sys/k.c", "K * 3", "K * 4").take(&other);
    let shared = tempfile::tempdir().expect("a folder");
    let build_in = |project: &Project, folder: &Path| {
        project.write(".cargo/config.toml", &format!("[build]\ntarget-dir = {folder:?}\n"));
    };
    build_in(&one, shared.path());
    build_in(&other, &other.path().join("target"));
    set_times(&other.path().join("k-sys"), SystemTime::now() - Duration::from_hours(1));
    set_times(&other.path().join("src"), SystemTime::now() - Duration::from_hours(1));
    for project in [&one, &other] {
        assert_found(&verify(project), &[]);
    }
    build_in(&other, shared.path());
    let made = format!("was made from the sources in {}", one.path().join("k-sys").display());
    let found = verify(&other);
    assert_found(&found, &[("base stale", &made), ("fast stale", "give each a folder of its own")]);
    assert_found(&verify(&one), &[]);
}

/// Where a file `slow` lies beside it, the build script leaves half an archive and takes its time.
const SLOW: super::Step = Edit(
    "k-sys/build.rs",
    "    let _ = fs::remove_file(&archive);",
    "    let _ = fs::remove_file(&archive);\n    if PathBuf::from(&here).join(\"slow\").exists() {\n        \
    fs::write(&archive, \"!<arch>\\nhalf\").expect(\"written\");\n        \
    std::thread::sleep(std::time::Duration::from_secs(60));\n    }",
);

#[test]
fn a_build_that_was_killed_half_way_goes_on_to_the_same_archives() {
    let project = project(FAST);
    SLOW.take(&project);
    assert_found(&verify(&project), &[]);
    let whole = code(project.path());
    let archive = archive(&project, "");

    project.write("k-sys/slow", "");
    Edit("k-sys/k.c", "K * 2", "2 * K").take(&project);
    let mut killed = command(project.path(), &["verify", FILE]);
    let mut child = killed.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    let start = Instant::now();
    while fs::read(&archive).unwrap_or_default() != b"!<arch>\nhalf" {
        assert!(start.elapsed() < Duration::from_mins(2), "the build never came to its archive");
        std::thread::sleep(Duration::from_millis(20));
    }
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().expect("kill runs").success());
    child.wait().expect("it ends");

    fs::remove_file(project.path().join("k-sys/slow")).expect("removed");
    Edit("k-sys/k.c", "2 * K", "K * 2").take(&project);
    assert_found(&verify(&project), &[]);
    assert_eq!(code(project.path()), whole);
}

/// With files of at most 100 KiB, as on a disk that is full; some shells count in units twice as large.
fn without_space(project: &Project) -> Answer {
    answer(&mut by_shell(project.path(), "trap '' XFSZ; ulimit -f 200"))
}

#[test]
fn no_space_left_is_an_error_and_leaves_nothing_that_is_taken_for_whole() {
    let project = project(FAST);
    let building = without_space(&project);
    assert_eq!(building.code, Some(2), "{}\n{}", building.stdout, building.stderr);
    assert!(building.stderr.contains("the build of base failed"), "{}", building.stderr);
    assert_found(&verify(&project), &[]);

    let store = project.path().join(".ablate/store");
    fs::remove_dir_all(&store).expect("removed");
    let storing = without_space(&project);
    assert_eq!(storing.code, Some(2), "{}\n{}", storing.stdout, storing.stderr);
    assert!(storing.stderr.contains("into the store"), "{}", storing.stderr);
    assert_eq!(fs::read_dir(&store).expect("listed").count(), 0, "no half of an executable");
    assert_found(&verify(&project), &[]);
}

/// Runs `ablate verify` with a cargo whose output goes through a filter where it builds the arm.
fn with_cargo_through(project: &Project, filter: &str) -> Answer {
    let real = Command::new("sh").args(["-c", "command -v cargo"]).output().expect("sh runs").stdout;
    let real = String::from_utf8(real).expect("text");
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in\n*' --features '*) {real} \"$@\" >said || exit; {filter} said;;\n*) exec {real} \"$@\";;\nesac\n",
        real = real.trim()
    );
    project.write("bin/cargo", &script);
    let program = project.path().join("bin/cargo");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");
    let path = format!("{}:{}", project.path().join("bin").display(), std::env::var("PATH").expect("set"));
    answer(command(project.path(), &["verify", FILE]).env("PATH", path))
}

#[test]
fn output_of_cargo_that_was_cut_short_is_no_build() {
    let project = project(FAST);
    assert_found(&with_cargo_through(&project, "cat"), &[]);
    for filter in ["sed '$d'", "head -c -30", "head -n 2", "head -n 0"] {
        let cut = [("fast build failed", "before it says that the build is finished")];
        assert_found(&with_cargo_through(&project, filter), &cut);
    }
}

/// A dirty tree is no finding, since people measure what they are working on; the run says so wherever it names the commit.
#[test]
fn a_dirty_tree_is_told_beside_the_commit() {
    let project = subject::project();
    project.write(subject::FILE, &subject::experiment(&["slow"], &[], "[8]"));
    project.write(".gitignore", "/target\n/results\n/reports\n/.ablate\n/Cargo.lock\n");
    let git = "git init -q && git add -A && git -c user.name=n -c user.email=e commit -qm first";
    let made = Command::new("sh").args(["-c", git]).current_dir(project.path()).status();
    assert!(made.expect("sh runs").success());

    let told = |dirty: bool| {
        assert_eq!(project.ablate(&["run", subject::FILE]).code, Some(1), "slow is slower");
        let run = subject::the_run(&project);
        assert_eq!(subject::run_json(&run)["git"]["dirty_digest"].is_string(), dirty);
        let summary = project.path().join("reports").join(subject::id(&run)).join("summary.md");
        let summary = fs::read_to_string(summary).expect("written");
        assert_eq!(summary.contains("with uncommitted changes"), dirty, "{summary}");
        fs::remove_dir_all(project.path().join("results")).expect("removed");
    };
    told(false);
    project.write("notes", "not committed\n");
    told(true);
}

/// Two arms whose commands build different programs in one place would both run the one that was built last.
#[test]
fn two_arms_that_end_in_one_executable_are_refused() {
    let project = Project::new();
    let text = |second: &str| {
        format!(
            "schema = 1\nname = \"x\"\nquestion = \"?\"\n[[arm]]\nid = \"base\"\ncommand = [\"./x\", \"1\"]\n\
             build = [\"sh\", \"make.sh\", \"1\"]\n[[arm]]\nid = \"other\"\ncommand = [\"{second}\", \"2\"]\n\
             build = [\"sh\", \"make.sh\", \"2\"]\n[[bench]]\nname = \"b\"\nargs = []\nparse = \"process\"\n\
             metric = \"span\"\n[measure]\nlooks = [8]\nmin_effect = \"5%\"\n"
        )
    };
    project.write("make.sh", "for name in x y; do printf '#!/bin/sh\\n' > $name && chmod +x $name; done\n");
    project.write("x.toml", &text("./y"));
    let answer = project.ablate(&["verify", "x.toml"]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    project.write("x.toml", &text("./x"));
    let answer = project.ablate(&["verify", "x.toml"]);
    assert_eq!(answer.code, Some(2), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["arm[1].build", "`./x`, which arm `base` builds by another command", "a path of its own"] {
        assert!(answer.stderr.contains(words), "{words}: {}", answer.stderr);
    }
}

/// Set for a program that is built already, flags of the compiler change nothing; the arms would be found equivalent.
#[test]
fn a_factor_over_flags_of_the_compiler_is_refused() {
    let project = Project::new();
    let text = |variable: &str| {
        format!(
            "schema = 1\nname = \"x\"\nquestion = \"?\"\n[target]\npackage = \"toy\"\n[[factor]]\nid = \"F\"\nenv = \"{variable}\"\n\
             levels = [\"-Copt-level=2\", \"-Copt-level=3\"]\n[[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n\
             [measure]\nlooks = [8]\nmin_effect = \"5%\"\n"
        )
    };
    project.write("x.toml", &text("TOY_FLAGS"));
    let answer = project.ablate(&["verify", "x.toml"]);
    assert_eq!(answer.code, Some(0), "{}\n{}", answer.stdout, answer.stderr);
    project.write("x.toml", &text("RUSTFLAGS"));
    let answer = project.ablate(&["verify", "x.toml"]);
    assert_eq!(answer.code, Some(2), "{}\n{}", answer.stdout, answer.stderr);
    for words in ["x.toml:8: factor[0].env", "`RUSTFLAGS` is read by builds", "use a `feature`"] {
        assert!(answer.stderr.contains(words), "{words}: {}", answer.stderr);
    }
}
