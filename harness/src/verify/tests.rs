//! Findings from tables of digests, without a compiler.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::build::Again;
use crate::build::archives::Native;
use crate::build::features::FeatureTable;
use crate::digest::{ArchiveDigest, ImageDigest, MemberDigest, NamedDigest};
use crate::experiment::Change;
use crate::record::FindingKind::{Inert, Leaking, NotReproducible, Stale};
use crate::record::{Control, FindingKind, Provenance, Role};
use crate::stamp::ChangedInput;

const TWO_FACTORS: &str = r#"
    schema = 1
    name = "x"
    question = "?"
    target = { package = "p" }
    design = { kind = "full" }
    factor = [
        { id = "A", feature = "a", changes = ["binary"] },
        { id = "B", feature = "b", changes = ["binary"] },
    ]
    bench = [{ name = "b", metric = "span" }]
    measure = { looks = [20], min_effect = "1%" }
"#;

pub(super) fn experiment(changes: &[Change]) -> Experiment {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.toml");
    std::fs::write(&file, TWO_FACTORS).expect("written");
    std::fs::write(folder.path().join("Cargo.toml"), "").expect("written");
    let mut experiment = crate::experiment::load(&file, Some(folder.path())).expect("an experiment");
    experiment.factors.iter_mut().for_each(|factor| factor.changes = changes.to_vec());
    experiment
}

/// An arm and its build by digests: features, executable, then the archive's host and device code if it has one.
#[derive(Clone)]
struct Spec {
    features: Vec<String>,
    binary: &'static str,
    archive: Option<(&'static str, &'static str)>,
    stamp: Option<&'static str>,
    manifest: Option<&'static str>,
    executable_stamp: Option<&'static str>,
    path: &'static str,
    native_features: Vec<String>,
    changed: Vec<ChangedInput>,
    problem: Option<&'static str>,
    elsewhere: Option<&'static str>,
    outdated: Vec<String>,
    again: Vec<Again>,
}

fn spec(features: &[&str], binary: &'static str) -> Spec {
    Spec {
        features: owned(features),
        binary,
        archive: None,
        stamp: None,
        manifest: None,
        executable_stamp: None,
        path: "out/libk.a",
        native_features: Vec::new(),
        changed: Vec::new(),
        problem: None,
        elsewhere: None,
        outdated: Vec::new(),
        again: Vec::new(),
    }
}

