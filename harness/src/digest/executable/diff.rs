//! Which functions, data and kernels of two executables differ.

use std::collections::BTreeMap;

use super::super::Difference;
use super::super::diff::{How, images};
use super::{ExecutableDigest, Part};

/// What stands for the executable where a difference names a member.
const WHOLE: &str = "the executable";

/// Every part that differs, by name. Data without a name are taken together. Empty where the digests are equal.
pub fn differences(one: &ExecutableDigest, other: &ExecutableDigest) -> Vec<Difference> {
    if one.binary == other.binary {
        return Vec::new();
    }
    let difference = |part: Option<String>, how| Difference { member: WHOLE.to_owned(), arch: None, part, how };
    let (before, after) = (by_name(&one.parts), by_name(&other.parts));
    let mut found = Vec::new();
    for name in before.keys().chain(after.keys().filter(|name| !before.contains_key(*name))) {
        let how = match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) if before == after => continue,
            (Some(_), Some(_)) => How::Changed,
            (Some(_), None) => How::Removed,
            (None, _) => How::Added,
        };
        found.push(difference(Some(if name.is_empty() { "data without a name" } else { name }.to_owned()), how));
    }
    images(WHOLE, &one.images, &other.images, &mut found);
    if found.is_empty() {
        found.push(difference(Some("which of several functions of one name is called".to_owned()), How::Changed));
    }
    found
}

/// Parts of one name together, sorted.
fn by_name(parts: &[Part]) -> BTreeMap<&str, Vec<&Part>> {
    let mut named: BTreeMap<&str, Vec<&Part>> = BTreeMap::new();
    for part in parts {
        named.entry(&part.name).or_default().push(part);
    }
    named
}
