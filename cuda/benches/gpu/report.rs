//! What is run, and the tables that come of it.

use std::time::Instant;

use groth16_cuda::{Bases, Circuit, PerMsm, Phase, Placement, Span, Srs, Sums, WINDOWS};
use group::GroupEncoding;

use crate::batch::{Assignment, Points, Sizes};

type Done = Result<(), String>;

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// One batch on one handle.
struct Bench<'a> {
    srs: Srs<'a>,
    assignments: &'a [Assignment],
    sizes: Sizes,
}

/// Of one call: milliseconds in all, spans, sums.
struct Call {
    ms: f64,
    spans: Vec<Span>,
    sums: Vec<Sums>,
}

impl<'a> Bench<'a> {
    fn new(
        points: &'a Points,
        assignments: &'a [Assignment],
        sizes: Sizes,
        placement: &Placement,
    ) -> Result<Self, String> {
        Ok(Self { srs: Srs::new(&points.bases(), placement).map_err(|error| error.to_string())?, assignments, sizes })
    }

    fn call(&mut self, window: Option<u32>) -> Result<Call, String> {
        let circuits: Vec<Circuit<'_>> = self.assignments.iter().map(Assignment::circuit).collect();
        let start = Instant::now();
        let (sums, spans) = self.srs.prove(&circuits, threads(), window).map_err(|error| error.to_string())?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        Ok(Call { ms, spans, sums })
    }

    fn check(&self, call: &Call) -> Done {
        let right =
            self.assignments.iter().zip(&call.sums).all(|(assignment, sums)| assignment.agrees(sums, self.sizes));
        if right { Ok(()) } else { Err("a sum is WRONG".to_owned()) }
    }
}

/// All parts of a phase together.
fn sum_ms(spans: &[Span], phase: Phase) -> f64 {
    spans.iter().filter(|span| span.phase == phase).map(|span| ms(span.ns)).sum()
}

