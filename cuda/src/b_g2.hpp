// The B_G2 sums of a batch, on CPU threads (toggle A4).
#pragma once

#include <vector>

#include "groth16_cuda.h"
#include "split.hpp"
#include "threads.hpp"
#include "timeline.hpp"

// The window of a multiplication in G2 on the CPU, by its count of non-trivial scalars.
uint32_t host_window(uint64_t scalars);

// Writes one sum a circuit. With the toggle the circuits run side by side, one thread of the pool each; without, one after
// another, each on the whole pool.
void b_g2_sums(const groth16_g2_affine* bases, const std::vector<const split_scalars*>& circuits, thread_pool_t& pool,
               groth16_g2* const* out, timeline& times);
