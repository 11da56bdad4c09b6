// Where the time of one call went: parts with a start and a length, on the CPU's monotonic clock.
//
// Parts are collected, never printed. Threads share a timeline. What runs on the GPU is timed to the moment the CPU knows
// that it has ended, so the work of a part must wait for the GPU before it returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "failure.hpp"
#include "groth16_cuda.h"

// The circuit of a part that belongs to the whole batch.
constexpr size_t whole_batch = UINT32_MAX;

class timeline {
    using clock = std::chrono::steady_clock;
    clock::time_point start = clock::now();
    std::mutex lock;
    std::vector<groth16_span> parts;

    static uint64_t nanoseconds(clock::duration length)
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(length).count();
    }

    void add(uint32_t phase, size_t circuit, clock::time_point begin, clock::time_point end)
    {
        std::lock_guard<std::mutex> held(lock);
        parts.push_back({phase, static_cast<uint32_t>(circuit), nanoseconds(begin - start), nanoseconds(end - begin)});
    }

public:
    // Runs `work` and notes it as `phase` of `circuit`, unless it throws.
    template<class Work> void record(uint32_t phase, size_t circuit, Work work)
    {
        auto begin = clock::now();
        work();
        add(phase, circuit, begin, clock::now());
    }

    // Writes the parts in the order in which they ended.
    void write(groth16_spans& spans) const
    {
        require(parts.size() <= spans.capacity, "the list of spans is too short for this batch");
        spans.len = 0;
        for (const auto& part : parts)
            spans.out[spans.len++] = part;
    }
};
