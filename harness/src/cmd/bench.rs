//! `ablate bench`: measures a bundle on a machine that cannot build, and packs the results for the way home.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::build::folder_of;
use super::report::{conclude, destination};
use crate::build::Store;
use crate::bundle::{self, BundleHead, Kind, Machine, Opened, Place};
use crate::cli::BenchArgs;
use crate::experiment::{self, Experiment};
use crate::interrupt::Interrupt;
use crate::limits::Limits;
use crate::measure::{self, End};
use crate::preflight::Preflight;
use crate::progress::Progress;
use crate::record::{self, Bundled, Finding, Role, Run, RunArm, Sample};
use crate::session::Session;
use crate::shell::quoted;
use crate::{host, judge, output, programs};

/// The exit code of a machine that lacks what the bundle needs.
const UNFIT: u8 = 5;

/// Check, unpack, prepare, measure, judge, report, pack. A machine that lacks something is exit code 5.
pub fn run(args: &BenchArgs, root: Option<&Path>) -> Result<ExitCode> {
    let begun = Instant::now();
    if root.is_some() {
        bail!("`bench` takes no -C; --dir names the folder to unpack into");
    }
    let interrupt = Interrupt::on_signals()?;
    let mut progress = Progress::to_stderr();
    let opened: Opened<BundleHead> = bundle::open(&args.bundle, Kind::Bundle)?;
    let machine = Machine::here();
    if let Some(lacking) = opened.head.needs.lacking(&machine).filter(|_| !args.unpack) {
        output::say(&format!("error: {} cannot be measured here: {lacking}", args.bundle.display()));
        return Ok(ExitCode::from(UNFIT));
    }
    let folder = args.dir.clone().unwrap_or_else(|| bundle::default_folder(&args.bundle));
    bundle::unpack(&opened, &folder)?;
    if args.unpack {
        output::answer(&format!("unpacked into {}\n", folder.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let doubt = opened.head.needs.doubt(&machine);
    let desk = Desk { opened: &opened, folder: &folder, progress: &progress, interrupt: &interrupt };
    let here = Place::here(machine.gpus.as_ref());
    let mut session = match &args.resume {
        None => desk.begin(here)?,
        Some(results) => desk.resume(results, here, args.other_machine)?,
    };
    let out = args.out.clone().unwrap_or_else(|| folder_of(&args.bundle).join(format!("{}.results", session.run.id)));
    record::check_writable(folder_of(&out))?;
    if let Some(doubt) = doubt.filter(|doubt| !session.run.notices.contains(doubt)) {
        session.run.notices.push(doubt);
    }
    progress.say(&format!("run {}, results in {}", session.run.id, out.display()));

    let go_on = format!("go on with `{}`", go_on(args, &out));
    let pack = |run: &Path| {
        if let Err(error) = bundle::pack_results(run, &out) {
            output::say(&format!("warning: {error:#}"));
        }
    };
    let until = args.max_time.map(|time| begun + time);
    let limits = Limits { blocks: args.blocks, until, go_on: &go_on, each_block: Some(&pack) };
    let decided = |experiment: &Experiment, run: &_, samples: &[_]| judge::judge(experiment, run, samples).decided;
    let end = session.measure_within(limits, &mut progress, &interrupt, &decided).with_context(|| {
        let (samples, folder) = (session.samples.len(), session.folder().display());
        format!("measuring broke off after {samples} samples, which are kept in {folder}; mend the cause and {go_on}")
    })?;
    bundle::pack_results(session.folder(), &out)?;
    if end == End::Interrupted {
        bail!("interrupted after {} samples, which are in {}; {go_on}", session.samples.len(), out.display());
    }
    let Session { experiment, run, samples, .. } = &session;
    let outcome = conclude(experiment, run, samples, &destination(session.folder(), &experiment.root, &run.id))?;
    output::answer(&format!("results: {}\n", out.display()))?;
    Ok(ExitCode::from(outcome.code()))
}

/// What to type to go on in another stay.
fn go_on(args: &BenchArgs, out: &Path) -> String {
    let bundle = quoted(&args.bundle.to_string_lossy()).into_owned();
    let folder = args.dir.as_ref().map(|dir| format!(" --dir {}", quoted(&dir.to_string_lossy()))).unwrap_or_default();
    format!("sh {bundle}{folder} --resume {}", quoted(&out.to_string_lossy()))
}

/// An unpacked bundle that is about to be measured.
struct Desk<'a> {
    opened: &'a Opened<BundleHead>,
    folder: &'a Path,
    progress: &'a Progress,
    interrupt: &'a Interrupt,
}

impl Desk<'_> {
    /// A new run. What fails here leaves none behind.
    fn begin(&self, here: Place) -> Result<Session> {
        let head = &self.opened.head;
        let root = self.folder.canonicalize().with_context(|| format!("cannot enter {}", self.folder.display()))?;
        let experiment = experiment::load(&root.join("experiment.toml"), Some(&root))?;
        let store = Store::open(&root)?;
        let mut run = head.run.clone();
        run.findings.extend(self.programs(&experiment, &run.arms, &run.findings, &store)?);
        let now = host::now();
        run.id = format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), experiment.name);
        run.created = now;
        let built_on = std::mem::replace(&mut run.host, here.host.clone());
        run.notices.push(format!(
            "measured from a bundle, digest {}: built and verified on {} at {}",
            &self.opened.digest[..16],
            built_on.name,
            head.made.strftime("%F %H:%M UTC")
        ));
        run.bundle = Some(Bundled {
            digest: self.opened.digest.clone(),
            made: head.made,
            ablate: head.ablate.clone(),
            built_on,
            stays: vec![here.stay(now, 0)],
        });
        programs::enter(&mut run.arms, &root);
        let archives = bundle::archives(&root, &run.builds)?;
        Session::start(experiment, run, &archives, store)
    }

    /// A run that an earlier stay has begun.
    fn resume(&self, results: &Path, here: Place, other_machine: bool) -> Result<Session> {
        let root = self.folder.canonicalize().with_context(|| format!("cannot enter {}", self.folder.display()))?;
        let run: PathBuf = if results.is_file() {
            bundle::restore(results, &root.join("results"))?
        } else {
            record::locate(&root, &results.to_string_lossy())?
        };
        let mut session = Session::reopen(&run, &root, |run, samples| {
            self.admit(run, samples, here, other_machine).with_context(|| format!("--resume {}", results.display()))
        })?;
        let found = self.programs(&session.experiment, &session.run.arms, &session.run.findings, session.store())?;
        session.run.findings.extend(found);
        Ok(session)
    }

    /// Whether a run goes on here: it must be of this very bundle, and on a machine of the same kind.
    fn admit(&self, run: &mut Run, samples: &[Sample], here: Place, other_machine: bool) -> Result<()> {
        let Some(bundled) = &mut run.bundle else { bail!("run {} was not measured from a bundle", run.id) };
        if bundled.digest != self.opened.digest {
            bail!(
                "run {} was measured from another bundle, digest {}; this one has {}",
                run.id,
                &bundled.digest[..bundled.digest.len().min(16)],
                &self.opened.digest[..16]
            );
        }
        let differences = match (bundled.stays.first(), bundled.stays.last()) {
            (Some(first), Some(last)) if !here.is_of(last) => bundle::differences(first, &here),
            _ => Vec::new(),
        };
        if !differences.is_empty() && !other_machine {
            bail!(
                "this machine differs from the one that the run was begun on: {}; effects may differ too; start a new \
                 run, or say --other-machine",
                differences.join(", ")
            );
        }
        let before = bundled.stays.len();
        bundle::enter(bundled, here, samples, host::now());
        let stay = bundled.stays.len();
        if stay > before {
            self.progress.say(&format!("stay {stay} of run {}", run.id));
        }
        if !differences.is_empty() {
            let notice = format!("stay {stay} was on another kind of machine: {}", differences.join(", "));
            if !run.notices.contains(&notice) {
                run.notices.push(notice);
            }
        }
        Ok(())
    }

    /// Makes the inputs and asks every program who it is.
    fn programs(
        &self,
        experiment: &Experiment,
        arms: &[RunArm],
        findings: &[Finding],
        store: &Store,
    ) -> Result<Vec<Finding>> {
        let preflight = Preflight::new(experiment, self.interrupt, self.progress);
        if let Some(base) = arms.iter().find(|arm| arm.role == Role::Base) {
            preflight.prepare(base, base.binary.as_deref().map(|digest| store.path(digest)).as_deref())?;
        }
        preflight.hellos(&measure::units(experiment, arms, findings, store))
    }
}
