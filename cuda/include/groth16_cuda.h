/*
 * The whole interface of libgroth16_cuda.a: a plain C ABI.
 *
 * Conventions
 *   - Every function that can fail returns a groth16_status by value. No exception crosses this interface.
 *   - Field elements are in Montgomery form, limbs little-endian, as blst keeps them: a scalar is a blst_fr, a point a
 *     blst_p1_affine, blst_p2_affine, blst_p1 or blst_p2. The point at infinity is all zeros (affine), or has z = 0.
 *   - Lengths count elements, times are nanoseconds. A pointer may be NULL where its length is 0.
 *   - Memory given in stays the caller's and is not written to, unless it is named `out`. It must stay as it is until the
 *     call returns; what groth16_srs_create borrows for longer is said there.
 *   - Functions may be called from any thread. One handle is used by one call at a time.
 *   - The CPU's part aborts the process when a thread cannot be started or a thread of sppark's runs out of memory.
 */
#ifndef GROTH16_CUDA_H
#define GROTH16_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up whenever a structure or a function changes. */
#define GROTH16_ABI_VERSION 3

/* The largest domain is 2^28: what sppark's transforms are built for. */
#define GROTH16_MAX_LG_DOMAIN 28

/* The windows that sppark's kernels can use. */
#define GROTH16_MIN_WINDOW 10
#define GROTH16_MAX_WINDOW 18

/* One call takes at most so many CPU threads. */
#define GROTH16_MAX_THREADS 1024

/* A reference string lies on at most so many GPUs. */
#define GROTH16_MAX_DEVICES 64

/* groth16_srs_create's `resident_bytes` where as much is to be resident as each GPU has room for. */
#define GROTH16_WHAT_FITS UINT64_MAX

/* groth16_sums' `unsatisfied` where every constraint is satisfied. */
#define GROTH16_SATISFIED UINT64_MAX

/* ---- status ------------------------------------------------------------------------------------------------------- */

enum {
    GROTH16_OK = 0,
    GROTH16_BAD_ARGUMENT = 1, /* lengths that do not fit together, a domain too large, no threads */
    GROTH16_NO_DEVICE = 2,    /* no GPU, no driver, or a driver too old; nothing was computed */
    GROTH16_OUT_OF_MEMORY = 3,/* on the GPU or the host; the message says how much was asked for */
    GROTH16_CUDA_ERROR = 4,   /* any other error of the CUDA runtime or of sppark */
    GROTH16_INTERNAL = 5      /* anything else */
};

/* What became of a call. `message` is NULL on success; else UTF-8 text to be given back with groth16_status_free. */
typedef struct {
    int32_t code;
    char *message;
} groth16_status;

/* Frees the message. The status itself is the caller's. */
void groth16_status_free(groth16_status status);

/* ---- values ------------------------------------------------------------------------------------------------------- */

typedef struct { uint64_t limbs[4]; } groth16_scalar;
typedef struct { uint64_t x[6], y[6]; } groth16_g1_affine;
typedef struct { uint64_t x[12], y[12]; } groth16_g2_affine;
typedef struct { uint64_t x[6], y[6], z[6]; } groth16_g1;
typedef struct { uint64_t x[12], y[12], z[12]; } groth16_g2;

/* The parts that are timed. The names in the worker protocol are these in lower case. */
enum {
    GROTH16_PHASE_PIN = 0,
    GROTH16_PHASE_NTT = 1,
    GROTH16_PHASE_MSM_H = 2,
    GROTH16_PHASE_MSM_L = 3,
    GROTH16_PHASE_MSM_A = 4,
    GROTH16_PHASE_MSM_B_G1 = 5,
    GROTH16_PHASE_MSM_B_G2 = 6,
    GROTH16_PHASE_BATCH_ADD = 7,
    GROTH16_PHASE_UNPIN = 8,
    GROTH16_PHASE_FREE = 9
};

/* One part as it happened. `start_ns` counts from the start of the call. Parts overlap. */
typedef struct {
    uint32_t phase;
    uint32_t circuit; /* its place in the batch; UINT32_MAX where a part belongs to the whole batch */
    uint64_t start_ns;
    uint64_t ns;
} groth16_span;

