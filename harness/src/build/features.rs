//! Whether the target has everything the experiment names: package, binary and features. Asked before any build.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::experiment::{Experiment, Lever, Target};

/// What is known of the target before it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// The lock file, whether it is there or not.
    pub lock_file: PathBuf,
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
    let metadata = MetadataCommand::new()
        .manifest_path(&target.manifest)
        .current_dir(&experiment.root)
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
    Ok(Workspace { lock_file: metadata.workspace_root.join("Cargo.lock").into() })
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
