// One GPU and its share of a batch.
//
// A circuit passes three steps, and up to three circuits are under way, each in another: the CPU splits its scalars and copies
// them and a, b and c to one of two places on the GPU; the GPU is given its work; the CPU adds up what that left. So the GPU
// works on one circuit while the CPU prepares the next and finishes the one before.
#pragma once

#include <array>
#include <future>
#include <optional>
#include <vector>

#include "gpu_clock.hpp"
#include "groth16_cuda.h"
#include "msm.hpp"
#include "query.hpp"
#include "split.hpp"
#include "threads.hpp"
#include "windows.hpp"

// What a lane is to do. `circuits` and `sums` are those of the whole batch, of which it takes those at `share`.
struct lane_work {
    const groth16_circuit* circuits;
    groth16_sums* sums;
    std::vector<size_t> share;
    uint32_t window;
    // The scalars of B by circuit where they have been split already; else empty.
    const std::vector<split_scalars>* b_scalars;
    thread_pool_t& pool;
    timeline& times;
};

class lane {
    // A query's scalars on the host and on the GPU.
    struct placed_scalars {
        split_scalars own{true};
        const split_scalars* host = &own;
        device_buffer<uint32_t> ones, rest;
        device_buffer<groth16_scalar> scalars;
    };

    // What all queries of one group share.
    template<class Group> struct group_tools {
        multiplier<Group> multiply;
        stream_places<typename Group::affine> places;

        explicit group_tools(const gpu_t& gpu) : multiply(gpu) {}
    };

    // One of the two places for a circuit that is under way.
    struct place {
        device_buffer<groth16_scalar> a, b, c, factor;
        device_buffer<uint64_t> device_unsatisfied;
        host_buffer<uint64_t> unsatisfied{true};
        placed_scalars l, a_query, b_query;
        gpu_event split_placed, sides_placed;
        std::future<void> splitting, copying;
        partial_sums<group_1> h_sums, l_sums, a_sums, b_g1_sums;
        partial_sums<group_2> b_g2_sums;
        // When each is complete.
        std::array<gpu_event, queries> summed;
    };

    const gpu_t& gpu;
    stream_t compute, side_copies, scalar_copies, point_copies;
    query<groth16_g1_affine> h, l, a, b_g1;
    query<groth16_g2_affine> b_g2;
    group_tools<group_1> g1;
    group_tools<group_2> g2;
    place places[2];
    gpu_clock clock;

    void settle(uint64_t resident_bytes);
    void prepare(const lane_work& work, size_t circuit, place& at);
    void split_and_copy(const lane_work& work, size_t circuit, place& at);
    void place_scalars(const lane_work& work, size_t circuit, uint32_t phase, const picked_scalars& inputs,
                       const picked_scalars& aux, placed_scalars& at);
    void upload(placed_scalars& at);
    void copy_sides(const lane_work& work, size_t circuit, place& at);
    void enqueue(const lane_work& work, size_t circuit, place& at, unsigned slot);
    void enqueue_h(size_t circuit, place& at, uint32_t window, unsigned slot);
    template<class Group>
    void enqueue_query(size_t circuit, uint32_t phase, group_tools<Group>& tools,
                       const query<typename Group::affine>& bases, const placed_scalars& scalars, uint32_t window,
                       unsigned slot, partial_sums<Group>& out);
    void finish(const lane_work& work, size_t circuit, place& at);
    void wait_for_all() noexcept;

public:
    lane(const gpu_t& gpu, const groth16_bases& bases, uint64_t resident_bytes);
    ~lane();
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    void prove(const lane_work& work);
    uint64_t resident_bytes() const;
};
