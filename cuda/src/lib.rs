//! The CUDA part of the Groth16 prover: safe functions around `libgroth16_cuda.a`.
//!
//! Without feature `native` the package is empty, so that the workspace builds and tests on a machine without nvcc. With it
//! the build script compiles the archive, whose whole interface is `include/groth16_cuda.h`.
//!
//! This file is the one place where the archive is called. What every call relies on:
//!
//! * The structures of [`abi`] are those of the header. Points and scalars are passed as `blstrs` has them: each is a
//!   transparent wrapper of blst's structure of the same name, which is the header's; their sizes are asserted below.
//! * A slice's pointer is valid for its length, and the archive reads no further than the length that goes with it.
//! * The archive writes to what the header names `out` alone, and throws nothing across.
//!
//! It does not choose a backend, and it makes no proof of the sums: that is the prover's.
#![cfg(feature = "native")]

mod abi;
mod error;
mod report;

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::ptr::{self, NonNull};

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::Group;

pub use self::error::Error;
pub use self::report::{Device, MsmFacts, PageChange, PageEvent, PerMsm, Phase, Span};

use self::abi::{RawBases, RawCircuit, RawDevice, RawPageEvent, RawSpan, RawSpans, RawSrs, RawStatus, RawSums};

const _: () = {
    assert!(size_of::<Scalar>() == 32 && size_of::<blst::blst_fr>() == 32);
    assert!(size_of::<G1Affine>() == 96 && size_of::<blst::blst_p1_affine>() == 96);
    assert!(size_of::<G2Affine>() == 192 && size_of::<blst::blst_p2_affine>() == 192);
    assert!(size_of::<G1Projective>() == 144 && size_of::<blst::blst_p1>() == 144);
    assert!(size_of::<G2Projective>() == 288 && size_of::<blst::blst_p2>() == 288);
    assert!(align_of::<Scalar>() == 8 && align_of::<G1Affine>() == 8 && align_of::<G2Affine>() == 8);
};

unsafe extern "C" {
    static groth16_cuda_stamp: [c_char; 65];
    safe fn groth16_abi_version() -> u32;
    safe fn groth16_ones_words(len: usize) -> usize;
    fn groth16_status_free(status: RawStatus);
    fn groth16_device_describe(index: u32, out: *mut RawDevice) -> RawStatus;
    fn groth16_device_count(out: *mut u32) -> RawStatus;
    fn groth16_srs_create(
        bases: *const RawBases,
        devices: *const u32,
        devices_len: usize,
        resident_bytes: u64,
        out: *mut *mut RawSrs,
    ) -> RawStatus;
    fn groth16_srs_resident_bytes(srs: *const RawSrs) -> u64;
    fn groth16_srs_destroy(srs: *mut RawSrs);
    fn groth16_prove(
        srs: *mut RawSrs,
        circuits: *const RawCircuit,
        circuits_len: usize,
        threads: u32,
        window: u32,
        out: *mut RawSums,
        spans: *mut RawSpans,
    ) -> RawStatus;
    fn groth16_b_g2(
        bases: *const G2Affine,
        len: usize,
        scalars: *const *const Scalar,
        circuits_len: usize,
        threads: u32,
        out: *mut G2Projective,
        spans: *mut RawSpans,
    ) -> RawStatus;
    fn groth16_split(
        scalars: *const Scalar,
        len: usize,
        threads: u32,
        out_ones: *mut u32,
        out_rest: *mut u32,
        out_rest_len: *mut usize,
    ) -> RawStatus;
    fn groth16_windows(points: *const u64, nontrivial: *const u64, window: u32, out: *mut u32) -> RawStatus;
    fn groth16_select(set: *const u64, len: usize, threads: u32, out: *mut u32, out_len: *mut usize) -> RawStatus;
    fn groth16_vanishing_inverse(lg_domain: u32, out: *mut Scalar) -> RawStatus;
    fn groth16_page_ranges(
        starts: *const usize,
        sizes: *const usize,
        len: usize,
        page: usize,
        out_starts: *mut usize,
        out_sizes: *mut usize,
        out_len: *mut usize,
    ) -> RawStatus;
    fn groth16_page_events(
        starts: *const usize,
        sizes: *const usize,
        len: usize,
        steps: *const u32,
        steps_len: usize,
        refused: u64,
        out: *mut RawPageEvent,
        out_len: *mut usize,
    ) -> RawStatus;
}

