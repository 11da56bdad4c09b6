//! The experiment file's own shape: what serde reads, before any rule is checked. Private to the loader.
//!
//! Integers are read as TOML's `i64`, so that a value out of range is refused by a rule that says what is accepted.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::values::{Length, Percentage};

/// The version of the file's format that this program reads.
pub(super) const SCHEMA: i64 = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct File {
    /// Checked before the rest is read, since another schema has other keys.
    #[serde(rename = "schema")]
    _schema: IgnoredAny,
    pub(super) name: String,
    pub(super) question: String,
    pub(super) expect: Option<String>,
    pub(super) target: Option<Target>,
    pub(super) toolchain: Option<Toolchain>,
    #[serde(default)]
    pub(super) factor: Vec<Factor>,
    #[serde(default)]
    pub(super) arm: Vec<Arm>,
    #[serde(default)]
    pub(super) archive: Vec<Archive>,
    pub(super) design: Option<Design>,
    pub(super) prepare: Option<Prepare>,
    #[serde(default)]
    pub(super) bench: Vec<Bench>,
    pub(super) measure: Measure,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Target {
    #[serde(default = "default_manifest")]
    pub(super) manifest: String,
    pub(super) package: String,
    /// The package's name unless given, as cargo does.
    pub(super) bin: Option<String>,
    #[serde(default)]
    pub(super) features: Vec<String>,
    #[serde(default = "default_profile")]
    pub(super) profile: String,
}

fn default_manifest() -> String {
    "Cargo.toml".into()
}

fn default_profile() -> String {
    "release".into()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Toolchain {
    pub(super) cuda: Option<Cuda>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Cuda {
    pub(super) version: String,
    pub(super) arch: Vec<String>,
    pub(super) provision: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Factor {
    pub(super) id: String,
    pub(super) feature: Option<String>,
    pub(super) arg: Option<String>,
    pub(super) env: Option<String>,
    pub(super) levels: Option<Vec<String>>,
    pub(super) changes: Option<Vec<String>>,
    pub(super) backend: Option<String>,
    pub(super) fact: Option<String>,
    #[serde(default)]
    pub(super) requires: Vec<String>,
    #[serde(default)]
    pub(super) conflicts: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Arm {
    pub(super) id: String,
    pub(super) command: Vec<String>,
    #[serde(default)]
    pub(super) build: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Archive {
    pub(super) package: String,
    pub(super) file: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Design {
    pub(super) kind: String,
    pub(super) arms: Option<Vec<String>>,
    pub(super) fraction: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Prepare {
    pub(super) args: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Bench {
    pub(super) name: String,
    #[serde(default)]
    pub(super) args: Vec<String>,
    pub(super) metric: String,
    #[serde(default = "default_parse")]
    pub(super) parse: String,
    pub(super) pattern: Option<String>,
    /// One, unless given.
    pub(super) iterations: Option<i64>,
    pub(super) timeout: Option<Length>,
    #[serde(default)]
    pub(super) arms: Vec<String>,
}

fn default_parse() -> String {
    "protocol".into()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct Measure {
    #[serde(default = "default_worker")]
    pub(super) worker: String,
    pub(super) looks: Vec<i64>,
    #[serde(default = "default_alpha")]
    pub(super) alpha: f64,
    pub(super) min_effect: Percentage,
    pub(super) max_time: Option<Length>,
    #[serde(default = "default_seed")]
    pub(super) seed: i64,
}

fn default_worker() -> String {
    "process".into()
}

fn default_alpha() -> f64 {
    0.05
}

fn default_seed() -> i64 {
    1
}
