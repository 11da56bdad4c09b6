//! Where the numbers come from: the builds, the machine, the terms of the run.

use maud::{Markup, html};

use super::name;
use crate::record::{Build, Bundled, Stay};
use crate::report::format::{Unit, count};
use crate::report::text::{Text, visible};
use crate::report::view::View;
use crate::shell;

/// Each distinct build, with its digest.
pub(super) fn builds(view: &View) -> Markup {
    html! {
        @if !view.builds.is_empty() {
            section {
                h2 { "Builds" }
                p class="muted" {
                    "Executables run from a store under the name of their digest, so a label cannot be on another build’s times."
                }
                div class="scroll" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "arms" }
                                th scope="col" { "features" }
                                th scope="col" { "executable" }
                                th scope="col" class="n" { "compiled" }
                                th scope="col" class="n" { "fresh" }
                                th scope="col" { "digest" }
                                th scope="col" class="n" { "size" }
                                th scope="col" class="n" { "time" }
                            }
                        }
                        tbody { @for build in &view.builds { (build_row(build)) } }
                    }
                }
                (commands(view))
            }
        }
    }
}

fn build_row(build: &Build) -> Markup {
    let short: String = build.raw.chars().take(12).collect();
    html! {
        tr {
            th scope="row" { @for (at, arm) in build.arms.iter().enumerate() { @if at > 0 { ", " } (name(arm)) } }
            td class="prose" { @if build.features.is_empty() { span class="muted" { "none" } } @else { (Text(&build.features.join(", "))) } }
            td { (if build.rebuilt { "rebuilt" } else { "fresh" }) }
            td class="n" title=(visible(&build.compiled.join(" "))) { (build.compiled.len()) }
            td class="n" { (build.fresh_count) }
            td { code title=(visible(&build.raw)) { (Text(&short)) } }
            td class="n" { (Unit::Bytes.show(Some(build.size_bytes as f64))) }
            td class="n" { (Unit::Ns.show(Some(build.ns as f64))) }
        }
    }
}

fn commands(view: &View) -> Markup {
    html! {
        details class="small" {
            summary { "Commands that built them" }
            @for build in &view.builds { pre { code { (Text(&shell::line(&build.command))) } } }
        }
    }
}

/// The machine and everything else one needs to measure again.
pub(super) fn machine(view: &View) -> Markup {
    let host = &view.host;
    html! {
        section {
            h2 { "Machine and run" }
            dl {
                (entry("Machine", &host.name))
                (entry("CPU", &format!("{} ({})", host.cpu, count(host.cpus as usize, "logical CPU"))))
                (entry("Memory", &Unit::Bytes.show(Some(host.memory_bytes as f64))))
                @if !host.gpus.is_empty() { (entry("GPU", &host.gpus.join(", "))) }
                @if let Some(driver) = &host.driver { (entry("Driver", driver)) }
                (entry("System", &host.os))
                @for (tool, version) in &view.toolchains { (entry(tool, version)) }
                @if let Some(git) = &view.git {
                    (entry("Commit", &git.commit))
                    (entry("Tree", &git.dirty_digest.as_ref().map_or("clean".to_owned(), |d| format!("uncommitted changes, digest {d}"))))
                }
                @if let Some(bundle) = &view.bundle { (bundled(bundle)) }
                (entry("Run", &view.run))
                (entry("Started", &view.created))
                (entry("Seed", &view.terms.seed.to_string()))
                @if let Some(look) = &view.terms.look {
                    (entry("Look", &format!("{} of {}, at {}", look.number, look.of, count(look.blocks as usize, "block"))))
                }
            }
        }
    }
}

/// Where the builds are from, and each stay on a machine that measured them.
fn bundled(bundle: &Bundled) -> Markup {
    let made = bundle.made.strftime("%Y-%m-%d %H:%M UTC");
    html! {
        (entry("Built and verified", &format!("on {} ({}), {made}", bundle.built_on.name, bundle.built_on.cpu)))
        (entry("Bundle", &bundle.digest))
        (entry("Measured in", &count(bundle.stays.len(), "stay")))
        @for (number, stay) in (1..).zip(&bundle.stays) { (entry(&format!("Stay {number}"), &told(stay))) }
    }
}

fn told(stay: &Stay) -> String {
    let host = &stay.host;
    let driver = host.driver.as_ref().map(|driver| format!("driver {driver}"));
    let machine: Vec<String> =
        [host.name.clone(), host.cpu.clone()].into_iter().chain(host.gpus.iter().cloned()).chain(driver).collect();
    let began = stay.began.strftime("%Y-%m-%d %H:%M UTC");
    format!("from block {}, {began}: {}", stay.first_block + 1, machine.join(", "))
}

fn entry(term: &str, text: &str) -> Markup {
    html! { div { dt { (Text(term)) } dd { (Text(text)) } } }
}