/// The archive's stamp: the SHA-256 of its manifest, in hexadecimal.
pub fn stamp() -> &'static str {
    // SAFETY: the archive defines it as a constant array of 65 bytes, the last of them zero.
    let text = unsafe { CStr::from_ptr((&raw const groth16_cuda_stamp).cast()) };
    text.to_str().expect("the build script writes hexadecimal digits")
}

/// Describes GPU `index`, counted from 0.
///
/// [`Error::NoDevice`] where there is none. Safe to ask on a machine without a GPU or a driver.
pub fn device(index: u32) -> Result<Device, Error> {
    check_abi()?;
    let mut raw = RawDevice::default();
    // SAFETY: `raw` is a structure of the header's layout, which the call fills.
    check(unsafe { groth16_device_describe(index, &raw mut raw) })?;
    Ok(raw.into())
}

/// How many GPUs the driver shows; [`Error::NoDevice`] where that is none.
pub fn device_count() -> Result<u32, Error> {
    check_abi()?;
    let mut count = 0;
    // SAFETY: the call fills one number.
    check(unsafe { groth16_device_count(&raw mut count) })?;
    Ok(count)
}

/// The windows that a multiplication on the GPU can be given, in bits.
pub const WINDOWS: RangeInclusive<u32> = 10..=18;

/// The queries of a reference string.
#[derive(Clone, Copy, Debug)]
pub struct Bases<'a> {
    /// The H query: the domain's size minus one points.
    pub h: &'a [G1Affine],
    /// The L query.
    pub l: &'a [G1Affine],
    /// The A query.
    pub a: &'a [G1Affine],
    /// The B query in G1.
    pub b_g1: &'a [G1Affine],
    /// The B query in G2, as long as that in G1.
    pub b_g2: &'a [G2Affine],
}

/// One circuit's assignment.
///
/// The scalars of the L query are `aux`; of the A query `inputs`, then those of `aux` that are in `a_aux`; of the B queries those
/// of `inputs` in `b_inputs`, then those of `aux` in `b_aux`. Sets have one bit a variable, 64 a word, the lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Circuit<'a> {
    /// The left sides of the constraints.
    pub a: &'a [Scalar],
    /// The right sides.
    pub b: &'a [Scalar],
    /// What the products are.
    pub c: &'a [Scalar],
    /// The public inputs, the constant one first.
    pub inputs: &'a [Scalar],
    /// The auxiliary variables.
    pub aux: &'a [Scalar],
    /// Auxiliary variables that occur on a left side.
    pub a_aux: &'a [u64],
    /// Public inputs that occur on a right side.
    pub b_inputs: &'a [u64],
    /// Auxiliary variables that occur on a right side.
    pub b_aux: &'a [u64],
}

/// The sum of scalar times base over each query of one circuit, and how each was computed.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Over the H query.
    pub h: G1Projective,
    /// Over the L query.
    pub l: G1Projective,
    /// Over the A query.
    pub a: G1Projective,
    /// Over the B query in G1.
    pub b_g1: G1Projective,
    /// Over the B query in G2.
    pub b_g2: G2Projective,
    /// What each sum was made of.
    pub facts: PerMsm<MsmFacts>,
    /// The first constraint whose product is not what it should be, counted from 0: the sum over H then belongs to no proof.
    pub unsatisfied: Option<u64>,
}

/// Where a reference string is to lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The GPUs that share the circuits of a batch out, counted from 0 as the driver shows them.
    pub devices: Vec<u32>,
    /// So many bytes of points are to lie in each GPU's memory at most, whole queries; the others are streamed. What there is
    /// room for when not given.
    pub resident_bytes: Option<u64>,
}

