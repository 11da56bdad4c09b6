// A query's points as a GPU gets at them: resident in its memory, or streamed from the host.
#pragma once

#include <algorithm>
#include <cstddef>

#include <util/gpu_t.cuh>

#include "device_buffer.hpp"
#include "gpu_event.hpp"
#include "split.hpp"

// So many points are streamed at a time: whole blocks of `split_scalars::ones`.
constexpr size_t streamed_points = size_t{1} << 20;
static_assert(streamed_points % ones_block == 0, "a part begins with a whole word of bits");

// The two places that parts of streamed queries are copied to in turn, so that one is filled while the other is worked on.
template<class Affine> struct stream_places {
    struct place {
        device_buffer<Affine> points;
        gpu_event filled, free;
    } places[2];
    size_t next = 0;
};

template<class Affine> class query {
    const Affine* host = nullptr;
    size_t count = 0;
    device_buffer<Affine> resident;

public:
    query() = default;
    query(const Affine* points, size_t len) : host(points), count(len) {}

    size_t size() const { return count; }
    size_t bytes() const { return count * sizeof(Affine); }
    bool is_resident() const { return resident.size() == count; }

    // Copies all of it to the GPU.
    void settle(stream_t& stream)
    {
        device_buffer<Affine> copy(count);
        if (count > 0)
            stream.HtoD(copy.data(), host, count);
        stream.sync();
        resident = std::move(copy);
    }

    // Calls work(points, first, len) for parts that make up the query: on `stream` the points of a part are in the GPU's
    // memory. Work gives `stream` what is to be done and returns.
    template<class Work>
    void for_each_part(stream_t& stream, stream_t& copies, stream_places<Affine>& places, Work work) const
    {
        if (count == 0)
            return;
        if (is_resident())
            return work(static_cast<const Affine*>(resident.data()), size_t{0}, count);
        for (size_t first = 0; first < count; first += streamed_points) {
            size_t len = std::min(count - first, streamed_points);
            auto& place = places.places[places.next++ % 2];
            place.points.ensure(std::min(count, streamed_points));
            place.free.hold(copies); // never recorded: it holds nothing
            copies.HtoD(place.points.data(), host + first, len);
            place.filled.record(copies);
            place.filled.hold(stream);
            work(static_cast<const Affine*>(place.points.data()), first, len);
            place.free.record(stream);
        }
    }
};
