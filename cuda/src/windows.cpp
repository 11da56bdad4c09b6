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

// sm_90, in G1. From a model, not yet from a measurement: n scalars cost n * ceil(255 / w) additions on all cores, and
// summing up the buckets 2^(w - 9) pairs of additions, each waiting for the one before. `experiments/windows.toml` is to
// replace it.
constexpr row sm_90[] = {
    {0, 10}, {1 << 14, 11}, {1 << 15, 12}, {1 << 17, 13}, {1 << 18, 14}, {1 << 20, 15}, {1 << 22, 16},
};

uint64_t average(const std::vector<msm_counts>& counts)
{
    uint64_t sum = 0;
    for (const auto& circuit : counts)
        for (uint64_t count : circuit)
            sum += count;
    return counts.empty() ? 0 : sum / (4 * counts.size());
}

} // namespace

uint32_t library_window(uint64_t scalars)
{
    uint32_t bits = 0;
    for (uint64_t rest = scalars + scalars / 2; rest >>= 1;)
        bits++;
    return std::clamp(bits > 8 ? bits - 8 : 0, min_window, max_window);
}

uint32_t tuned_window(uint64_t scalars)
{
    uint32_t window = min_window;
    for (const auto& [from, tuned] : sm_90)
        if (from <= scalars)
            window = tuned;
    return window;
}

std::vector<msm_windows_of> choose_windows(const std::vector<msm_counts>& counts, uint32_t forced)
{
    require(forced == 0 || (forced >= min_window && forced <= max_window), "a window of " + std::to_string(forced)
            + " bits cannot be used on the GPU: choose one from " + std::to_string(min_window) + " to "
            + std::to_string(max_window));
    uint32_t common = forced != 0 ? forced : library_window(average(counts));
    bool own = msm_windows && forced == 0;
    std::vector<msm_windows_of> windows(counts.size());
    for (size_t circuit = 0; circuit < counts.size(); circuit++)
        for (size_t msm = 0; msm < counts[circuit].size(); msm++)
            windows[circuit][msm] = own ? tuned_window(counts[circuit][msm]) : common;
    return windows;
}