impl Default for Placement {
    /// The first GPU, and what fits.
    fn default() -> Self {
        Self { devices: vec![0], resident_bytes: None }
    }
}

/// A reference string that GPUs work on: its queries lie in their memory where they fit, else they are streamed.
#[derive(Debug)]
pub struct Srs<'a> {
    handle: NonNull<RawSrs>,
    bases: PhantomData<Bases<'a>>,
}

// SAFETY: the archive's functions may be called from any thread, and none holds on to the thread that made the handle.
unsafe impl Send for Srs<'_> {}

impl<'a> Srs<'a> {
    /// Copies to the GPUs what is to lie there.
    ///
    /// [`Error::OutOfMemory`] where a GPU has no room for what `resident_bytes` allows.
    pub fn new(bases: &Bases<'a>, placement: &Placement) -> Result<Self, Error> {
        check_abi()?;
        let raw = RawBases::from(bases);
        let resident_bytes = placement.resident_bytes.unwrap_or(abi::WHAT_FITS);
        let mut handle = ptr::null_mut();
        // SAFETY: `raw` points to slices with their lengths. The handle keeps them; they live for 'a, which it does not outlive.
        check(unsafe {
            groth16_srs_create(
                &raw const raw,
                placement.devices.as_ptr(),
                placement.devices.len(),
                resident_bytes,
                &raw mut handle,
            )
        })?;
        let handle = NonNull::new(handle).ok_or_else(|| Error::Internal("there is no handle".to_owned()))?;
        Ok(Self { handle, bases: PhantomData })
    }

    /// Bytes of points that lie in each GPU's memory.
    pub fn resident_bytes(&self) -> u64 {
        // SAFETY: the handle is valid until it is dropped.
        unsafe { groth16_srs_resident_bytes(self.handle.as_ptr()) }
    }

    /// The sums of a batch, one entry a circuit, and the phases, on `threads` threads of the CPU beside the GPU. A window
    /// given here is that of all multiplications on the GPU, instead of the build's choice.
    ///
    /// [`Error::BadArgument`] where a circuit does not fit the reference string, or the window the GPU.
    pub fn prove(
        &mut self,
        circuits: &[Circuit<'_>],
        threads: usize,
        window: Option<u32>,
    ) -> Result<(Vec<Sums>, Vec<Span>), Error> {
        let raw = circuits.iter().map(RawCircuit::new).collect::<Result<Vec<_>, _>>()?;
        let (threads, window) = (thread_count(threads)?, forced(window)?);
        let mut sums = vec![RawSums::infinity(); circuits.len()];
        let mut room = span_room(circuits.len());
        let mut spans = RawSpans::new(&mut room);
        // SAFETY: the handle is valid until it is dropped, and used by this call alone; `raw` points to slices with their
        // lengths, of which a, b and c were found equally long, and the sets as long as their variables need; the archive
        // compares what they select with its queries. `sums` has an entry for each circuit, and `spans` knows its capacity.
        check(unsafe {
            groth16_prove(
                self.handle.as_ptr(),
                raw.as_ptr(),
                raw.len(),
                threads,
                window,
                sums.as_mut_ptr(),
                &raw mut spans,
            )
        })?;
        let len = spans.len;
        Ok((sums.into_iter().map(Sums::from).collect(), report::spans(&room[..len])?))
    }
}

impl Drop for Srs<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from groth16_srs_create, and nobody uses it after this.
        unsafe { groth16_srs_destroy(self.handle.as_ptr()) }
    }
}