/* Where spans are put. A call writes at most GROTH16_SPANS_PER_CIRCUIT for each circuit and GROTH16_SPANS_PER_BATCH more;
 * `capacity` must be at least that. */
#define GROTH16_SPANS_PER_CIRCUIT 24
#define GROTH16_SPANS_PER_BATCH 2
typedef struct {
    groth16_span *out;
    size_t capacity;
    size_t len; /* set by the call */
} groth16_spans;

/* What one multiplication was made of. Scalars that are neither one nor non-trivial are zero. */
typedef struct {
    uint64_t bases;
    uint64_t ones;
    uint64_t nontrivial;
    uint32_t window; /* bits */
    uint32_t reserved;
} groth16_msm_facts;

/* ---- the archive itself ------------------------------------------------------------------------------------------- */

/* GROTH16_ABI_VERSION as the archive was built. */
uint32_t groth16_abi_version(void);

/* The stamp: SHA-256 of the manifest of everything that went into the archive, 64 hexadecimal digits and a zero byte.
 * It lies in section .ablate.stamp, which the linker keeps. */
extern const char groth16_cuda_stamp[65];

/* ---- the GPU ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char name[256];
    uint64_t memory_bytes;
    uint32_t compute_major, compute_minor;
    uint32_t driver_version, runtime_version; /* 1000 * major + 10 * minor */
} groth16_device;

/* Describes GPU `index`, counted from 0. Asks the driver alone, so it is safe on a machine without one. */
groth16_status groth16_device_describe(uint32_t index, groth16_device *out);

/* How many GPUs the driver shows; GROTH16_NO_DEVICE where that is none. */
groth16_status groth16_device_count(uint32_t *out);

/* ---- proving ------------------------------------------------------------------------------------------------------ */

/* The queries of a reference string. */
typedef struct {
    const groth16_g1_affine *h;    size_t h_len;    /* the domain's size minus one */
    const groth16_g1_affine *l;    size_t l_len;
    const groth16_g1_affine *a;    size_t a_len;
    const groth16_g1_affine *b_g1; size_t b_g1_len; /* equal to b_g2_len */
    const groth16_g2_affine *b_g2; size_t b_g2_len;
} groth16_bases;

/* A reference string that one or more GPUs work on. */
typedef struct groth16_srs groth16_srs;

/* Puts the queries that a GPU works on (H, L, A and B in G1; B in G2 where this build has toggle B2) into the memory of
 * each of the `devices`, in this order, until `resident_bytes` of points lie there; what does not fit is streamed from the
 * host whenever it is needed. With GROTH16_WHAT_FITS a GPU's free memory decides, less what proving itself takes; with 0
 * all is streamed. All queries are borrowed until groth16_srs_destroy. The handle keeps its buffers, on the GPU and
 * page-locked on the host, from one call to the next. */
groth16_status groth16_srs_create(const groth16_bases *bases, const uint32_t *devices, size_t devices_len,
                                  uint64_t resident_bytes, groth16_srs **out);

/* Bytes of points that lie in each GPU's memory: the least of all GPUs. */
uint64_t groth16_srs_resident_bytes(const groth16_srs *srs);

/* Gives all of it back. NULL is allowed. */
void groth16_srs_destroy(groth16_srs *srs);

/* One circuit's assignment. a, b and c are the sides of the constraints (`constraints` each; the rest of the domain is
 * zero). The scalars of the queries are taken from the assignment: L has one for each auxiliary variable; A one for each
 * public input, then one for each auxiliary variable in `a_aux`; B one for each public input in `b_inputs`, then one for
 * each auxiliary variable in `b_aux`. These three are sets: one bit a variable, 64 a word, lowest first; bits beyond the last
 * variable are zero. */
typedef struct {
    const groth16_scalar *a, *b, *c;
    size_t constraints;
    const groth16_scalar *inputs; size_t inputs_len;
    const groth16_scalar *aux;    size_t aux_len;
    const uint64_t *a_aux, *b_inputs, *b_aux;
} groth16_circuit;

