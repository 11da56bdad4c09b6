// The GPU's parts of a timeline.
#pragma once

#include <deque>

#include "gpu_event.hpp"
#include "timeline.hpp"

// Notes pairs of events while the GPU is given its work, and what lies between them once it has ended. Events are kept for the
// next call.
class gpu_clock {
    struct part {
        uint32_t phase;
        size_t circuit;
        const gpu_event *begin, *end;
    };
    std::deque<gpu_event> events; // does not move what it has
    size_t used = 0;
    std::vector<part> parts;
    uint64_t zero_ns = 0;

    gpu_event& next()
    {
        if (used == events.size())
            events.emplace_back(true);
        return events[used++];
    }

public:
    // The time of the first event is that of the CPU's clock when an idle stream has come to it.
    void start(const stream_t& stream, const timeline& times)
    {
        used = 0;
        parts.clear();
        gpu_event& zero = next();
        zero.record(stream);
        zero.wait();
        zero_ns = times.now();
    }

    // Calls `enqueue`, which gives work to `stream`, and notes that work.
    template<class Enqueue> void record(uint32_t phase, size_t circuit, const stream_t& stream, Enqueue enqueue)
    {
        gpu_event& begin = next();
        begin.record(stream);
        enqueue();
        gpu_event& end = next();
        end.record(stream);
        parts.push_back({phase, circuit, &begin, &end});
    }

    // All of it has ended.
    void write(timeline& times) const
    {
        for (const auto& part : parts)
            times.add(part.phase, part.circuit, zero_ns + part.begin->since(events.front()),
                      part.end->since(*part.begin));
    }
};
