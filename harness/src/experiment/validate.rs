//! The rules that need nothing but the file and its root: wire types in, a checked [`Experiment`] out.
//!
//! What needs cargo (does the package have the feature?), the design (do the benches' arms exist?) or statistics (can the
//! looks decide anything?) is checked by those who know, before anything is built.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::error::Problem;
use super::{Archive, CudaToolchain, Experiment, Factor, Lever, Measure, Prepare, Target};
use super::{benches, choices, constraints, factors, together, wire};

/// A file's name has at most 255 bytes; time and number are added to it.
const LONGEST_NAME: usize = 80;

/// Each look costs power, and planning them costs time.
const MOST_LOOKS: usize = 20;

/// Checks every rule. The caller fills in `file` and `source`.
pub(super) fn experiment(wire: wire::File, root: PathBuf) -> Result<Experiment, Problem> {
    name(&wire.name)?;
    let target = wire.target.map(|target| checked_target(target, &root)).transpose()?;
    let asked = constraints::asked(&wire.factor);
    let factors = factors::factors(wire.factor)?;
    let constraints = constraints::constraints(&asked, &factors)?;
    target_has_what_factors_need(target.as_ref(), &factors)?;
    factors_leave_builds_alone(target.as_ref(), &factors)?;
    let commands = factors::commands(wire.arm, &factors, target.is_some())?;
    let design = choices::design(wire.design, &factors)?;
    let archives = archives(wire.archive)?;
    together::changes_are_looked_at(&factors, &archives)?;
    let benches = benches::benches(wire.bench)?;
    together::iterations_are_left_alone(&factors, &benches)?;
    Ok(Experiment {
        file: PathBuf::new(),
        source: String::new(),
        root,
        name: wire.name,
        question: wire.question,
        expect: wire.expect,
        target,
        cuda: wire.toolchain.and_then(|toolchain| toolchain.cuda).map(cuda).transpose()?,
        factors,
        commands,
        archives,
        constraints,
        design,
        prepare: wire.prepare.map(|prepare| Prepare { args: prepare.args }),
        benches,
        measure: measure(&wire.measure)?,
    })
}

/// Runs' folders are named after the experiment, so its name must be safe as a part of a path.
fn name(name: &str) -> Result<(), Problem> {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && name.chars().all(safe) && !name.starts_with(['.', '-']) {
        return match name.len() {
            0..=LONGEST_NAME => Ok(()),
            length => {
                let text = format!("runs' folders are named after it: {length} characters, more than {LONGEST_NAME}");
                Err(Problem::new("name", format!("{text}; shorten it")))
            }
        };
    }
    Err(Problem::new(
        "name",
        "runs' folders are named after it: use letters, digits, `-`, `_` and `.`, a letter or digit first",
    ))
}

fn checked_target(wire: wire::Target, root: &Path) -> Result<Target, Problem> {
    let manifest = root.join(&wire.manifest);
    if !manifest.is_file() {
        let text = format!(
            "no such file: {}; the path is relative to the project's root, the folder of the nearest Cargo.toml at or above the experiment (or -C DIR)",
            manifest.display()
        );
        return Err(Problem::new("target.manifest", text));
    }
    not_blank("target.package", &wire.package)?;
    not_blank("target.profile", &wire.profile)?;
    distinct("target.features", &wire.features)?;
    let bin = wire.bin.unwrap_or_else(|| wire.package.clone());
    not_blank("target.bin", &bin)?;
    Ok(Target { manifest, package: wire.package, bin, features: wire.features, profile: wire.profile })
}

