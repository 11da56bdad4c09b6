//! The loader: what it reads, and what each broken rule says.

use std::fs;

use tempfile::TempDir;

use super::*;

/// Every key that a file may have, with the design document's example as its pattern.
const WHOLE: &str = r#"schema = 1
name = "phase4"
question = "Which?"
expect = "A1 slows synthesis."

[target]
manifest = "Cargo.toml"
package = "groth16-prover"
bin = "prover"
features = ["cuda"]

[toolchain.cuda]
version = "13.0"
arch = ["sm_90"]
provision = "python"

[[factor]]
id = "A1"
feature = "smallvec"
changes = ["binary"]

[[factor]]
id = "B1"
feature = "host-pin"
changes = ["archive-host", "binary"]
backend = "cuda"

[[factor]]
id = "W"
arg = "--window"
levels = ["10", "12", "14"]

[[factor]]
id = "E"
env = "RAYON_NUM_THREADS"
levels = ["1", "2"]

[[arm]]
id = "bellperson"
command = ["peers/target/release/peer", "bellperson"]

[[archive]]
package = "groth16-cuda"
file = "libgroth16_cuda.a"

[design]
kind = "list"
arms = ["A1", "A1+W=14", "E", "all"]

[prepare]
args = ["setup"]

[[bench]]
name = "prove"
args = ["prove", "--backend", "cuda"]
metric = "span"
iterations = 2
timeout = "1h30m"
arms = ["A1"]

[[bench]]
name = "lines"
metric = "msm_h"
parse = "regex"
pattern = '(?<name>\w+)_ms=(?<ms>\d+)'

[measure]
worker = "process"
looks = [4, 6, 8]
alpha = 0.01
min_effect = "1%"
max_time = "4h"
seed = 7
"#;

/// A project with a manifest and a folder for experiments.
fn project() -> TempDir {
    let project = tempfile::tempdir().expect("a temporary folder");
    fs::write(project.path().join("Cargo.toml"), "").expect("a file is written");
    fs::create_dir_all(project.path().join("experiments")).expect("a folder is made");
    project
}

fn read_in(project: &TempDir, text: &[u8]) -> Result<Experiment, String> {
    let folder = project.path().join("experiments");
    let file = folder.join("x.toml");
    fs::write(&file, text).expect("a file is written");
    let root = project.path().canonicalize().expect("the folder exists");
    let shown = |error: LoadError| error.to_string().replace(&folder.display().to_string(), ".");
    load(&file, None).map_err(|error| shown(error).replace(&root.display().to_string(), "ROOT"))
}

fn read(text: &str) -> Result<Experiment, String> {
    read_in(&project(), text.as_bytes())
}

/// The message for the whole file with one replacement.
fn refusal(from: &str, to: &str) -> String {
    assert_eq!(WHOLE.matches(from).count(), 1, "{from:?} stands in the file once");
    read(&WHOLE.replace(from, to)).expect_err("it must be refused")
}

#[test]
fn every_key_is_read() {
    let read = read(WHOLE).expect("it is right");
    assert_eq!(read.name, "phase4");
    assert_eq!(read.source, WHOLE);
    let target = read.target.expect("it has a target");
    assert_eq!(target.manifest, read.root.join("Cargo.toml"));
    assert_eq!((target.bin.as_str(), target.profile.as_str()), ("prover", "release"));
    assert!(read.cuda.expect("it has a toolchain").provision_python);
    assert_eq!(read.factors[1].changes, [Change::ArchiveHost, Change::Binary]);
    assert_eq!(read.factors[1].backend.as_deref(), Some("cuda"));
    assert_eq!(read.factors[2].lever.named_levels().expect("it has levels"), ["10", "12", "14"]);
    assert_eq!(read.factors[3].lever.levels(), 2);
    assert_eq!(read.commands[0].command.len(), 2);
    let choice =
        |levels: &[(&str, usize)]| levels.iter().map(|&(id, level)| (id.to_owned(), level)).collect::<Choice>();
    let arms = [
        choice(&[("A1", 1)]),
        choice(&[("A1", 1), ("W", 2)]),
        choice(&[("E", 1)]),
        choice(&[("A1", 1), ("B1", 1), ("W", 2), ("E", 1)]),
    ];
    assert_eq!(read.design, Design::List(arms.to_vec()));
    assert_eq!(read.benches[0].timeout, Some(Duration::from_mins(90)));
    assert_eq!(read.benches[1].metric, Metric::Phase("msm_h".into()));
    assert_eq!(read.benches[1].iterations, 1, "the default");
    assert_eq!((read.measure.looks, read.measure.seed), (vec![4, 6, 8], 7));
    assert_eq!((read.measure.alpha, read.measure.min_effect), (0.01, 0.01));
    assert_eq!(read.measure.max_time, Some(Duration::from_hours(4)));
}