/// With an archive in a folder and with features of its own, all stamps alike.
fn native(features: &[&str], binary: &'static str, host: &'static str, device: &'static str) -> Spec {
    let stamp = Some(if features.is_empty() { "stamp of base" } else { "stamp of a" });
    Spec {
        archive: Some((host, device)),
        stamp,
        manifest: stamp,
        executable_stamp: stamp,
        path: if features.is_empty() { "base/libk.a" } else { "a/libk.a" },
        native_features: owned(features),
        ..spec(features, binary)
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn digest(host: &str, device: &str, stamp: Option<&str>) -> ArchiveDigest {
    let image = ImageDigest {
        arch: "sm_90".into(),
        digest: device.into(),
        kernels: vec![NamedDigest { name: "kernel".into(), digest: device.into() }],
    };
    let member = MemberDigest {
        name: "k.o".into(),
        host: host.into(),
        sections: Vec::new(),
        symbols: [("function".to_owned(), host.to_owned())].into(),
        images: vec![image],
    };
    ArchiveDigest {
        raw: format!("{host}{device}"),
        host: host.into(),
        device: [("sm_90".to_owned(), device.to_owned())].into(),
        device_all: device.into(),
        members: vec![member],
        stamp: stamp.map(str::to_owned),
        notes: Vec::new(),
    }
}

impl Spec {
    fn contents(&self) -> Contents {
        let native = self.archive.map(|(host, device)| Native {
            package: "k-sys".into(),
            file: "libk.a".into(),
            path: self.path.into(),
            features: self.native_features.iter().cloned().collect::<BTreeSet<_>>(),
            digest: match self.problem {
                Some(problem) => Err(problem.to_owned()),
                None => Ok(Arc::new(digest(host, device, self.stamp))),
            },
            manifest: self.manifest.map(str::to_owned),
            changed: self.changed.clone(),
            elsewhere: self.elsewhere.map(Into::into),
            inputs: Vec::new(),
            manifest_text: None,
        });
        Contents {
            natives: native.into_iter().collect(),
            stamp: self.executable_stamp.map(str::to_owned),
            executable: None,
            outdated: self.outdated.clone(),
            again: self.again.clone(),
        }
    }

    fn arm(&self) -> RunArm {
        let id = self.features.join("+").to_uppercase();
        arm(if id.is_empty() { "base" } else { &id }, &self.features, self.binary)
    }

    fn build(&self) -> Build {
        Build {
            arms: vec![self.arm().id],
            features: self.features.clone(),
            compiled: Vec::new(),
            fresh_count: 0,
            rebuilt: true,
            raw: self.binary.into(),
            binary: None,
            size_bytes: 1,
            ns: 1,
            command: owned(&["cargo", "build", "--release", "--target-dir", "t/ablate"]),
            archives: Vec::new(),
        }
    }
}

pub(super) fn arm(id: &str, features: &[String], binary: &str) -> RunArm {
    let role = if id == "base" { Role::Base } else { Role::Combination };
    RunArm {
        features: features.to_vec(),
        binary: (!binary.is_empty()).then(|| binary.to_owned()),
        ..RunArm::new(id, role)
    }
}

fn all(changes: &[Change], specs: &[Spec], table: &[(&str, &[&str])]) -> Vec<Finding> {
    let arms: Vec<RunArm> = specs.iter().map(Spec::arm).collect();
    let made: Vec<&Spec> = specs.iter().filter(|spec| !spec.binary.is_empty()).collect();
    let table = table.iter().map(|(name, on)| ((*name).to_owned(), owned(on)));
    let built = Built {
        builds: made.iter().map(|spec| spec.build()).collect(),
        contents: made.iter().map(|spec| spec.contents()).collect(),
        features: FeatureTable::new(table.collect()),
        ..Built::default()
    };
    findings(&experiment(changes), &arms, &built)
}

fn found(changes: &[Change], specs: &[Spec]) -> Vec<(FindingKind, String)> {
    all(changes, specs, &[]).into_iter().map(|finding| (finding.kind, finding.arm)).collect()
}

fn inert(binaries: [&'static str; 4]) -> Vec<String> {
    let [base, a, b, both] = binaries;
    let specs = [spec(&[], base), spec(&["a"], a), spec(&["b"], b), spec(&["a", "b"], both)];
    found(&[Change::Binary], &specs).into_iter().map(|(kind, arm)| format!("{} {arm}", kind.word())).collect()
}

#[test]
fn a_feature_is_inert_where_nothing_but_it_differs_and_the_binary_does_not() {
    let none: [&str; 0] = [];
    assert_eq!(inert(["0", "1", "2", "3"]), none);
    assert_eq!(inert(["0", "0", "2", "3"]), ["inert A"]);
    assert_eq!(inert(["0", "0", "2", "2"]), ["inert A", "inert A+B"], "inert beside base, and beside B");
    assert_eq!(inert(["0", "1", "1", "2"]), none, "A and B differ by two features");
    assert_eq!(inert(["0", "", "", "0"]), none, "what was not built is not compared");
}

#[test]
fn what_changed_against_what_is_declared() {
    use Change::{ArchiveDevice, ArchiveHost, Binary};
    let base = native(&[], "0", "h", "d");
    let table: [(&[Change], Spec, &[FindingKind]); 9] = [
        (&[ArchiveHost, Binary], native(&["a"], "1", "H", "d"), &[]),
        (&[ArchiveDevice, Binary], native(&["a"], "1", "h", "D"), &[]),
        (&[ArchiveHost, Binary], native(&["a"], "1", "h", "d"), &[Inert]),
        (&[ArchiveHost, Binary], native(&["a"], "1", "H", "D"), &[Leaking]),
        (&[ArchiveHost, Binary], native(&["a"], "1", "h", "D"), &[Inert, Leaking]),
        (&[Binary], native(&["a"], "1", "h", "D"), &[Leaking]),
        (&[Binary], native(&["a"], "0", "h", "d"), &[Inert]),
        (&[ArchiveHost], native(&["a"], "1", "H", "d"), &[Leaking]),
        (&[ArchiveHost, Binary], native(&["a"], "0", "H", "d"), &[Stale]),
    ];
    for (changes, on, expected) in table {
        let specs = [base.clone(), on];
        let kinds: Vec<FindingKind> = found(changes, &specs).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, expected, "{changes:?}: {:?}", all(changes, &specs, &[]));
    }
}

#[test]
fn archive_entries_of_changes_apply_only_where_there_is_an_archive() {
    let specs = [spec(&[], "0"), spec(&["a"], "1")];
    assert_eq!(found(&[Change::ArchiveHost, Change::Binary], &specs), []);
    assert_eq!(found(&[Change::ArchiveHost, Change::Binary], &[spec(&[], "0"), spec(&["a"], "0")]).len(), 1);
}

#[test]
fn evidence_names_what_differs_and_how_far_the_feature_came() {
    let changes = [Change::ArchiveHost, Change::Binary];
    let text = |on: Spec| {
        let findings = all(&changes, &[native(&[], "0", "h", "d"), on], &[]);
        findings
            .iter()
            .map(|finding| format!("{} / {}", finding.evidence, finding.remedy))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let inert = native(&["a"], "1", "h", "d");
    assert!(text(inert.clone()).contains("the feature reaches the compiler (the stamps differ)"));
    assert!(text(Spec { path: "base/libk.a", ..inert.clone() }).contains("does not reach it: forward it"));
    let stamp = Some("stamp of base");
    let unread = Spec { stamp, manifest: stamp, executable_stamp: stamp, ..inert.clone() };
    assert!(text(unread).contains("does not read the feature"));
    let unstamped = Spec { stamp: None, manifest: None, ..inert };
    assert!(text(unstamped).contains("the feature reaches package `k-sys`"));
    let leaking = text(native(&["a"], "1", "H", "D"));
    assert!(leaking.contains("archive-device changed from base to A"), "{leaking}");
    assert!(leaking.contains("kernel for sm_90 in k.o changed"), "{leaking}");
}

/// The arms of these cases, and their builds.
fn built(cases: &[Spec]) -> (Vec<RunArm>, Built) {
    let built = Built {
        builds: cases.iter().map(Spec::build).collect(),
        contents: cases.iter().map(Spec::contents).collect(),
        ..Built::default()
    };
    (cases.iter().map(Spec::arm).collect(), built)
}

#[test]
fn an_archive_is_stale_where_inputs_or_stamps_disagree() {
    let good = native(&[], "0", "h", "d");
    let changed = |exists| vec![ChangedInput { name: "cuda/k.cu".into(), path: "/w/cuda/k.cu".into(), exists }];
    let table = [
        (good.clone(), None),
        (Spec { changed: changed(true), ..good.clone() }, Some("cuda/k.cu (/w/cuda/k.cu) has another content")),
        (Spec { changed: changed(false), ..good.clone() }, Some("is gone")),
        (
            Spec { stamp: Some("of another archi"), ..good.clone() },
            Some("its stamp is of another archi, the manifest's"),
        ),
        (Spec { stamp: None, ..good.clone() }, Some("its stamp is none, the manifest's stamp of base")),
        (
            Spec { executable_stamp: Some("old"), ..good.clone() },
            Some("was not linked with base/libk.a: its stamp is old"),
        ),
        (Spec { executable_stamp: None, ..good.clone() }, Some("its stamp is none, the archive's stamp of base")),
        (Spec { stamp: None, manifest: None, executable_stamp: None, ..good.clone() }, None),
        (Spec { problem: Some("it has no members"), ..good }, Some("base/libk.a: it has no members")),
    ];
    for (case, expected) in table {
        let findings = all(&[Change::Binary], &[case], &[]);
        match (findings.as_slice(), expected) {
            ([], None) => {}
            ([finding], Some(expected)) => {
                assert_eq!(finding.kind, Stale);
                assert!(finding.evidence.contains(expected), "{}", finding.evidence);
                assert!(
                    finding.remedy.contains("`cargo clean --release -p k-sys --target-dir t/ablate`"),
                    "{}",
                    finding.remedy
                );
            }
            (found, _) => panic!("{expected:?}: {found:?}"),
        }
    }
}

#[test]
fn a_feature_of_the_native_package_that_nobody_asked_for_leaks() {
    let table: [(&str, &[&str]); 2] = [("a", &["k-sys/fast"]), ("default", &["k-sys/small"])];
    let on = |native_features: &[&str]| Spec { native_features: owned(native_features), ..native(&[], "0", "h", "d") };
    let found = |spec: Spec| all(&[Change::Binary], &[spec], &table);
    assert_eq!(found(on(&["small"])), []);
    let [finding] = found(on(&["small", "fast"])).try_into().expect("one");
    assert_eq!((finding.kind, finding.arm.as_str()), (Leaking, "base"));
    assert!(finding.evidence.contains("feature `fast` of package `k-sys` is on"), "{}", finding.evidence);
    assert!(finding.remedy.contains("`cargo tree -e features -i k-sys`"), "{}", finding.remedy);
    let asked = Spec { native_features: owned(&["small", "fast"]), ..native(&["a"], "1", "H", "d") };
    assert_eq!(found(asked), []);
}

#[test]
fn equal_processes_are_measured_once_and_the_twin_always() {
    let mut arms = vec![
        arm("base", &[], "0"),
        RunArm { role: Role::BaseAgain, ..arm("base-again", &[], "0") },
        arm("A", &owned(&["a"]), "0"),
        arm("B", &owned(&["b"]), "2"),
        arm("A+B", &owned(&["a", "b"]), "2"),
        RunArm { args: owned(&["--w", "2"]), ..arm("W", &[], "0") },
        RunArm { role: Role::Command, command: owned(&["x"]), ..arm("x", &[], "") },
        arm("unbuilt", &owned(&["c"]), ""),
        arm("unbuilt too", &owned(&["d"]), ""),
    ];
    let notices = merge(&mut arms);
    let merged: Vec<_> = arms.iter().filter_map(|arm| Some((arm.id.as_str(), arm.same_as.as_deref()?))).collect();
    assert_eq!(merged, [("A", "base"), ("A+B", "B")]);
    assert_eq!(notices.len(), 2);
}

fn control(differing: &[&str], kept: bool, allowed: bool) -> Control {
    Control {
        kept,
        moved_sources: true,
        compared: owned(&["binary"]),
        differing: owned(differing),
        untold: Vec::new(),
        allowed,
        ns: 1,
        command: Vec::new(),
    }
}

/// What is found of a base that was `rebuilt` or not, beside its control build.
fn of_control(base: &Spec, rebuilt: bool, control: Control) -> (Vec<FindingKind>, BTreeSet<String>) {
    let mut build = base.build();
    build.rebuilt = rebuilt;
    let provenance = Provenance { control: Some(control), ..Provenance::default() };
    let built = Built {
        builds: vec![build],
        contents: vec![base.contents()],
        provenance: Some(provenance),
        ..Built::default()
    };
    let found = findings(&experiment(&[Change::Binary]), &[base.arm()], &built);
    assert!(found.iter().all(|finding| finding.arm == "base"));
    (found.into_iter().map(|finding| finding.kind).collect(), notes(&built))
}

#[test]
fn a_control_build_that_differs_is_a_finding_for_base_or_a_note() {
    let base = native(&[], "0", "h", "d");
    let kinds = |rebuilt, control| of_control(&base, rebuilt, control).0;
    let none: [FindingKind; 0] = [];
    assert_eq!(kinds(true, control(&[], false, false)), none);
    assert_eq!(kinds(true, control(&["k in k.o changed"], false, false)), [NotReproducible]);
    assert_eq!(kinds(false, control(&["k in k.o changed"], true, false)), [NotReproducible], "as it was found first");
    assert_eq!(kinds(false, control(&["k in k.o changed"], false, false)), [Stale], "cargo found it up to date");
    let (found, notes) = of_control(&base, true, control(&["k in k.o changed"], false, true));
    assert_eq!(found, none);
    assert!(notes.iter().any(|note| note.contains("k in k.o changed") && note.contains("--allow")), "{notes:?}");
    let broken = Spec { problem: Some("it has no members"), ..base.clone() };
    let found = of_control(&broken, true, control(&["libk.a: it has no members"], false, false)).0;
    assert_eq!(found, [Stale], "one cause is found once");
}

#[test]
fn a_stale_base_is_told_with_what_cargo_could_be_told() {
    let base = Case { arm: &spec(&[], "0").arm(), build: &fresh(&spec(&[], "0")), contents: &Contents::default() };
    let remedy = |untold: &[&str]| {
        let control = Control { untold: owned(untold), ..control(&["main in the executable changed"], false, false) };
        control::finding(&base, &control, &[]).expect("a finding").remedy
    };
    assert!(remedy(&[]).contains("no build script names it: run `cargo clean --release --target-dir t/ablate`"));
    assert!(remedy(&["a", "b"]).contains("no build script names it (such as `a`, `b`): run"));
    assert!(remedy(&["a", "b", "c", "d", "e", "f"]).contains("(such as `a`, `b`, `c`, `d` and 2 more)"));
}

fn fresh(spec: &Spec) -> Build {
    Build { rebuilt: false, ..spec.build() }
}

#[test]
fn a_remedy_can_be_typed_as_it_stands() {
    let mut build = native(&[], "0", "h", "d").build();
    build.command = owned(&["cargo", "rustc", "--target-dir", "/my work/t", "--profile", "bench"]);
    assert_eq!(clean(&build, Some("k-sys")), "cargo clean --profile bench -p k-sys --target-dir '/my work/t'");
}

#[test]
fn what_was_built_again_from_nothing_is_stale_where_it_is_another_and_a_note_where_it_is_the_same() {
    let again = |changed: &[&str], differing: Option<&[&str]>| Again {
        path: "a/libk.a".into(),
        changed: owned(changed),
        differing: differing.map(owned),
    };
    let arm = |again: Again| Spec { manifest: None, again: vec![again], ..native(&["a"], "1", "H", "d") };
    let check = |again: Again| {
        let cases = [native(&[], "0", "h", "d"), arm(again)];
        let (arms, built) = built(&cases);
        let notes: Vec<String> = notes(&built).into_iter().collect();
        (findings(&experiment(&[Change::ArchiveHost, Change::Binary]), &arms, &built), notes)
    };
    let (found, notes) = check(again(&["k/k.h"], Some(&["libk.a: k in k.o changed"])));
    assert_eq!(found.iter().map(|finding| (finding.kind, finding.arm.as_str())).collect::<Vec<_>>(), [(Stale, "A")]);
    let evidence = "cargo found a/libk.a up to date; since it was made, k/k.h changed, and built from nothing it is another: \
                    libk.a: k in k.o changed";
    assert_eq!(found[0].evidence, evidence);
    assert!(notes.is_empty());

    let (found, notes) = check(again(&[], Some(&[])));
    assert!(found.is_empty());
    let note = "cargo found a/libk.a up to date; nothing tells what it was made from, so it was built again from nothing: it is the same";
    assert_eq!(notes, [note]);

    let (found, notes) = check(again(&["k/k.h"], None));
    assert!(found.is_empty());
    assert!(notes[0].contains("k/k.h changed, and since base comes out different every time"), "{notes:?}");
}

#[test]
fn an_executable_older_than_its_sources_is_stale_unless_its_archive_is_so_already() {
    let outdated = Spec { outdated: owned(&["a.rs", "b.rs", "c.rs", "d.rs", "e.rs"]), ..native(&[], "0", "h", "d") };
    let evidence = |spec: &Spec| {
        let (arms, built) = built(std::slice::from_ref(spec));
        let found = findings(&experiment(&[Change::Binary]), &arms, &built);
        assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [Stale]);
        found[0].evidence.clone()
    };
    assert!(evidence(&outdated).contains("since it was linked a.rs, b.rs, c.rs, d.rs, and 1 more changed"));
    assert!(evidence(&Spec { problem: Some("it has no members"), ..outdated }).contains("no members"));
}

#[test]
fn an_archive_of_another_checkout_is_stale_whatever_its_files_are() {
    let changed = vec![ChangedInput { name: "k/k.c".into(), path: "/b/k-sys/k.c".into(), exists: true }];
    let base = Spec { elsewhere: Some("/b/k-sys"), changed, ..native(&[], "0", "h", "d") };
    let [finding] = all(&[Change::Binary], &[base], &[]).try_into().expect("one");
    assert_eq!((finding.kind, finding.arm.as_str()), (Stale, "base"));
    assert!(finding.evidence.contains("base/libk.a was made from the sources in /b/k-sys"), "{}", finding.evidence);
    assert!(finding.remedy.contains("`cargo clean --release --target-dir t/ablate`"), "{}", finding.remedy);
}

#[test]
fn inputs_that_moved_are_named_and_many_are_counted() {
    let base = spec(&[], "0");
    let moved = (0..6).map(|at| format!("/p/src/{at}.rs").into()).collect();
    let built = Built { builds: vec![base.build()], contents: vec![base.contents()], moved, ..Built::default() };
    let found = findings(&experiment(&[Change::Binary]), &[base.arm()], &built);
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.kind, finding.arm.as_str()), (FindingKind::InputsMoved, "base"));
    assert!(finding.evidence.starts_with("/p/src/0.rs, /p/src/1.rs"), "{}", finding.evidence);
    assert!(finding.evidence.contains("and 2 more changed while"), "{}", finding.evidence);

    let provenance =
        Provenance { control: Some(control(&["k in k.o changed"], false, false)), ..Provenance::default() };
    let built = Built { provenance: Some(provenance), ..built };
    assert_eq!(
        findings(&experiment(&[Change::Binary]), &[base.arm()], &built).len(),
        1,
        "the control build is of others"
    );
}
