// The functions of the C interface: each checks its arguments, calls one function of this archive, and turns what is thrown
// into a status. No work is done here.
#include "groth16_cuda.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "b_g2.hpp"
#include "coset.hpp"
#include "device.hpp"
#include "failure.hpp"
#include "pages.hpp"
#include "prove.hpp"
#include "split.hpp"
#include "windows.hpp"

// abi.rs asserts the same sizes of its own structures.
static_assert(sizeof(groth16_status) == 16 && sizeof(groth16_device) == 280, "the interface has changed");
static_assert(sizeof(groth16_span) == 24 && sizeof(groth16_spans) == 24, "the interface has changed");
static_assert(sizeof(groth16_bases) == 80 && sizeof(groth16_circuit) == 88, "the interface has changed");
static_assert(sizeof(groth16_msm_facts) == 32 && sizeof(groth16_sums) == 1032, "the interface has changed");
static_assert(sizeof(groth16_page_event) == 32, "the interface has changed");

namespace {

void check_threads(uint32_t threads)
{
    require(threads >= 1 && threads <= GROTH16_MAX_THREADS, std::to_string(threads) + " CPU threads: give 1 to "
            + std::to_string(GROTH16_MAX_THREADS));
}

} // namespace

extern "C" {

uint32_t groth16_abi_version(void)
{
    return GROTH16_ABI_VERSION;
}

groth16_status groth16_device_describe(uint32_t index, groth16_device* out)
{
    return guarded([&] { *out = describe_device(index); });
}

groth16_status groth16_device_count(uint32_t* out)
{
    return guarded([&] { *out = count_devices(); });
}

groth16_status groth16_srs_create(const groth16_bases* bases, const uint32_t* devices, size_t devices_len,
                                  uint64_t resident_bytes, groth16_srs** out)
{
    return guarded([&] { *out = new groth16_srs(*bases, devices, devices_len, resident_bytes); });
}

uint64_t groth16_srs_resident_bytes(const groth16_srs* srs)
{
    uint64_t least = UINT64_MAX;
    for (const auto& lane : srs->lanes)
        least = std::min(least, lane->resident_bytes());
    return least;
}

void groth16_srs_destroy(groth16_srs* srs)
{
    delete srs;
}

groth16_status groth16_prove(groth16_srs* srs, const groth16_circuit* circuits, size_t circuits_len, uint32_t threads,
                             uint32_t window, groth16_sums* out, groth16_spans* spans)
{
    return guarded([&] {
        check_threads(threads);
        timeline times;
        prove(*srs, circuits, circuits_len, threads, window, out, times);
        times.write(*spans);
    });
}

groth16_status groth16_b_g2(const groth16_g2_affine* bases, size_t len, const groth16_scalar* const* scalars,
                            size_t circuits_len, uint32_t threads, groth16_g2* out, groth16_spans* spans)
{
    return guarded([&] {
        check_threads(threads);
        timeline times;
        thread_pool_t pool(threads);
        std::vector<split_scalars> splits;
        std::vector<const split_scalars*> circuits;
        std::vector<groth16_g2*> sums;
        for (size_t index = 0; index < circuits_len; index++) {
            splits.emplace_back(false);
            split({scalars[index], nullptr, len}, {nullptr, nullptr, 0}, pool, splits.back());
        }
        for (size_t index = 0; index < circuits_len; index++) {
            circuits.push_back(&splits[index]);
            sums.push_back(&out[index]);
        }
        b_g2_sums(bases, circuits, pool, sums.data(), times);
        times.write(*spans);
    });
}

groth16_status groth16_split(const groth16_scalar* scalars, size_t len, uint32_t threads, uint32_t* out_ones,
                             uint32_t* out_rest, size_t* out_rest_len)
{
    return guarded([&] {
        check_threads(threads);
        thread_pool_t pool(threads);
        split_scalars result(false);
        split({scalars, nullptr, len}, {nullptr, nullptr, 0}, pool, result);
        std::copy_n(result.ones.data(), ones_words(len), out_ones);
        std::copy_n(result.rest.data(), result.rest_len, out_rest);
        *out_rest_len = result.rest_len;
    });
}

size_t groth16_ones_words(size_t len)
{
    return ones_words(len);
}

groth16_status groth16_windows(const uint64_t* points, const uint64_t* nontrivial, uint32_t window, uint32_t* out)
{
    return guarded([&] {
        msm_counts all, rest;
        std::copy_n(points, all.size(), all.begin());
        std::copy_n(nontrivial, rest.size(), rest.begin());
        auto windows = choose_windows(all, rest, window);
        std::copy(windows.begin(), windows.end(), out);
    });
}

groth16_status groth16_select(const uint64_t* set, size_t len, uint32_t threads, uint32_t* out, size_t* out_len)
{
    return guarded([&] {
        check_threads(threads);
        thread_pool_t pool(threads);
        auto indices = select(set, len, pool);
        std::copy(indices.begin(), indices.end(), out);
        *out_len = indices.size();
    });
}

groth16_status groth16_vanishing_inverse(uint32_t lg, groth16_scalar* out)
{
    return guarded([&] {
        require(lg <= GROTH16_MAX_LG_DOMAIN, "the domain 2^" + std::to_string(lg) + " is larger than 2^"
                + std::to_string(GROTH16_MAX_LG_DOMAIN));
        *out = vanishing_inverse(lg);
    });
}

groth16_status groth16_page_ranges(const uintptr_t* starts, const size_t* sizes, size_t len, size_t page,
                                   uintptr_t* out_starts, size_t* out_sizes, size_t* out_len)
{
    return guarded([&] {
        std::vector<memory_range> ranges;
        for (size_t index = 0; index < len; index++)
            ranges.push_back({starts[index], sizes[index]});
        *out_len = 0;
        for (const auto& range : page_ranges(std::move(ranges), page)) {
            out_starts[*out_len] = range.start;
            out_sizes[(*out_len)++] = range.bytes;
        }
    });
}

groth16_status groth16_page_events(const uintptr_t* starts, const size_t* sizes, size_t len, const uint32_t* steps,
                                   size_t steps_len, uint64_t refused, groth16_page_event* out, size_t* out_len)
{
    return guarded([&] {
        struct refusal {};
        page_set pages;
        std::vector<std::vector<memory_range>> held(len);
        uint64_t step = 0, lockings = 0;
        *out_len = 0;
        auto log = [&](uint64_t change, memory_range range) { out[(*out_len)++] = {step, change, range.start, range.bytes}; };
        auto unlock = [&](memory_range range) { log(GROTH16_PAGES_UNLOCKED, range); };
        auto lock = [&](memory_range range) {
            bool refuse = refused != 0 && ++lockings % refused == 0;
            log(refuse ? GROTH16_PAGES_REFUSED : GROTH16_PAGES_LOCKED, range);
            if (refuse)
                throw refusal{};
        };
        for (; step < steps_len; step++) {
            uint32_t range = steps[step];
            require(range < len, "step " + std::to_string(step) + " names a range that is not there");
            try {
                if (held[range].empty())
                    held[range] = pages.hold({{starts[range], sizes[range]}}, lock, unlock);
                else
                    pages.let_go(std::exchange(held[range], {}), unlock);
            } catch (const refusal&) {
            }
        }
    });
}

} // extern "C"
