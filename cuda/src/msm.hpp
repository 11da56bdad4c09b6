// Multi-scalar multiplication on the GPU. Everything here gives a stream work and returns; the sums are complete when the
// stream has come to its end, and are then added up by `collect` (partial_sums.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <util/gpu_t.cuh>

#include "device_buffer.hpp"
#include "groth16_cuda.h"
#include "partial_sums.hpp"

// So many points are multiplied at one time, at most: it bounds the working memory.
constexpr size_t most_points = size_t{1} << 23;

// The working memory of one stream's multiplications in one group, kept from one to the next.
template<class Group> class multiplier {
    const gpu_t& gpu;
    device_buffer<unsigned char> buckets, sums;
    device_buffer<uint32_t> histograms, digits;
    device_buffer<uint2> temporary;
    device_buffer<typename Group::affine> gathered;

    void multiply_some(stream_t& stream, unsigned slot, const typename Group::affine* points,
                       const groth16_scalar* scalars, size_t len, uint32_t window, partial_sums<Group>& out);

public:
    explicit multiplier(const gpu_t& gpu) : gpu(gpu) {}

    // Adds scalar times point, over `len` of each, to `out`. All lie in the GPU's memory.
    void multiply(stream_t& stream, unsigned slot, const typename Group::affine* points, const groth16_scalar* scalars,
                  size_t len, uint32_t window, partial_sums<Group>& out);

    // The same with the points at `indices`, counted from `first`.
    void multiply_at(stream_t& stream, unsigned slot, const typename Group::affine* points, const uint32_t* indices,
                     size_t first, const groth16_scalar* scalars, size_t len, uint32_t window,
                     partial_sums<Group>& out);

    // Adds the points whose bit in `ones` is set; whole blocks of it are read.
    void add_ones(stream_t& stream, unsigned slot, const typename Group::affine* points, const uint32_t* ones,
                  size_t len, partial_sums<Group>& out);
};

// What a multiplier takes of the GPU's memory for so many points at a time, at most.
template<class Group> constexpr size_t multiplier_bytes(size_t points)
{
    size_t some = points < most_points ? points : most_points;
    size_t row = size_t{1} << (GROTH16_MAX_WINDOW - 1);
    size_t buckets = rows_of(GROTH16_MAX_WINDOW) * row * (Group::bucket_bytes + sizeof(uint32_t));
    size_t each = rows_of(GROTH16_MIN_WINDOW) * sizeof(uint32_t) + sort_rows * sizeof(uint2)
                  + sizeof(typename Group::affine);
    return buckets + some * each;
}