#[test]
fn each_broken_rule_names_line_key_and_remedy() {
    let message = |(from, to): &(&str, &str)| format!("{from:?} -> {to:?}\n    {}", refusal(from, to));
    insta::assert_snapshot!(BROKEN.iter().map(message).collect::<Vec<_>>().join("\n"));
}

/// A part of the whole file and what stands there instead.
const BROKEN: &[(&str, &str)] = &[
    // The text itself.
    ("name = \"phase4\"", "name = phase4"),
    ("name = \"phase4\"\n", "name = \"phase4\"\nname = \"phase5\"\n"),
    ("schema = 1\n", ""),
    ("schema = 1\n", "schema = 2\ncolour = \"red\"\n"),
    ("schema = 1\n", "schema = \"1\"\n"),
    // Keys.
    ("expect =", "expects ="),
    ("metric = \"span\"", "metrik = \"span\""),
    ("max_time", "maximum_duration"),
    ("[toolchain.cuda]", "[toolchain.rocm]"),
    ("arch =", "archs ="),
    ("[[archive]]", "[archive]"),
    ("question = \"Which?\"\n", ""),
    ("package = \"groth16-prover\"\n", ""),
    ("metric = \"span\"\n", ""),
    ("min_effect = \"1%\"\n", ""),
    // Types.
    ("looks = [4, 6, 8]", "looks = 8"),
    ("looks = [4, 6, 8]", "looks = [4, \"6\"]"),
    ("levels = [\"1\", \"2\"]", "levels = [1, 2]"),
    ("min_effect = \"1%\"", "min_effect = 0.01"),
    ("min_effect = \"1%\"", "min_effect = \"0.01\""),
    ("max_time = \"4h\"", "max_time = \"4 hours\""),
    ("timeout = \"1h30m\"", "timeout = 90"),
    // The experiment's own values.
    ("name = \"phase4\"", "name = \"../phase4\""),
    ("manifest = \"Cargo.toml\"", "manifest = \"none/Cargo.toml\""),
    ("features = [\"cuda\"]", "features = [\"cuda\", \"cuda\"]"),
    ("features = [\"cuda\"]", "features = [\"cuda\", \"smallvec\"]"),
    ("version = \"13.0\"", "version = \"13\""),
    ("arch = [\"sm_90\"]", "arch = []"),
    ("arch = [\"sm_90\"]", "arch = [\"90\"]"),
    ("provision = \"python\"", "provision = \"apt\""),
    ("file = \"libgroth16_cuda.a\"", "file = \"\""),
    // Factors and commands.
    ("id = \"B1\"", "id = \"A1\""),
    ("id = \"B1\"", "id = \"base\""),
    ("id = \"B1\"", "id = \"A1+B1\""),
    ("id = \"B1\"", "id = \"\""),
    ("feature = \"host-pin\"", "feature = \"smallvec\""),
    ("feature = \"host-pin\"", "feature = \"a,b\""),
    ("feature = \"host-pin\"", "feature = \"host-pin\"\nlevels = [\"off\", \"on\"]"),
    ("feature = \"host-pin\"", "feature = \"host-pin\"\nenv = \"PIN\""),
    ("arg = \"--window\"", "arg = \"--window 12\""),
    ("env = \"RAYON_NUM_THREADS\"", "env = \"RAYON-THREADS\""),
    ("levels = [\"1\", \"2\"]", "levels = [\"1\"]"),
    ("levels = [\"1\", \"2\"]", "levels = [\"1\", \"1\"]"),
    ("levels = [\"1\", \"2\"]", "levels = [\"1\", \"2+3\"]"),
    ("levels = [\"1\", \"2\"]", "levels = [\"1\", \"2\"]\nchanges = [\"binary\"]"),
    ("changes = [\"binary\"]", "changes = [\"binari\"]"),
    ("changes = [\"binary\"]", "changes = []"),
    ("env = \"RAYON_NUM_THREADS\"", "env = \"ABLATE_SAMPLE\""),
    ("env = \"RAYON_NUM_THREADS\"", "env = \"RUSTFLAGS\""),
    ("env = \"RAYON_NUM_THREADS\"", "env = \"CARGO_PROFILE_RELEASE_LTO\""),
    ("feature = \"host-pin\"", "feature = \"default\""),
    ("id = \"bellperson\"", "id = \"A1\""),
    ("id = \"bellperson\"", "id = \"base\""),
    ("command = [\"peers/target/release/peer\", \"bellperson\"]", "command = []"),
    ("[[archive]]\npackage = \"groth16-cuda\"\nfile = \"libgroth16_cuda.a\"\n", ""),
    ("arg = \"--window\"", "arg = \"--iterations\""),
    // The design.
    ("kind = \"list\"", "kind = \"lists\""),
    ("kind = \"list\"", "kind = \"fraction\""),
    ("kind = \"list\"", "kind = \"full\""),
    ("\"A1+W=14\"", "\"A1+W=11\""),
    ("\"A1+W=14\"", "\"A1+W=10\""),
    ("\"A1+W=14\"", "\"A1+W\""),
    ("\"A1+W=14\"", "\"A1=on\""),
    ("\"A1+W=14\"", "\"A1+A1\""),
    ("\"A1+W=14\"", "\"A2\""),
    ("\"A1+W=14\"", "\"base\""),
    ("\"A1+W=14\"", "\"A1\""),
    ("arms = [\"A1\", \"A1+W=14\", \"E\", \"all\"]", ""),
    // Benches.
    ("name = \"lines\"", "name = \"prove\""),
    ("metric = \"span\"", "metric = \"Peak RSS\""),
    ("metric = \"span\"", "metric = \"total\"\nparse = \"process\""),
    ("metric = \"span\"", "metric = \"span\"\npattern = \"x\""),
    ("parse = \"regex\"", "parse = \"criterion\""),
    ("parse = \"regex\"", "parse = \"regexp\""),
    ("pattern = '(?<name>\\w+)_ms=(?<ms>\\d+)'", ""),
    ("pattern = '(?<name>\\w+)_ms=(?<ms>\\d+)'", "pattern = '(?<name>\\w+)_ms=(\\d+)'"),
    ("pattern = '(?<name>\\w+)_ms=(?<ms>\\d+)'", "pattern = '(?<name>'"),
    ("metric = \"msm_h\"", "metric = \"peak_rss\""),
    ("metric = \"msm_h\"", "metric = \"\""),
    ("metric = \"msm_h\"", "metric = \"a\\tb\""),
    ("iterations = 2", "iterations = 0"),
    (
        "args = [\"prove\", \"--backend\", \"cuda\"]",
        "args = [\"prove\", \"--backend\", \"cuda\", \"--iterations\", \"3\"]",
    ),
    ("args = [\"prove\", \"--backend\", \"cuda\"]", "args = [\"--iterations=3\", \"--backend\", \"cuda\"]"),
    ("parse = \"regex\"", "parse = \"regex\"\niterations = 3"),
    // Measuring.
    ("worker = \"process\"", "worker = \"resident\""),
    ("worker = \"process\"", "worker = \"thread\""),
    ("looks = [4, 6, 8]", "looks = []"),
    ("looks = [4, 6, 8]", "looks = [0, 6]"),
    ("looks = [4, 6, 8]", "looks = [-4]"),
    ("looks = [4, 6, 8]", "looks = [6, 6]"),
    ("alpha = 0.01", "alpha = 1"),
    ("alpha = 0.01", "alpha = nan"),
    ("min_effect = \"1%\"", "min_effect = \"0%\""),
    ("min_effect = \"1%\"", "min_effect = \"100%\""),
    ("seed = 7", "seed = -7"),
];

