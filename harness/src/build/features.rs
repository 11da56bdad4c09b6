//! Whether the target has everything the experiment names: package, binary and features. Asked before any build.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::experiment::{Experiment, Lever, Target};

/// What is known of the target before it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Its folder, in which cargo is started.
    pub root: PathBuf,
    /// The folders of its packages.
    pub packages: Vec<PathBuf>,
    /// The lock file, whether it is there or not.
    pub lock_file: PathBuf,
    /// Where the project builds.
    pub target_folder: PathBuf,
    /// What the features of the target's package turn on.
    pub features: FeatureTable,
}

/// What the features of a package turn on in itself and in its dependencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureTable {
    /// As in Cargo.toml: feature to what it turns on.
    features: BTreeMap<String, Vec<String>>,
    /// Packages by the name that Cargo.toml gives them, where that is another.
    renamed: BTreeMap<String, String>,
}

impl FeatureTable {
    /// From features and what each turns on, with no package renamed.
    #[cfg(test)]
    pub(crate) fn new(features: BTreeMap<String, Vec<String>>) -> Self {
        Self { features, renamed: BTreeMap::new() }
    }

    fn of(package: &Package) -> Self {
        let renamed = package.dependencies.iter();
        let renamed = renamed.filter_map(|other| Some((other.rename.clone()?, other.name.clone()))).collect();
        let features = package.features.iter().map(|(name, on)| (name.clone(), on.clone())).collect();
        Self { features, renamed }
    }

    /// Whether a feature turns on others of its own package.
    pub fn turns_on_others(&self, feature: &str) -> bool {
        self.features.get(feature).is_some_and(|on| on.iter().any(|other| self.features.contains_key(other)))
    }

    /// The features of `package`, a direct dependency, that a list of features turns on; `default` always counts.
    /// What a dependency turns on by itself is not known here.
    pub fn forwarded(&self, on: &[String], package: &str) -> BTreeSet<String> {
        let mut waiting: Vec<&str> = on.iter().map(String::as_str).chain(["default"]).collect();
        let mut seen = BTreeSet::new();
        let mut forwarded = BTreeSet::new();
        while let Some(feature) = waiting.pop() {
            if !seen.insert(feature) {
                continue;
            }
            if let Some((dependency, name)) = feature.split_once('/') {
                let dependency = dependency.trim_end_matches('?');
                if self.renamed.get(dependency).map_or(dependency, String::as_str) == package {
                    forwarded.insert(name.to_owned());
                }
            }
            waiting.extend(self.features.get(feature).into_iter().flatten().map(String::as_str));
        }
        forwarded
    }
}

/// Asks cargo about the target and checks package, binary and every feature against its answer.
pub fn check(experiment: &Experiment, target: &Target) -> Result<Workspace> {
    if !target.manifest.is_file() {
        bail!(
            "{}: target.manifest: there is no {}; name the Cargo.toml of the program to build",
            experiment.file.display(),
            target.manifest.display()
        );
    }
    // As a person who stands in the target's folder: its toolchain file and cargo configuration count, not those of the
    // folder that the experiment lies in.
    let metadata = MetadataCommand::new()
        .manifest_path(&target.manifest)
        .current_dir(target.manifest.parent().unwrap_or(&experiment.root))
        .no_deps()
        .exec()
        .map_err(|error| anyhow!("{}", error.to_string().trim()))
        .with_context(|| format!("cargo cannot read {}", target.manifest.display()))?;
    let package = package(experiment, target, &metadata)?;
    check_bin(experiment, target, package)?;
    for feature in &target.features {
        check_feature(package, feature).with_context(|| format!("{}: target.features", experiment.file.display()))?;
    }
    for factor in &experiment.factors {
        if let Lever::Feature(feature) = &factor.lever {
            check_feature(package, feature)
                .with_context(|| format!("{}: factor {}", experiment.file.display(), factor.id))?;
        }
    }
    let folder = |package: &Package| package.manifest_path.parent().map(Into::into);
    Ok(Workspace {
        root: metadata.workspace_root.clone().into(),
        packages: metadata.packages.iter().filter_map(folder).collect(),
        lock_file: metadata.workspace_root.join("Cargo.lock").into(),
        target_folder: metadata.target_directory.clone().into(),
        features: FeatureTable::of(package),
    })
}

fn package<'a>(experiment: &Experiment, target: &Target, metadata: &'a Metadata) -> Result<&'a Package> {
    metadata.packages.iter().find(|package| package.name.as_str() == target.package).ok_or_else(|| {
        let names = metadata.packages.iter().map(|package| package.name.as_str());
        anyhow!(
            "{}: target.package: {} has no package `{}`{}",
            experiment.file.display(),
            target.manifest.display(),
            target.package,
            suggestion(&target.package, names)
        )
    })
}

fn check_bin(experiment: &Experiment, target: &Target, package: &Package) -> Result<()> {
    let bins = || package.targets.iter().filter(|target| target.is_bin()).map(|target| target.name.as_str());
    if bins().any(|name| name == target.bin) {
        return Ok(());
    }
    bail!(
        "{}: target.bin: package `{}` has no binary `{}`{}",
        experiment.file.display(),
        target.package,
        target.bin,
        suggestion(&target.bin, bins())
    )
}

/// `dependency/feature` is left to cargo: what a dependency has is not known without resolving.
fn check_feature(package: &Package, feature: &str) -> Result<()> {
    if package.features.contains_key(feature) || feature.contains('/') {
        return Ok(());
    }
    let known = package.features.keys().map(String::as_str);
    bail!("package `{}` has no feature `{feature}`{}", package.name, suggestion(feature, known))
}

/// The nearest of some names, or all of them where none is near.
fn suggestion<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let distance = |name: &&&str| strsim::damerau_levenshtein(wanted, name);
    match known.iter().min_by_key(distance) {
        None => "; it has none".to_owned(),
        Some(nearest) if distance(&nearest) <= 1 + wanted.len() / 3 => format!("; did you mean `{nearest}`?"),
        Some(_) => format!("; it has {}", known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_reach_a_dependency_through_others_and_under_another_name() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        let table = FeatureTable {
            features: [
                ("default", list(&["small"])),
                ("small", list(&["gpu/small"])),
                ("pin", list(&["dep:gpu", "more"])),
                ("more", list(&["gpu?/host-pin", "other/host-pin", "pin"])),
            ]
            .map(|(name, on)| (name.to_owned(), on))
            .into(),
            renamed: [("gpu".to_owned(), "groth16-cuda".to_owned())].into(),
        };
        let forwarded = |on: &[&str], package| Vec::from_iter(table.forwarded(&list(on), package));
        assert_eq!(forwarded(&[], "groth16-cuda"), ["small"]);
        assert_eq!(forwarded(&["pin"], "groth16-cuda"), ["host-pin", "small"]);
        assert_eq!(forwarded(&["pin", "unknown"], "other"), ["host-pin"]);
        assert_eq!(forwarded(&["gpu/direct"], "groth16-cuda"), ["direct", "small"]);
        assert_eq!(forwarded(&["pin"], "gpu"), Vec::<String>::new());
    }
}