/// The `B_G2` sums of a batch on `threads` threads of the CPU, one for each list of scalars over the same bases, and their
/// phases. Toggle A4 decides how the threads share the work. No GPU is asked for.
pub fn b_g2(
    bases: &[G2Affine],
    scalars: &[&[Scalar]],
    threads: usize,
) -> Result<(Vec<G2Projective>, Vec<Span>), Error> {
    check_abi()?;
    if let Some((circuit, list)) = scalars.iter().enumerate().find(|(_, list)| list.len() != bases.len()) {
        return Err(Error::BadArgument(format!(
            "circuit {circuit} has {} scalars for a query of {} points",
            list.len(),
            bases.len()
        )));
    }
    let threads = thread_count(threads)?;
    let lists: Vec<*const Scalar> = scalars.iter().map(|list| list.as_ptr()).collect();
    let mut sums = vec![G2Projective::identity(); scalars.len()];
    let mut room = span_room(scalars.len());
    let mut spans = RawSpans::new(&mut room);
    // SAFETY: every list was found as long as `bases`, and all are alive during the call; `sums` has an entry for each list,
    // and `spans` knows its capacity.
    check(unsafe {
        groth16_b_g2(
            bases.as_ptr(),
            bases.len(),
            lists.as_ptr(),
            lists.len(),
            threads,
            sums.as_mut_ptr(),
            &raw mut spans,
        )
    })?;
    let len = spans.len;
    Ok((sums, report::spans(&room[..len])?))
}

/// Scalars by what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// One bit a scalar, set where it is one: 32 a word, the lowest first, in whole blocks of 1024.
    pub ones: Vec<u32>,
    /// The indices of the scalars that are neither zero nor one, ascending.
    pub rest: Vec<u32>,
}

/// Splits scalars into zeros, ones and the rest, as proving does. No GPU is asked for.
pub fn split(scalars: &[Scalar], threads: usize) -> Result<Split, Error> {
    check_abi()?;
    let threads = thread_count(threads)?;
    let mut split = Split { ones: vec![0; groth16_ones_words(scalars.len())], rest: vec![0; scalars.len()] };
    let mut len = 0;
    // SAFETY: `ones` has as many words as the archive asks for, and `rest` room for every index.
    check(unsafe {
        groth16_split(
            scalars.as_ptr(),
            scalars.len(),
            threads,
            split.ones.as_mut_ptr(),
            split.rest.as_mut_ptr(),
            &raw mut len,
        )
    })?;
    split.rest.truncate(len);
    Ok(split)
}

/// The windows of one circuit on the GPU, by the number of points in each query and of their non-trivial scalars: the forced
/// one for all, else by this build's rule (toggle D4).
pub fn windows(points: &PerMsm<u64>, nontrivial: &PerMsm<u64>, window: Option<u32>) -> Result<PerMsm<u32>, Error> {
    check_abi()?;
    let window = forced(window)?;
    let list = |counts: &PerMsm<u64>| [counts.h, counts.l, counts.a, counts.b_g1, counts.b_g2];
    let mut windows = [0; 5];
    // SAFETY: all three have five numbers.
    check(unsafe { groth16_windows(list(points).as_ptr(), list(nontrivial).as_ptr(), window, windows.as_mut_ptr()) })?;
    let [h, l, a, b_g1, b_g2] = windows;
    Ok(PerMsm { h, l, a, b_g1, b_g2 })
}

/// The variables in a set of `len`, ascending (see [`Circuit`]), as proving picks a query's scalars. No GPU is asked for.
pub fn select(set: &[u64], len: usize, threads: usize) -> Result<Vec<u32>, Error> {
    check_abi()?;
    abi::check_set("given", set, len)?;
    let threads = thread_count(threads)?;
    let (mut indices, mut found) = (vec![0; len], 0);
    // SAFETY: the set has a bit for each of `len` variables, and `indices` room for each.
    check(unsafe { groth16_select(set.as_ptr(), len, threads, indices.as_mut_ptr(), &raw mut found) })?;
    indices.truncate(found);
    Ok(indices)
}

/// 1 / (gⁿ − 1) for n = 2^`lg_domain` and the generator g of the GPU's coset: there t(X) = Xⁿ − 1 is the inverse of it.
pub fn vanishing_inverse(lg_domain: u32) -> Result<Scalar, Error> {
    check_abi()?;
    let mut inverse = Scalar::default();
    // SAFETY: the call fills one scalar.
    check(unsafe { groth16_vanishing_inverse(lg_domain, &raw mut inverse) })?;
    Ok(inverse)
}