fn ms(ns: u64) -> f64 {
    std::time::Duration::from_nanos(ns).as_secs_f64() * 1e3
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn batch(constraints: usize, circuits: usize) -> (Points, Vec<Assignment>, Sizes) {
    let sizes = Sizes::of(constraints.max(64));
    let start = Instant::now();
    let points = Points::new(sizes);
    let assignments = (0..circuits as u64).map(|seed| Assignment::random(sizes, seed)).collect();
    println!("{constraints} constraints, {circuits} circuits, made in {:.1} s", start.elapsed().as_secs_f64());
    (points, assignments, sizes)
}

/// Each phase of a batch, for this build's windows.
pub(crate) fn phases(constraints: usize, circuits: usize, repetitions: usize) -> Done {
    let (points, assignments, sizes) = batch(constraints, circuits);
    let start = Instant::now();
    let mut bench = Bench::new(&points, &assignments, sizes, &Placement::default())?;
    println!("handle made in {:.1} ms, {} bytes resident", ms_since(start), bench.srs.resident_bytes());
    let cold = bench.call(None)?;
    bench.check(&cold)?;
    println!("cold call {:.2} ms, sums right", cold.ms);
    let calls = (0..repetitions.max(1)).map(|_| bench.call(None)).collect::<Result<Vec<_>, _>>()?;
    calls.iter().try_for_each(|call| bench.check(call))?;
    println!("{:<10}{:>10}  (sums over the batch, CPU and GPU; they overlap)", "phase", "ms");
    for phase in Phase::ALL {
        let time = median(calls.iter().map(|call| sum_ms(&call.spans, phase)).collect());
        println!("{:<10}{time:>10.2}", format!("{phase:?}").to_lowercase());
    }
    let mut all: Vec<f64> = calls.iter().map(|call| call.ms).collect();
    all.sort_by(f64::total_cmp);
    println!("{:<10}{:>10.2}  (from {:.2} to {:.2})", "call", median(all.clone()), all[0], all[all.len() - 1]);
    println!("windows   {:?}", calls[0].sums.first().map(windows_of));
    println!("h         {}", calls[0].sums.iter().map(|sums| short(&sums.h)).collect::<Vec<_>>().join(" "));
    println!("one call, as it went (start, length, phase, circuit):");
    let mut spans = calls[0].spans.clone();
    spans.sort_by_key(|span| span.start_ns);
    for span in spans.iter().take(40) {
        println!("{:>10.2}{:>10.2}  {:?} {:?}", ms(span.start_ns), ms(span.ns), span.phase, span.circuit);
    }
    Ok(())
}

/// The first bytes of a point: the same for every build.
fn short(point: &impl GroupEncoding) -> String {
    let first = point.to_bytes().as_ref().iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{first:016x}")
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn windows_of(sums: &Sums) -> [u32; 5] {
    let PerMsm { h, l, a, b_g1, b_g2 } = sums.facts;
    [h, l, a, b_g1, b_g2].map(|facts| facts.window)
}

/// Each multiplication with every window. Of each the time on the GPU is shown (its longest span), the median of the calls; B in G2
/// is the CPU's without toggle B2.
pub(crate) fn windows(constraints: usize, repetitions: usize) -> Done {
    let (points, assignments, sizes) = batch(constraints, 1);
    let mut bench = Bench::new(&points, &assignments, sizes, &Placement::default())?;
    let first = bench.call(None)?;
    bench.check(&first)?;
    let listed = [Phase::MsmH, Phase::MsmL, Phase::MsmA, Phase::MsmBG1, Phase::MsmBG2];
    println!("{:>6}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", "window", "h", "l", "a", "b_g1", "b_g2", "call");
    for window in WINDOWS {
        bench.call(Some(window))?; // buffers grow to their size
        let calls = (0..repetitions.max(1)).map(|_| bench.call(Some(window))).collect::<Result<Vec<_>, _>>()?;
        let on_gpu = |call: &Call, phase| {
            call.spans.iter().filter(|span| span.phase == phase).map(|span| ms(span.ns)).fold(0.0, f64::max)
        };
        let cells = listed.map(|phase| median(calls.iter().map(|call| on_gpu(call, phase)).collect()));
        let all = median(calls.iter().map(|call| call.ms).collect());
        println!(
            "{window:>6}{:>10.2}{:>10.2}{:>10.2}{:>10.2}{:>10.2}{all:>10.2}",
            cells[0], cells[1], cells[2], cells[3], cells[4]
        );
        for call in calls {
            bench.check(&call).map_err(|error| format!("{error}, with window {window}"))?;
            if first.sums[0].h != call.sums[0].h {
                return Err(format!("the sum over H is WRONG, with window {window}"));
            }
        }
    }
    let facts = first.sums[0].facts;
    println!(
        "non-trivial: h {}, l {}, a {}, b {}",
        facts.h.nontrivial, facts.l.nontrivial, facts.a.nontrivial, facts.b_g1.nontrivial
    );
    Ok(())
}

/// The same batch with all, some and none of the points resident.
pub(crate) fn stream(constraints: usize) -> Done {
    let (points, assignments, sizes) = batch(constraints, 2);
    let bases = points.bases();
    let all = 96 * (bases.h.len() + bases.l.len() + bases.a.len() + bases.b_g1.len()) + 192 * bases.b_g2.len();
    let mut first: Option<Vec<Sums>> = None;
    println!("{:>14}{:>14}{:>10}{:>10}", "allowed", "resident", "cold ms", "warm ms");
    for allowed in [None, Some(all as u64 / 2), Some(96 * bases.b_g1.len() as u64), Some(0)] {
        let placement = Placement { resident_bytes: allowed, ..Placement::default() };
        let mut bench = Bench::new(&points, &assignments, sizes, &placement)?;
        let (cold, warm) = (bench.call(None)?, bench.call(None)?);
        for call in [&cold, &warm] {
            bench.check(call).map_err(|error| format!("{error}, with {allowed:?} bytes resident"))?;
            let first = first.get_or_insert_with(|| call.sums.clone());
            if first.iter().zip(&call.sums).any(|(first, now)| first.h != now.h) {
                return Err(format!("the sum over H is WRONG, with {allowed:?} bytes resident"));
            }
        }
        let shown = allowed.map_or("what fits".to_owned(), |bytes| bytes.to_string());
        println!("{shown:>14}{:>14}{:>10.2}{:>10.2}", bench.srs.resident_bytes(), cold.ms, warm.ms);
    }
    Ok(())
}

/// What is asked for in vain, and that the next call works.
pub(crate) fn refuse() -> Done {
    let (points, assignments, sizes) = batch(1 << 12, 1);
    let mut bench = Bench::new(&points, &assignments, sizes, &Placement::default())?;
    let good = assignments[0].circuit();
    let refused = |what: &str, result: Result<(), groth16_cuda::Error>| match result {
        Ok(()) => Err(format!("{what} was not refused")),
        Err(error) => {
            println!("{what}: {error}");
            Ok(())
        }
    };
    let one = |srs: &mut Srs<'_>, circuit: Circuit<'_>, window| srs.prove(&[circuit], threads(), window).map(drop);
    refused("a window of 9", one(&mut bench.srs, good, Some(9)))?;
    refused("no threads", bench.srs.prove(&[good], 0, None).map(drop))?;
    refused(
        "a circuit of half the size",
        one(&mut bench.srs, Circuit { a: &good.a[..2048], b: &good.b[..2048], c: &good.c[..2048], ..good }, None),
    )?;
    refused("a circuit with fewer variables", one(&mut bench.srs, Circuit { a_aux: good.b_aux, ..good }, None))?;
    refused(
        "GPU 1000",
        Srs::new(&points.bases(), &Placement { devices: vec![1000], ..Placement::default() }).map(drop),
    )?;
    refused(
        "a GPU twice",
        Srs::new(&points.bases(), &Placement { devices: vec![0, 0], ..Placement::default() }).map(drop),
    )?;

    // Eight gigabytes of zeros, which are not looked at.
    let huge = vec![blstrs::Scalar::default(); (1 << 28) + 1];
    let large = Circuit { a: &huge, b: &huge, c: &huge, ..good };
    refused("2^28 + 1 constraints", one(&mut bench.srs, large, None))?;

    let wrong: Vec<blstrs::Scalar> = good.c.iter().map(|c| c + blstrs::Scalar::from(1)).collect();
    let (sums, _) =
        bench.srs.prove(&[Circuit { c: &wrong, ..good }], threads(), None).map_err(|error| error.to_string())?;
    println!("a wrong witness: the first constraint that is not satisfied is {:?}", sums[0].unsatisfied);

    let taken = take_memory(points.bases().h)?;
    println!("{} handles take the GPU's memory", taken.len());
    refused("a window of 18 on a full GPU", one(&mut bench.srs, good, Some(18)))?;
    drop(taken);
    let call = bench.call(Some(18))?;
    bench.check(&call)?;
    println!("the next call works");
    Ok(())
}

/// Handles that take all of the GPU's memory but 3 MiB, in ever smaller pieces.
fn take_memory(points: &[blstrs::G1Affine]) -> Result<Vec<Srs<'static>>, String> {
    let all: &'static [blstrs::G1Affine] = vec![points[0]; 1 << 24].leak();
    let mut taken = Vec::new();
    let mut len = all.len();
    while len >= 1 << 15 {
        let bases = Bases { h: &all[..len], l: &[], a: &[], b_g1: &[], b_g2: &[] };
        let placement = Placement { resident_bytes: Some(96 * len as u64), ..Placement::default() };
        match Srs::new(&bases, &placement) {
            Ok(srs) => taken.push(srs),
            Err(groth16_cuda::Error::OutOfMemory(_)) => len /= 2,
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(taken)
}
