// The multiplier over sppark's kernels, for any group: to be included by one file for each, after the group's field.
//
// A scalar is cut into digits of `window` bits (`breakdown`); the points of each digit are listed together (`sort`), added to
// that digit's bucket (`accumulate`), and the buckets of each window are summed up (`integrate`). Digits of one in the lowest
// window are added by `batch_addition` instead: there may be very many.
#pragma once

#include "msm.hpp"

#include <algorithm>

#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>
#include <ff/bls12-381.hpp>

#define SPPARK_DONT_INSTANTIATE_TEMPLATES
#include <msm/pippenger.cuh>

// A point is moved in so many words, each by a thread of its own.
template<class Affine> constexpr size_t point_words = sizeof(Affine) / sizeof(uint4);

// Both groups' files have it, each in a namespace of its own. One without a name would do but for nvcc, which makes up its name:
// from its process id, where a file defines nothing that others could use.
namespace MSM_FILE {

__global__ void gather(uint4* out, const uint4* points, const uint32_t* indices, size_t first, size_t each, size_t words)
{
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < words)
        out[i] = points[(indices[i / each] - first) * each + i % each];
}

unsigned blocks(size_t elements)
{
    return static_cast<unsigned>((elements + element_block - 1) / element_block);
}

// What a multiplication of so many points is cut into.
struct shape {
    uint32_t window, rows;
    size_t row, stride; // buckets of a row, digits of a row

    shape(uint32_t window, size_t len)
        : window(window), rows(rows_of(window)), row(size_t{1} << (window - 1)),
          stride((len + WARP_SZ - 1) / WARP_SZ * WARP_SZ) {}

    // Bits of a digit's size, without its sign.
    uint32_t digit_bits(uint32_t at) const
    {
        return (at + 1 == rows ? scalar_bits - window * (rows - 1) : window) - 1;
    }
};

// Blocks that sort one window: a power of two, a third of the multiprocessors at most, and no more than sppark's kernel can use.
unsigned sort_blocks(const gpu_t& gpu)
{
    unsigned most = std::min(gpu.sm_count() / 3, int{WARP_SZ}), found = 1;
    while (2 * found <= most)
        found *= 2;
    return found;
}

void sort_digits(const gpu_t& gpu, stream_t& stream, const shape& of, size_t len, vec2d_t<uint32_t> digits,
                 vec2d_t<uint2> temporary, vec2d_t<uint32_t> histograms)
{
    dim3 threads = SORT_BLOCKDIM;
    size_t shared = sizeof(uint32_t) << DIGIT_BITS;
    for (uint32_t at = 0; at < of.rows;) {
        // One launch takes two sizes of digits: that of its first window and that of all others.
        uint32_t side_by_side = std::min(of.rows - at, sort_rows);
        bool last = at + side_by_side == of.rows;
        if (last && side_by_side > 2 && of.digit_bits(of.rows - 1) != of.digit_bits(at))
            side_by_side--;
        stream.launch_coop(sort, dim3(sort_blocks(gpu), side_by_side), threads, shared, digits, len, at, temporary,
                           histograms, of.window - 1, of.digit_bits(at), of.digit_bits(at + side_by_side - 1));
        at += side_by_side;
    }
}

} // namespace MSM_FILE

using namespace MSM_FILE;

// What a file that includes this one says of its group: types of sppark's.
template<class Group> struct sppark_types;