fn target_has_what_factors_need(target: Option<&Target>, factors: &[Factor]) -> Result<(), Problem> {
    for (index, feature) in factors.iter().enumerate().filter_map(|(index, factor)| Some((index, factor.feature()?))) {
        let key = format!("factor[{index}].feature");
        match target {
            None => {
                return Err(Problem::new(key, "a feature needs a [target] to be built in; add one with its `package`"));
            }
            Some(target) if target.features.iter().any(|on| on == feature) => {
                let text =
                    format!("`{feature}` is on in every arm by target.features; take it out there to make it a factor");
                return Err(Problem::new(key, text));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Variables that only a build reads, by name or by how the name begins.
const OF_BUILDS: [&str; 7] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "NVCC_APPEND_FLAGS",
    "NVCC_PREPEND_FLAGS",
    "RUSTFLAGS",
];
const OF_BUILDS_BEGIN: [&str; 3] = ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_"];

/// A factor that is a variable is for the program. Flags of compilers would come too late for it: every level would run one
/// and the same build, and be found equivalent.
fn factors_leave_builds_alone(target: Option<&Target>, factors: &[Factor]) -> Result<(), Problem> {
    let of_builds =
        |name: &str| OF_BUILDS.contains(&name) || OF_BUILDS_BEGIN.iter().any(|begin| name.starts_with(begin));
    for (index, factor) in factors.iter().enumerate().filter(|_| target.is_some()) {
        if let Lever::Environment { name, .. } = &factor.lever
            && of_builds(name)
        {
            let text = format!(
                "`{name}` is read by builds, and the variable of a factor is set for a program that is built already: every \
                 level would run the same one; use a `feature`, or give each value an [[arm]] whose `build` sets it"
            );
            return Err(Problem::new(format!("factor[{index}].env"), text));
        }
    }
    Ok(())
}

fn cuda(wire: wire::Cuda) -> Result<CudaToolchain, Problem> {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !wire.version.split_once('.').is_some_and(|(major, minor)| number(major) && number(minor)) {
        let text = format!("`{}` is not a toolkit version; write major and minor, such as \"13.0\"", wire.version);
        return Err(Problem::new("toolchain.cuda.version", text));
    }
    if wire.arch.is_empty() {
        return Err(Problem::new("toolchain.cuda.arch", "name at least one architecture, such as [\"sm_90\"]"));
    }
    distinct("toolchain.cuda.arch", &wire.arch)?;
    for (index, arch) in wire.arch.iter().enumerate() {
        if !arch.strip_prefix("sm_").is_some_and(|rest| number(rest.trim_end_matches(['a', 'f']))) {
            let text = format!("`{arch}` is not an architecture; write it as nvcc does, such as \"sm_90\"");
            return Err(Problem::new(format!("toolchain.cuda.arch[{index}]"), text));
        }
    }
    match wire.provision.as_deref() {
        None | Some("python") => {}
        Some(other) => {
            let text = format!("unknown way `{other}`; write \"python\" to fetch nvcc as wheels, or leave the key out");
            return Err(Problem::new("toolchain.cuda.provision", text));
        }
    }
    Ok(CudaToolchain { version: wire.version, arch: wire.arch, provision_python: wire.provision.is_some() })
}

fn archives(wire: Vec<wire::Archive>) -> Result<Vec<Archive>, Problem> {
    wire.into_iter()
        .enumerate()
        .map(|(index, archive)| {
            not_blank(format!("archive[{index}].package"), &archive.package)?;
            not_blank(format!("archive[{index}].file"), &archive.file)?;
            Ok(Archive { package: archive.package, file: archive.file })
        })
        .collect()
}

fn measure(wire: &wire::Measure) -> Result<Measure, Problem> {
    match wire.worker.as_str() {
        "process" => {}
        "resident" => {
            return Err(Problem::new("measure.worker", "\"resident\" is not available yet; write \"process\""));
        }
        other => return Err(Problem::new("measure.worker", format!("unknown worker `{other}`; write \"process\""))),
    }
    if !(wire.alpha > 0.0 && wire.alpha < 1.0) {
        return Err(Problem::new("measure.alpha", format!("{} is not between 0 and 1; 0.05 is usual", wire.alpha)));
    }
    let min_effect = wire.min_effect.0;
    if !(min_effect > 0.0 && min_effect < 1.0) {
        return Err(Problem::new("measure.min_effect", "must lie between 0% and 100%, both excluded"));
    }
    let seed = u64::try_from(wire.seed)
        .map_err(|_| Problem::new("measure.seed", format!("{} is negative; write a whole number from 0", wire.seed)))?;
    let max_time = wire.max_time.map(|length| length.0);
    Ok(Measure { looks: looks(&wire.looks)?, alpha: wire.alpha, min_effect, max_time, seed })
}

fn looks(wire: &[i64]) -> Result<Vec<u32>, Problem> {
    if wire.is_empty() {
        let text = "no look means no verdict; name the numbers of blocks at which to judge, such as [16, 24]";
        return Err(Problem::new("measure.looks", text));
    }
    if wire.len() > MOST_LOOKS {
        let text =
            format!("{} looks, more than {MOST_LOOKS}; each costs power, and two or three are usual", wire.len());
        return Err(Problem::new("measure.looks", text));
    }
    let mut looks: Vec<u32> = Vec::new();
    for (index, &blocks) in wire.iter().enumerate() {
        let key = format!("measure.looks[{index}]");
        match u32::try_from(blocks) {
            Ok(blocks) if blocks >= 1 && looks.last().is_none_or(|&last| last < blocks) => looks.push(blocks),
            Ok(blocks) if blocks >= 1 => {
                return Err(Problem::new(
                    key,
                    format!("{blocks} does not come after {}; looks ascend", wire[index - 1]),
                ));
            }
            _ => {
                return Err(Problem::new(key, format!("{blocks} is no number of blocks; write a whole number from 1")));
            }
        }
    }
    Ok(looks)
}

/// Refuses a text of nothing but whitespace.
pub(super) fn not_blank(key: impl Into<String>, text: &str) -> Result<(), Problem> {
    if text.trim().is_empty() { Err(Problem::new(key, "must not be empty")) } else { Ok(()) }
}

/// Refuses a list that names something twice.
pub(super) fn distinct(key: &str, list: &[String]) -> Result<(), Problem> {
    let mut seen = HashMap::new();
    for (index, item) in list.iter().enumerate() {
        not_blank(format!("{key}[{index}]"), item)?;
        if seen.insert(item, index).is_some() {
            return Err(Problem::new(format!("{key}[{index}]"), format!("`{item}` stands here twice; once is enough")));
        }
    }
    Ok(())
}