/// The ranges of whole pages within ranges of memory (start and bytes), in order and without overlap, as page-locking
/// (toggle B1) takes them. Nothing is locked.
pub fn page_ranges(ranges: &[(usize, usize)], page: usize) -> Result<Vec<(usize, usize)>, Error> {
    check_abi()?;
    if page == 0 {
        return Err(Error::BadArgument("a page has no bytes".to_owned()));
    }
    let (starts, sizes): (Vec<_>, Vec<_>) = ranges.iter().copied().unzip();
    let (mut out_starts, mut out_sizes, mut len) = (starts.clone(), sizes.clone(), 0);
    // SAFETY: all four lists have one entry for each range; no address is followed.
    check(unsafe {
        groth16_page_ranges(
            starts.as_ptr(),
            sizes.as_ptr(),
            starts.len(),
            page,
            out_starts.as_mut_ptr(),
            out_sizes.as_mut_ptr(),
            &raw mut len,
        )
    })?;
    Ok(out_starts.into_iter().zip(out_sizes).take(len).collect())
}

/// What page-locking (toggle B1) does with ranges of whole pages (start and bytes), each of which is held where a step names it
/// for the first, third … time, and let go at the others. Every `refused`-th locking is refused, none without it: then the
/// range is not held. Nothing is locked.
///
/// [`Error::BadArgument`] where a step names no range.
pub fn page_events(
    ranges: &[(usize, usize)],
    steps: &[u32],
    refused: Option<NonZeroU64>,
) -> Result<Vec<PageEvent>, Error> {
    check_abi()?;
    let (starts, sizes): (Vec<_>, Vec<_>) = ranges.iter().copied().unzip();
    let (mut events, mut len) = (vec![RawPageEvent::default(); steps.len() * (2 * ranges.len() + 3)], 0);
    // SAFETY: the lists have the lengths that are given, the events the room that the header asks for; no address is followed.
    check(unsafe {
        groth16_page_events(
            starts.as_ptr(),
            sizes.as_ptr(),
            ranges.len(),
            steps.as_ptr(),
            steps.len(),
            refused.map_or(0, NonZeroU64::get),
            events.as_mut_ptr(),
            &raw mut len,
        )
    })?;
    events.into_iter().take(len).map(PageEvent::try_from).collect()
}

/// The status as a result; its message is copied and given back.
fn check(status: RawStatus) -> Result<(), Error> {
    let code = status.code;
    let message = if status.message.is_null() {
        String::new()
    } else {
        // SAFETY: a message that is not null is text with a zero byte at its end, ours until it is given back.
        let text = unsafe { CStr::from_ptr(status.message) }.to_string_lossy().into_owned();
        // SAFETY: the message came from the archive, and is not used after this.
        unsafe { groth16_status_free(status) };
        text
    };
    Error::from_status(code, message)
}

fn check_abi() -> Result<(), Error> {
    let found = groth16_abi_version();
    if found == abi::VERSION { Ok(()) } else { Err(Error::Abi { found, expected: abi::VERSION }) }
}

fn thread_count(threads: usize) -> Result<u32, Error> {
    u32::try_from(threads).map_err(|_| Error::BadArgument(format!("{threads} CPU threads")))
}

/// The window as the header writes it, where 0 forces none.
fn forced(window: Option<u32>) -> Result<u32, Error> {
    match window {
        Some(bits) if !WINDOWS.contains(&bits) => Err(Error::BadArgument(format!(
            "a window of {bits} bits cannot be used on the GPU: choose one from {} to {}",
            WINDOWS.start(),
            WINDOWS.end()
        ))),
        _ => Ok(window.unwrap_or(0)),
    }
}

fn span_room(circuits: usize) -> Vec<RawSpan> {
    vec![RawSpan::default(); circuits * abi::SPANS_PER_CIRCUIT + abi::SPANS_PER_BATCH]
}