template<class Group>
void multiplier<Group>::multiply_some(stream_t& stream, unsigned slot, const typename Group::affine* points,
                                      const groth16_scalar* scalars, size_t len, uint32_t window,
                                      partial_sums<Group>& out)
{
    using bucket_t = typename sppark_types<Group>::bucket;
    using bucket_h = typename bucket_t::mem_t;
    using affine_h = typename bucket_t::affine_t::mem_t;
    static_assert(sizeof(bucket_h) == Group::bucket_bytes, "sppark's buckets have the size that is said");
    static_assert(sizeof(affine_h) == sizeof(typename Group::affine), "sppark's points have the interface's layout");
    static_assert(sizeof(fr_t) == sizeof(groth16_scalar), "sppark's scalars have the interface's layout");
    static_assert(bucket_t::degree == 1 || bucket_t::degree == 2, "points of one thread or of two");

    shape of(window, len);
    size_t ones_len = size_t(gpu.sm_count()) * BATCH_ADD_BLOCK_SIZE / WARP_SZ;
    auto d_buckets = reinterpret_cast<bucket_h*>(buckets.ensure((of.rows * of.row + ones_len) * sizeof(bucket_h)));
    bucket_h* d_ones = d_buckets + of.rows * of.row;
    vec2d_t<uint32_t> d_digits(digits.ensure(of.rows * of.stride), static_cast<unsigned>(of.stride));
    vec2d_t<uint32_t> d_histograms(histograms.ensure(of.rows * of.row), static_cast<unsigned>(of.row));
    vec2d_t<uint2> d_temporary(temporary.ensure(sort_rows * of.stride), static_cast<unsigned>(of.stride));
    auto d_points = const_cast<affine_h*>(reinterpret_cast<const affine_h*>(points));

    breakdown<fr_t><<<2 * sort_blocks(gpu), 1024, sizeof(fr_t) * 1024, stream>>>(
        d_digits, reinterpret_cast<const fr_t*>(scalars), len, of.rows, window, true);
    CUDA_OK(cudaGetLastError());
    sort_digits(gpu, stream, of, len, d_digits, d_temporary, d_histograms);

    batch_addition<bucket_t><<<gpu.sm_count(), BATCH_ADD_BLOCK_SIZE, 0, stream>>>(
        d_ones, static_cast<const affine_h*>(d_points), len, static_cast<const uint32_t*>(d_digits[0]),
        static_cast<const uint32_t&>(d_histograms[0][0]));
    CUDA_OK(cudaGetLastError());
    stream.launch_coop(accumulate<bucket_t, affine_h>, launch_params_t{gpu.sm_count(), 0}, d_buckets, of.rows, window,
                       d_points, d_digits, d_histograms, uint32_t{slot});
    integrate<bucket_t><<<of.rows, integrate_threads, sizeof(bucket_h) * segments<Group>, stream>>>(
        d_buckets, of.rows, window, scalar_bits);
    CUDA_OK(cudaGetLastError());

    partial_sum& part = out.add(window, of.rows, ones_len);
    size_t width = 2 * segments<Group> * sizeof(bucket_h);
    CUDA_OK(cudaMemcpy2DAsync(part.memory.data(), width, d_buckets, of.row * sizeof(bucket_h), width, of.rows,
                              cudaMemcpyDeviceToHost, stream));
    stream.DtoH(reinterpret_cast<bucket_h*>(part.memory.data() + of.rows * width), d_ones, ones_len);
}

template<class Group>
void multiplier<Group>::multiply(stream_t& stream, unsigned slot, const typename Group::affine* points,
                                 const groth16_scalar* scalars, size_t len, uint32_t window,
                                 partial_sums<Group>& out)
{
    for (size_t at = 0; at < len; at += most_points)
        multiply_some(stream, slot, points + at, scalars + at, std::min(len - at, most_points), window, out);
}

template<class Group>
void multiplier<Group>::multiply_at(stream_t& stream, unsigned slot, const typename Group::affine* points,
                                    const uint32_t* indices, size_t first, const groth16_scalar* scalars, size_t len,
                                    uint32_t window, partial_sums<Group>& out)
{
    constexpr size_t each = point_words<typename Group::affine>;
    for (size_t at = 0; at < len; at += most_points) {
        size_t some = std::min(len - at, most_points);
        typename Group::affine* here = gathered.ensure(some);
        gather<<<blocks(some * each), element_block, 0, stream>>>(
            reinterpret_cast<uint4*>(here), reinterpret_cast<const uint4*>(points), indices + at, first, each,
            some * each);
        CUDA_OK(cudaGetLastError());
        multiply_some(stream, slot, here, scalars + at, some, window, out);
    }
}

template<class Group>
void multiplier<Group>::add_ones(stream_t& stream, unsigned slot, const typename Group::affine* points,
                                 const uint32_t* ones, size_t len, partial_sums<Group>& out)
{
    using bucket_t = typename sppark_types<Group>::bucket;
    using bucket_h = typename bucket_t::mem_t;
    using affine_h = typename bucket_t::affine_t::mem_t;
    size_t sums_len = size_t(gpu.sm_count()) * BATCH_ADD_BLOCK_SIZE / WARP_SZ;
    auto d_sums = reinterpret_cast<bucket_h*>(sums.ensure(sums_len * sizeof(bucket_h)));
    void (*kernel)(bucket_h*, const affine_h*, uint32_t, const uint32_t*, bool, uint32_t) =
        batch_addition<bucket_t, affine_h>;
    stream.launch_coop(kernel, launch_params_t{gpu.sm_count(), BATCH_ADD_BLOCK_SIZE}, d_sums,
                       reinterpret_cast<const affine_h*>(points), static_cast<uint32_t>(len), ones, false,
                       uint32_t{slot});
    partial_sum& part = out.add(0, 0, sums_len);
    stream.DtoH(reinterpret_cast<bucket_h*>(part.memory.data()), d_sums, sums_len);
}
