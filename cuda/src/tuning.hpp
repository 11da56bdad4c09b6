// Threads and blocks of the kernels (toggle K1): sppark's own without it, with it those that suit sm_90.
//
// To be included before sppark's msm/ headers, which take some of them as macros. Each may be given to the compiler instead
// (`NVCC_APPEND_FLAGS=-DACCUMULATE_NTHREADS=256`, with the toggle on), for a sweep; the flag is then part of the stamp.
#pragma once

#ifdef GROTH16_KERNEL_TUNING
// Adding points to buckets: one block on each multiprocessor. More threads hide more latency, until they have too few registers:
// of 65,536 the kernel for G1 wants 142 a thread, that for G2 160.
# ifndef ACCUMULATE_NTHREADS
#  define ACCUMULATE_NTHREADS (bucket_t::degree == 1 ? 448 : 384)
# endif
# define LARGE_L1_CODE_CACHE 1
// So many windows are sorted at a time, on a quarter of the multiprocessors each, instead of two.
# ifndef GROTH16_SORT_ROWS
#  define GROTH16_SORT_ROWS 4
# endif
#endif

// Summing up a window's buckets: one block a window, a power of two, 256 at most. Fewer leave less to the CPU.
#ifndef MSM_NTHREADS
# define MSM_NTHREADS 256
#endif
#ifndef GROTH16_SORT_ROWS
# define GROTH16_SORT_ROWS 2
#endif
// Kernels that do one small thing for each element.
#ifndef GROTH16_ELEMENT_BLOCK
# define GROTH16_ELEMENT_BLOCK 256
#endif

// Launches that may run at one time on one GPU: sppark's kernels share a counter with all launches of the same number.
#define MSM_NSTREAMS 32
#define BATCH_ADD_NSTREAMS 32

constexpr unsigned integrate_threads = MSM_NTHREADS;
constexpr unsigned sort_rows = GROTH16_SORT_ROWS;
constexpr unsigned element_block = GROTH16_ELEMENT_BLOCK;
constexpr unsigned kernel_slots = MSM_NSTREAMS;

static_assert(integrate_threads >= 32 && integrate_threads <= 256, "sppark's kernel is built for at most 256 threads");
static_assert(sort_rows >= 1 && sort_rows <= 8, "all blocks of a sort must fit the GPU at one time");
