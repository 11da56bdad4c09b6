// Where the time of one call went: parts with a start and a length.
//
// Parts are collected, never printed. Threads share a timeline. The CPU's parts are timed by its monotonic clock; the GPU's by
// events, counted from one that happened at a known time of that clock (gpu_clock.hpp).
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

public:
    // Nanoseconds since the call began.
    uint64_t now() const
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
    }

    void add(uint32_t phase, size_t circuit, uint64_t start_ns, uint64_t ns)
    {
        std::lock_guard<std::mutex> held(lock);
        parts.push_back({phase, static_cast<uint32_t>(circuit), start_ns, ns});
    }

    // Runs `work` and notes it as `phase` of `circuit`, unless it throws.
    template<class Work> void record(uint32_t phase, size_t circuit, Work work)
    {
        uint64_t begin = now();
        work();
        add(phase, circuit, begin, now() - begin);
    }

    // Writes the parts in the order in which they were noted.
    void write(groth16_spans& spans) const
    {
        require(parts.size() <= spans.capacity, "the list of spans is too short for this batch");
        spans.len = 0;
        for (const auto& part : parts)
            spans.out[spans.len++] = part;
    }
};