#[test]
fn names_and_looks_have_limits() {
    let named = |length: usize| WHOLE.replace("phase4", &"x".repeat(length));
    assert!(read(&named(80)).is_ok());
    let message = read(&named(300)).expect_err("too long for a folder");
    assert!(message.starts_with("./x.toml:2: name: ") && message.contains("300 characters, more than 80"), "{message}");
    let looks = |to: u32| WHOLE.replace("[4, 6, 8]", &format!("{:?}", (20..to).collect::<Vec<_>>()));
    assert_eq!(read(&looks(40)).expect("20 looks").measure.looks.len(), 20);
    let message = read(&looks(1000)).expect_err("980 looks");
    assert!(message.contains("measure.looks: 980 looks, more than 20") && message.len() < 200, "{message}");
}

/// The output names its phases as it likes, the protocol does not.
#[test]
fn a_metric_is_any_name_that_a_pattern_can_yield() {
    for metric in ["Work", "total time (ms)", "Größe", "1"] {
        let read = read(&WHOLE.replace("\"msm_h\"", &format!("{metric:?}"))).expect("any name");
        assert_eq!(read.benches[1].metric, Metric::Phase(metric.into()));
        let message = refusal("metric = \"span\"", &format!("metric = {metric:?}"));
        assert!(message.contains("is no metric"), "{message}");
    }
}

