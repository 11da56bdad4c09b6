//! Features of a native package that are on though nothing in the arm turns them on.

use std::collections::BTreeSet;

use super::Case;
use crate::build::features::FeatureTable;
use crate::experiment::Factor;
use crate::record::{Finding, FindingKind};

/// A finding for each arm in whose build a package of an archive has a feature on that belongs to a toggle which is off.
/// Features that the target's package forwards are known; what others turn on is what is looked for.
pub(super) fn findings(factors: &[Factor], cases: &[Case], table: &FeatureTable) -> Vec<Finding> {
    let mut findings = Vec::new();
    for case in cases {
        for native in &case.contents.natives {
            let expected = table.forwarded(&case.arm.features, &native.package);
            for factor in factors {
                let Some(feature) = factor.feature().filter(|feature| !has(&case.arm.features, feature)) else {
                    continue;
                };
                let off: BTreeSet<String> = table.forwarded(&[feature.to_owned()], &native.package);
                let leaked = off.difference(&expected).find(|name| native.features.contains(*name));
                findings.extend(leaked.map(|name| finding(case, factor, feature, &native.package, name)));
            }
        }
    }
    findings
}

fn has(features: &[String], feature: &str) -> bool {
    features.iter().any(|name| name == feature)
}

fn finding(case: &Case, factor: &Factor, feature: &str, package: &str, leaked: &str) -> Finding {
    Finding {
        kind: FindingKind::Leaking,
        arm: case.arm.id.clone(),
        evidence: format!(
            "feature `{leaked}` of package `{package}` is on in the build of {}, where factor {} is off and nothing that \
             the arm asks for turns it on",
            case.arm.id, factor.id
        ),
        remedy: format!(
            "another package of the build turns it on: `cargo tree -e features -i {package}` names the edge; take it out, \
             or forward the feature by `{feature}` alone"
        ),
    }
}
