//! Which members, sections, functions and kernels of two archives differ.

use std::collections::BTreeMap;
use std::fmt;

use super::{ArchiveDigest, ImageDigest, MemberDigest, NamedDigest};

/// One part that is not the same in two archives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The member it is in.
    pub member: String,
    /// The architecture, for GPU code.
    pub arch: Option<String>,
    /// What it is: the name of a function, an object, a section or a kernel. `None`: the whole member or image.
    pub part: Option<String>,
    /// How it differs.
    pub how: How,
}

/// How a part differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It is in both, with another content.
    Changed,
    /// Only the second archive has it.
    Added,
    /// Only the first has it.
    Removed,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(part) = &self.part {
            write!(f, "{part} ")?;
        }
        if let Some(arch) = &self.arch {
            write!(f, "for {arch} ")?;
        }
        let how = match self.how {
            How::Changed => "changed",
            How::Added => "added",
            How::Removed => "removed",
        };
        write!(f, "in {} {how}", self.member)
    }
}

/// Every part that differs, member by member. Empty where host and device digests are equal.
pub fn differences(one: &ArchiveDigest, other: &ArchiveDigest) -> Vec<Difference> {
    if one.host == other.host && one.device_all == other.device_all {
        return Vec::new();
    }
    let (before, after) = (by_name(&one.members), by_name(&other.members));
    let mut found = Vec::new();
    for (name, change) in changes(&before, &after) {
        match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) => member(name, before, after, &mut found),
            _ => found.push(Difference { member: name.clone(), arch: None, part: None, how: change }),
        }
    }
    if found.is_empty() {
        let all = "the archive, in the order of its members,".to_owned();
        found.push(Difference { member: all, arch: None, part: None, how: How::Changed });
    }
    found
}

/// Members by name; those of one name are numbered.
fn by_name(members: &[MemberDigest]) -> BTreeMap<String, &MemberDigest> {
    let mut named = BTreeMap::new();
    for member in members {
        let mut name = member.name.clone();
        let mut number = 1;
        while named.contains_key(&name) {
            number += 1;
            name = format!("{} ({number})", member.name);
        }
        named.insert(name, member);
    }
    named
}

/// Keys whose values differ, in order.
fn changes<'a, V: PartialEq>(
    before: &'a BTreeMap<String, V>,
    after: &'a BTreeMap<String, V>,
) -> impl Iterator<Item = (&'a String, How)> {
    let changed = before.iter().filter_map(|(key, value)| match after.get(key) {
        None => Some((key, How::Removed)),
        Some(other) if other != value => Some((key, How::Changed)),
        Some(_) => None,
    });
    changed.chain(after.keys().filter(|key| !before.contains_key(*key)).map(|key| (key, How::Added)))
}

fn member(name: &str, before: &MemberDigest, after: &MemberDigest, found: &mut Vec<Difference>) {
    let difference =
        |part: Option<&String>, how| Difference { member: name.to_owned(), arch: None, part: part.cloned(), how };
    if before.host != after.host {
        let start = found.len();
        found.extend(changes(&before.symbols, &after.symbols).map(|(part, how)| difference(Some(part), how)));
        if found.len() == start {
            let (before, after) = (by_part(&before.sections), by_part(&after.sections));
            found.extend(changes(&before, &after).map(|(part, how)| difference(Some(part), how)));
        }
        if found.len() == start {
            found.push(difference(None, How::Changed));
        }
    }
    images(name, &before.images, &after.images, found);
}

/// The GPU code that differs, under the member's name.
pub(super) fn images(name: &str, before: &[ImageDigest], after: &[ImageDigest], found: &mut Vec<Difference>) {
    let difference = |arch: &str, part: Option<&String>, how| Difference {
        member: name.to_owned(),
        arch: Some(arch.to_owned()),
        part: part.cloned(),
        how,
    };
    let (before, after) = (by_arch(before), by_arch(after));
    for (arch, how) in changes(&before, &after) {
        let start = found.len();
        if let (Some(before), Some(after)) = (before.get(arch), after.get(arch)) {
            let (before, after) = (by_part(&before.1), by_part(&after.1));
            found.extend(changes(&before, &after).map(|(part, how)| difference(arch, Some(part), how)));
        }
        if found.len() == start {
            found.push(difference(arch, None, how));
        }
    }
}

/// The digest of each part; parts of one name are taken together, in order.
fn by_part(parts: &[NamedDigest]) -> BTreeMap<String, String> {
    let mut named: BTreeMap<String, String> = BTreeMap::new();
    for part in parts {
        named.entry(part.name.clone()).or_default().push_str(&part.digest);
    }
    named
}

/// The images of each architecture: their digests and their parts.
fn by_arch(images: &[ImageDigest]) -> BTreeMap<String, (String, Vec<NamedDigest>)> {
    let mut archs: BTreeMap<String, (String, Vec<NamedDigest>)> = BTreeMap::new();
    for image in images {
        let (digest, parts) = archs.entry(image.arch.clone()).or_default();
        digest.push_str(&image.digest);
        parts.extend(image.kernels.iter().cloned());
    }
    archs
}
