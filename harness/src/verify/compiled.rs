//! How often the packages with archives were compiled, as cargo's messages have it.

use std::collections::{BTreeMap, BTreeSet};

use crate::experiment::Experiment;
use crate::record::{Build, BuiltArchive, Role, RunArm};

/// A sentence for each package with an archive, such as `groth16-cuda was compiled 8 times for 32 arms, which have 8 distinct
/// archives`; before them, where it is so, that nothing at all was compiled.
pub fn compiled(experiment: &Experiment, arms: &[RunArm], builds: &[Build]) -> Vec<String> {
    let nothing = !builds.is_empty() && builds.iter().all(|build| build.compiled.is_empty());
    let nothing = nothing.then(|| "nothing was compiled".to_owned());
    let packages: BTreeSet<&str> = experiment.archives.iter().map(|archive| archive.package.as_str()).collect();
    nothing.into_iter().chain(packages.into_iter().filter_map(|package| sentence(package, arms, builds))).collect()
}

/// `None` where no build has an archive of the package.
fn sentence(package: &str, arms: &[RunArm], builds: &[Build]) -> Option<String> {
    let of_package = |archive: &&BuiltArchive| archive.package == package;
    let with: Vec<(&Build, &BuiltArchive)> =
        builds.iter().filter_map(|build| Some((build, build.archives.iter().find(of_package)?))).collect();
    if with.is_empty() {
        return None;
    }
    let mut by_place: BTreeMap<&str, usize> = BTreeMap::new();
    for (build, archive) in &with {
        if build.compiled.iter().any(|name| name.split(' ').next() == Some(package)) {
            *by_place.entry(&archive.path).or_default() += 1;
        }
    }
    let users = with.iter().flat_map(|(build, _)| &build.arms);
    let is_twin = |id: &str| arms.iter().any(|arm| arm.id == id && arm.role == Role::BaseAgain);
    let users = users.filter(|id| !is_twin(id)).count();
    let distinct: BTreeSet<_> = with.iter().map(|(_, archive)| (&archive.host, &archive.device_all)).collect();
    let times = match by_place.values().sum() {
        0 => "not compiled".to_owned(),
        1 => "compiled once".to_owned(),
        several => format!("compiled {several} times"),
    };
    let again = match by_place.values().filter(|&&times| times > 1).count() {
        0 => String::new(),
        folders => format!("; the same one more than once in {folders} of cargo's build folders"),
    };
    let (users, distinct) = (count(users, "arm"), count(distinct.len(), "distinct archive"));
    Some(format!("{package} was {times} for {users} with {distinct}{again}"))
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Archive;
    use crate::verify::tests::{arm, experiment};

    /// A build of one arm, whose archive has the code `host` and lies in the folder `path`.
    fn build(id: &str, compiled: &[&str], path: &str, host: &str) -> Build {
        let archive = BuiltArchive {
            package: "k-sys".into(),
            file: "libk.a".into(),
            path: path.into(),
            raw: host.into(),
            host: host.into(),
            device: BTreeMap::new(),
            device_all: String::new(),
            stamp: None,
        };
        Build {
            arms: vec![id.into()],
            features: Vec::new(),
            compiled: compiled.iter().map(|&name| name.to_owned()).collect(),
            fresh_count: 0,
            rebuilt: true,
            raw: id.into(),
            size_bytes: 1,
            ns: 1,
            command: Vec::new(),
            archives: vec![archive],
        }
    }

    fn said(builds: &[Build]) -> Vec<String> {
        let arms: Vec<RunArm> = ["base", "A", "B", "A+B"].iter().map(|id| arm(id, &[], "0")).collect();
        let mut experiment = experiment(&[]);
        experiment.archives = vec![Archive { package: "k-sys".into(), file: "libk.a".into() }];
        compiled(&experiment, &arms, builds)
    }

    #[test]
    fn compilations_are_counted_by_package_and_place() {
        let both: &[&str] = &["k-sys 0.1.0", "p 0.1.0"];
        let four = |a: &[&str], last: &[&str]| {
            said(&[
                build("base", both, "1", "h"),
                build("A", a, "1", "h"),
                build("B", both, "2", "H"),
                build("A+B", last, "2", "H"),
            ])
        };
        assert_eq!(four(&["p 0.1.0"], &[]), ["k-sys was compiled 2 times for 4 arms with 2 distinct archives"]);
        assert_eq!(
            four(both, both),
            [
                "k-sys was compiled 4 times for 4 arms with 2 distinct archives; the same one more than once in 2 of cargo's \
              build folders"
            ]
        );
    }

    #[test]
    fn that_nothing_was_compiled_is_said() {
        let said_of = |compiled: &[&str]| said(&[build("base", compiled, "1", "h")]);
        assert_eq!(said_of(&[]), ["nothing was compiled", "k-sys was not compiled for 1 arm with 1 distinct archive"]);
        assert_eq!(said_of(&["k 0.1.0"]), ["k-sys was not compiled for 1 arm with 1 distinct archive"]);
        assert_eq!(said_of(&["k-sys 1.0.0"]), ["k-sys was compiled once for 1 arm with 1 distinct archive"]);
        assert_eq!(said(&[]), [""; 0]);
    }
}