/// What is left of the total without a phase, where phases are known by their names.
#[test]
fn a_metric_may_leave_a_phase_out() {
    let read = read(&WHOLE.replace("metric = \"span\"", "metric = \"total-synthesis\"")).expect("a metric");
    assert_eq!(read.benches[0].metric, Metric::Rest("total-synthesis".into()));
    for metric in ["total-", "total-Work", "span-synthesis"] {
        let message = refusal("metric = \"span\"", &format!("metric = {metric:?}"));
        assert!(message.contains("is no metric"), "{message}");
    }
}

/// Whatever is missing or changed, the answer is an experiment or a message with file and line.
#[test]
fn a_damaged_file_never_panics() {
    let project = project();
    let bytes = WHOLE.as_bytes();
    // Every byte would take seconds.
    for at in (0..bytes.len()).step_by(11) {
        let without = [&bytes[..at], &bytes[at + 1..]].concat();
        let changed = [&bytes[..at], b"]", &bytes[at + 1..]].concat();
        for damaged in [&bytes[..at], &without, &changed] {
            if let Err(message) = read_in(&project, damaged) {
                let line = message.strip_prefix("./x.toml:").and_then(|rest| rest.split(':').next());
                assert!(line.is_some_and(|line| line.parse::<u32>().is_ok()), "{message}");
            }
        }
    }
    let message = read_in(&project, b"\xff\xfe").expect_err("it is no text");
    assert_eq!(message, "cannot read experiment ./x.toml");
}

#[test]
fn only_commands_need_a_command_named_base() {
    let text = "schema = 1\nname = \"x\"\nquestion = \"?\"\n\n[[arm]]\nid = \"sleep\"\ncommand = [\"sleep\", \"0.1\"]\n\n\
                [[bench]]\nname = \"b\"\nparse = \"process\"\nmetric = \"span\"\n\n[measure]\nlooks = [8]\nmin_effect = \"5%\"\n";
    let message = read(text).expect_err("base is missing");
    assert!(message.contains("[[arm]] with id = \"base\""), "{message}");
    let text = text.replace("[[bench]]", "[[arm]]\nid = \"base\"\ncommand = [\"true\"]\n\n[[bench]]");
    let experiment = read(&text).expect("base is a command");
    assert_eq!((experiment.target, experiment.design), (None, Design::AddOne));
}

#[test]
fn a_feature_without_a_target() {
    let text = WHOLE.replace("[target]", "").replace(
        "manifest = \"Cargo.toml\"\npackage = \"groth16-prover\"\nbin = \"prover\"\nfeatures = [\"cuda\"]\n",
        "",
    );
    let message = read(&text).expect_err("it must be refused");
    assert_eq!(
        message,
        "./x.toml:15: factor[0].feature: a feature needs a [target] to be built in; add one with its `package`"
    );
}

