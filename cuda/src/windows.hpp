// How many bits of a scalar a multiplication on the GPU takes at a time (toggle D4).
#pragma once

#include <array>
#include <cstdint>

#include "groth16_cuda.h"

// One of something for each multiplication of a circuit: H, L, A, B in G1, B in G2.
enum query_index { in_h, in_l, in_a, in_b_g1, in_b_g2, queries };
using msm_counts = std::array<uint64_t, queries>;
using msm_windows_of = std::array<uint32_t, queries>;

// The windows that sppark's kernels can use.
constexpr uint32_t min_window = GROTH16_MIN_WINDOW, max_window = GROTH16_MAX_WINDOW;

// sppark's own choice for a multiplication of so many points.
uint32_t library_window(uint64_t points);

// The windows of a circuit, by how many points its queries have and how many of their scalars are neither zero nor one. A
// forced window holds for all; 0 forces none. Then, with the toggle, each multiplication gets its own from the table measured
// for this architecture; without, all get the library's choice for the average number of points in G1.
msm_windows_of choose_windows(const msm_counts& points, const msm_counts& nontrivial, uint32_t forced);
