#include "windows.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "failure.hpp"
#include "toggles.hpp"

namespace {

// From so many non-trivial scalars on, such a window.
struct row {
    uint64_t scalars;
    uint32_t window;
};

// sm_90, from one run of `cargo bench -p groth16-cuda -- windows` on an H200 (driver 580.159), medians of 3: the smallest and
// largest counts measured were 20,000 and 4,200,000 in G1, 20,000 and 320,000 in G2. What lies outside them is extrapolated.
// From 190,000 to 260,000 scalars of G1, 12 and 13 are within 6% of each other. `experiments/windows.toml` measures again.
constexpr row sm_90_g1[] = {
    {0, 10}, {1 << 14, 11}, {1 << 15, 12}, {1 << 18, 14}, {3 << 19, 15}, {3 << 20, 16},
};
constexpr row sm_90_g2[] = {
    {0, 10}, {1 << 14, 11}, {1 << 19, 12}, {1 << 21, 13}, {3 << 21, 14}, {1 << 25, 15},
};

template<size_t rows> uint32_t tuned_window(const row (&table)[rows], uint64_t scalars)
{
    uint32_t window = min_window;
    for (const auto& [from, tuned] : table)
        if (from <= scalars)
            window = tuned;
    return window;
}

} // namespace

uint32_t library_window(uint64_t points)
{
    uint32_t bits = 0;
    for (uint64_t rest = points + points / 2; rest >>= 1;)
        bits++;
    return std::clamp(bits > 8 ? bits - 8 : 0, min_window, max_window);
}

msm_windows_of choose_windows(const msm_counts& points, const msm_counts& nontrivial, uint32_t forced)
{
    require(forced == 0 || (forced >= min_window && forced <= max_window), "a window of " + std::to_string(forced)
            + " bits cannot be used on the GPU: choose one from " + std::to_string(min_window) + " to "
            + std::to_string(max_window));
    msm_windows_of windows;
    uint64_t average = (points[in_h] + points[in_l] + points[in_a] + points[in_b_g1]) / 4;
    windows.fill(forced != 0 ? forced : library_window(average));
    if (msm_windows && forced == 0) {
        for (size_t query : {in_h, in_l, in_a, in_b_g1})
            windows[query] = tuned_window(sm_90_g1, nontrivial[query]);
        windows[in_b_g2] = tuned_window(sm_90_g2, nontrivial[in_b_g2]);
    }
    return windows;
}
