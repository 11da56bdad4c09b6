//! Arms for tests of the record.

use std::collections::BTreeMap;

use super::{Role, RunArm};

/// An arm without a build.
pub(super) fn arm(id: &str, role: Role) -> RunArm {
    RunArm {
        id: id.to_owned(),
        role,
        levels: BTreeMap::new(),
        features: Vec::new(),
        implied: Vec::new(),
        args: Vec::new(),
        env: BTreeMap::new(),
        command: Vec::new(),
        binary: None,
        program: None,
        same_as: None,
        stamp: None,
    }
}