#[test]
fn the_root_is_the_nearest_manifest_or_the_named_folder() {
    let outer = tempfile::tempdir().expect("a temporary folder");
    let inner = outer.path().join("inner");
    fs::create_dir_all(inner.join("experiments")).expect("a folder is made");
    for manifest in [outer.path().join("Cargo.toml"), inner.join("Cargo.toml")] {
        fs::write(manifest, "").expect("a file is written");
    }
    let file = inner.join("experiments/x.toml");
    fs::write(&file, WHOLE).expect("a file is written");
    let real = |path: &std::path::Path| path.canonicalize().expect("it exists");
    assert_eq!(load(&file, None).expect("it is right").root, real(&inner));
    assert_eq!(load(&file, Some(outer.path())).expect("it is right").root, real(outer.path()));
}

/// The whole file with something added to factor E.
fn with_wish(wish: &str) -> Result<Experiment, String> {
    read(&WHOLE.replace("levels = [\"1\", \"2\"]", &format!("levels = [\"1\", \"2\"]\n{wish}")))
}

#[test]
fn factors_may_require_and_refuse_each_other() {
    let read = with_wish("requires = [\"A1\", \"W=14\"]\nconflicts = [\"B1\"]").expect("it is right");
    let constraint = |ask, other: &str, level| Constraint { factor: "E".into(), ask, other: other.into(), level };
    let expected = [
        constraint(Ask::Requires, "A1", None),
        constraint(Ask::Requires, "W", Some(2)),
        constraint(Ask::Conflicts, "B1", None),
    ];
    assert_eq!(read.constraints, expected);
    for (wish, text) in [
        ("requires = [\"A2\"]", "factor[3].requires[0]: no factor has the id `A2`; did you mean `A1`?"),
        ("requires = [\"E\"]", "factor[3].requires[0]: `E` names itself; name another factor"),
        ("conflicts = [\"A1\", \"W=11\"]", "factor[3].conflicts[1]: factor `W` has no level `11`; it has 10, 12, 14"),
        (
            "conflicts = [\"W=10\"]",
            "factor[3].conflicts[0]: `W=10` is the level of base; name another, or say the opposite",
        ),
        ("conflicts = [\"A1=on\"]", "factor[3].conflicts[0]: `A1` is a feature, off or on: write `A1` alone"),
        (
            "requires = [\"A1\"]\nconflicts = [\"A1\"]",
            "factor[3].conflicts[0]: `E` cannot both require `A1` and conflict with it",
        ),
    ] {
        let message = with_wish(wish).expect_err("it must be refused");
        assert!(message.ends_with(text) && message.starts_with("./x.toml:"), "{message}");
    }
}

#[test]
fn designs_are_read_by_their_names() {
    let list = "kind = \"list\"\narms = [\"A1\", \"A1+W=14\", \"E\", \"all\"]";
    let two_levels = WHOLE.replace("levels = [\"10\", \"12\", \"14\"]", "levels = [\"10\", \"12\"]");
    let design = |text: &str| read(&two_levels.replace(list, text)).map(|read| read.design);
    assert_eq!(design("kind = \"fraction\"\nfraction = \"half\""), Ok(Design::Fraction(Fraction::Half)));
    assert_eq!(design("kind = \"fraction\"\nfraction = \"quarter\""), Ok(Design::Fraction(Fraction::Quarter)));
    assert_eq!(design("kind = \"leave-one-out\""), Ok(Design::LeaveOneOut));
    assert_eq!(design("kind = \"add-and-leave\""), Ok(Design::AddAndLeave));
    for (text, message) in [
        ("kind = \"fraction\"", "design.fraction: say how much of the full design to run: \"half\" or \"quarter\""),
        ("kind = \"fraction\"\nfraction = \"hälf\"", "unknown fraction `hälf`; did you mean `half`?"),
        (
            "kind = \"full\"\nfraction = \"half\"",
            "design.fraction: only kind = \"fraction\" has one; leave the key out",
        ),
        (
            "kind = \"add-and-leave\"\narms = [\"A1\"]",
            "design.arms: only kind = \"list\" names its arms; leave the key out",
        ),
    ] {
        let refused = design(text).expect_err("it must be refused");
        assert!(refused.ends_with(message), "{refused}");
    }
    let refused =
        read(&WHOLE.replace(list, "kind = \"fraction\"\nfraction = \"half\"")).expect_err("W has three levels");
    assert!(refused.contains("a fraction is made of factors of two levels, and W has 3"), "{refused}");
}
