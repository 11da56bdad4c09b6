// What the GPU leaves of a multiplication for the CPU to add up.
//
// sppark's `integrate` divides a window's buckets among threads. Thread t, whose buckets begin at number f, leaves two points: the
// sum of its buckets, each as often as its place among them (from 1), and their plain sum, which still has to be taken f times. Beside them
// lie plain partial sums of the points that are added once.
#pragma once

#include <cstdint>
#include <list>

#include "groth16_cuda.h"
#include "host_buffer.hpp"
#include "threads.hpp"
#include "tuning.hpp"

struct group_1 {
    using affine = groth16_g1_affine;
    using sum = groth16_g1;
    static constexpr unsigned degree = 1; // threads that share a point
    static constexpr size_t bucket_bytes = 192;
};

struct group_2 {
    using affine = groth16_g2_affine;
    using sum = groth16_g2;
    static constexpr unsigned degree = 2;
    static constexpr size_t bucket_bytes = 384;
};

// Threads, or pairs of them, that divide a window's buckets.
template<class Group> constexpr size_t segments = integrate_threads / Group::degree;

constexpr uint32_t scalar_bits = 255;

constexpr uint32_t rows_of(uint32_t window)
{
    return (scalar_bits - 1) / window + 1;
}

// One launch's part of a sum, in page-locked memory: 2 * segments points a row, then `plain` points.
struct partial_sum {
    host_buffer<unsigned char> memory{true};
    uint32_t window = 0;
    size_t rows = 0, plain = 0;
};

// Takes memory for results and keeps what is given back.
template<class Group> class partial_sums {
    std::list<partial_sum> parts, spare;

public:
    partial_sum& add(uint32_t window, size_t rows, size_t plain)
    {
        if (spare.empty())
            spare.emplace_back();
        parts.splice(parts.end(), spare, spare.begin());
        partial_sum& part = parts.back();
        part.memory.ensure((2 * segments<Group> * rows + plain) * Group::bucket_bytes);
        part.window = window;
        part.rows = rows;
        part.plain = plain;
        return part;
    }

    const std::list<partial_sum>& all() const { return parts; }

    void clear() { spare.splice(spare.end(), parts); }
};

// The sum of everything; infinity where there is nothing.
template<class Group> typename Group::sum collect(const partial_sums<Group>& parts, thread_pool_t& pool);
