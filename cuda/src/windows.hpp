// How many bits of a scalar a multiplication on the GPU takes at a time (toggle D4).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "groth16_cuda.h"

// Of H, L, A and B in G1, in this order.
using msm_counts = std::array<uint64_t, 4>;
using msm_windows_of = std::array<uint32_t, 4>;

// The windows that sppark's kernels can use.
constexpr uint32_t min_window = GROTH16_MIN_WINDOW, max_window = GROTH16_MAX_WINDOW;

// sppark's own choice for a multiplication with `scalars` scalars.
uint32_t library_window(uint64_t scalars);

// The choice from the table measured for this architecture.
uint32_t tuned_window(uint64_t scalars);

// The windows of a batch, by the counts of non-trivial scalars. A forced window holds for all; 0 forces none. Then, with the
// toggle, each multiplication gets its own from the table; without, all get the library's choice for the average count.
std::vector<msm_windows_of> choose_windows(const std::vector<msm_counts>& counts, uint32_t forced);

// The number of points that makes sppark's formula give this very window.
constexpr uint64_t points_for_window(uint32_t window)
{
    return uint64_t{1} << (window + 8);
}
