// The functions of the C interface: each checks its arguments, calls one function of this archive, and turns what is thrown
// into a status. No work is done here.
#include "groth16_cuda.h"

#include <algorithm>
#include <string>

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
static_assert(sizeof(groth16_bases) == 80 && sizeof(groth16_circuit) == 80, "the interface has changed");
static_assert(sizeof(groth16_msm_facts) == 32 && sizeof(groth16_sums) == 1024, "the interface has changed");

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

groth16_status groth16_srs_create(const groth16_bases* bases, uint32_t device, groth16_srs** out)
{
    return guarded([&] { *out = new groth16_srs(*bases, device); });
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
        {
            thread_pool_t pool(threads);
            prove(*srs, circuits, circuits_len, window, pool, out, times);
        }
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
        for (size_t index = 0; index < circuits_len; index++)
            splits.push_back(split(scalars[index], len, pool));
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
        split_scalars result = split(scalars, len, pool);
        std::copy(result.ones.begin(), result.ones.end(), out_ones);
        std::copy(result.rest.begin(), result.rest.end(), out_rest);
        *out_rest_len = result.rest.size();
    });
}

size_t groth16_ones_words(size_t len)
{
    return ones_words(len);
}

groth16_status groth16_windows(const uint64_t* counts, size_t circuits_len, uint32_t window, uint32_t* out)
{
    return guarded([&] {
        std::vector<msm_counts> all(circuits_len);
        for (size_t index = 0; index < circuits_len; index++)
            std::copy_n(counts + 4 * index, 4, all[index].begin());
        for (const auto& windows : choose_windows(all, window))
            out = std::copy(windows.begin(), windows.end(), out);
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

} // extern "C"