/* The sum of scalar times base over each query, and how each was computed. */
typedef struct {
    groth16_g1 h, l, a, b_g1;
    groth16_g2 b_g2;
    groth16_msm_facts h_facts, l_facts, a_facts, b_g1_facts, b_g2_facts;
    uint64_t unsatisfied; /* the first constraint with a·b other than c, where h is wrong; else GROTH16_SATISFIED */
} groth16_sums;

/* The sums of a batch: everything between synthesis and the few operations that make a proof of them. Circuits are shared
 * out among the handle's GPUs. Uses `threads` CPU threads (1 to GROTH16_MAX_THREADS) and a few that mostly wait. `window` is
 * that of all multiplications on the GPU, in bits (GROTH16_MIN_WINDOW to GROTH16_MAX_WINDOW), or 0 for this build's rule.
 * On failure `out` and `spans` are unspecified, and the handle is as it was. */
groth16_status groth16_prove(groth16_srs *srs, const groth16_circuit *circuits, size_t circuits_len, uint32_t threads,
                             uint32_t window, groth16_sums *out, groth16_spans *spans);

/* ---- the CPU's parts by themselves: no GPU is asked for ------------------------------------------------------------- */

/* The B_G2 sums of a batch, one for each of the `circuits_len` lists of `len` scalars over the same bases. */
groth16_status groth16_b_g2(const groth16_g2_affine *bases, size_t len, const groth16_scalar *const *scalars,
                            size_t circuits_len, uint32_t threads, groth16_g2 *out, groth16_spans *spans);

/* Splits scalars into zeros, ones and the rest. `out_ones` has one bit a scalar (32 a word, lowest first, in
 * groth16_ones_words(len) words); `out_rest` takes the indices of the rest and has room for `len`. */
groth16_status groth16_split(const groth16_scalar *scalars, size_t len, uint32_t threads, uint32_t *out_ones,
                             uint32_t *out_rest, size_t *out_rest_len);

/* Words of `out_ones`: whole blocks of 1024 bits, since the GPU reads whole blocks. */
size_t groth16_ones_words(size_t len);

/* The windows of one circuit on the GPU, forced or by this build's rule (toggle D4), as groth16_prove chooses them: of H, L,
 * A, B in G1 and B in G2, five counts of points and five of non-trivial scalars in, and five windows out. */
groth16_status groth16_windows(const uint64_t *points, const uint64_t *nontrivial, uint32_t window, uint32_t *out);

/* The index of each variable in a set of `len` (see groth16_circuit), ascending; `out` has room for `len`. */
groth16_status groth16_select(const uint64_t *set, size_t len, uint32_t threads, uint32_t *out, size_t *out_len);

/* 1 / (g^n - 1) for n = 2^lg_domain and the g that shifts sppark's cosets: the inverse of the vanishing polynomial there. */
groth16_status groth16_vanishing_inverse(uint32_t lg_domain, groth16_scalar *out);

/* The whole pages within `len` ranges of `sizes` bytes, in order and without overlap, as page-locking (toggle B1) needs
 * them. `out_starts` and `out_sizes` have room for `len`. */
groth16_status groth16_page_ranges(const uintptr_t *starts, const size_t *sizes, size_t len, size_t page,
                                   uintptr_t *out_starts, size_t *out_sizes, size_t *out_len);

enum groth16_page_change {
    GROTH16_PAGES_LOCKED = 0,
    GROTH16_PAGES_UNLOCKED = 1,
    GROTH16_PAGES_REFUSED = 2, /* they would have been locked, and were not */
};

typedef struct {
    uint64_t step;
    uint64_t change; /* a groth16_page_change */
    uintptr_t start;
    size_t bytes;
} groth16_page_event;

/* What page-locking (toggle B1) would lock and unlock where `steps` name one of `len` ranges each, which is then held where it
 * is not, and else let go; every `refused`-th locking is refused, none where it is 0. Nothing is locked. `out` has room for
 * steps_len * (2 * len + 3). */
groth16_status groth16_page_events(const uintptr_t *starts, const size_t *sizes, size_t len, const uint32_t *steps,
                                   size_t steps_len, uint64_t refused, groth16_page_event *out, size_t *out_len);

#ifdef __cplusplus
}
#endif

#endif
