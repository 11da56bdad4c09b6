//! Arms that are one and the same process.

use crate::record::{Role, RunArm};

/// Merges arms whose executable, arguments and environment are all equal: every later one is measured through the
/// first. The A/A pair never is, nor is an arm without an executable. Gives back a notice for each merged arm.
pub fn merge(arms: &mut [RunArm]) -> Vec<String> {
    let mut notices = Vec::new();
    for index in 0..arms.len() {
        let (before, rest) = arms.split_at_mut(index);
        let arm = &mut rest[0];
        if arm.role == Role::BaseAgain || !runs(arm) {
            continue;
        }
        let twin = before.iter().find(|other| {
            other.role != Role::BaseAgain && other.same_as.is_none() && runs(other) && same_process(other, arm)
        });
        if let Some(twin) = twin {
            notices.push(format!(
                "{} is {}: executable, arguments and environment are equal; measured once",
                arm.id, twin.id
            ));
            arm.same_as = Some(twin.id.clone());
        }
    }
    notices
}

fn runs(arm: &RunArm) -> bool {
    arm.binary.is_some() || !arm.command.is_empty()
}

fn same_process(one: &RunArm, other: &RunArm) -> bool {
    one.binary == other.binary && one.command == other.command && one.args == other.args && one.env == other.env
}
