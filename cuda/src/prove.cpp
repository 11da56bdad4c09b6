// Circuits go to the GPUs in turn. Without toggle B2 the CPU's threads work on B_G2 of all circuits beside the GPUs from start
// to end; a few more threads then do what the CPU has to do for the GPUs, so that these never wait for B_G2.
#include "prove.hpp"

#include <algorithm>
#include <future>
#include <string>

#include "b_g2.hpp"
#include "coset.hpp"
#include "toggles.hpp"

namespace {

// Threads beside those that work on B_G2.
constexpr uint32_t helpers = 4;

void check_lengths(const groth16_bases& bases, const groth16_circuit& circuit, size_t index)
{
    auto equal = [&](const char* query, size_t points, size_t scalars) {
        require(points == scalars, "circuit " + std::to_string(index) + " has " + std::to_string(scalars)
                + " scalars for the query " + query + ", which has " + std::to_string(points) + " points");
    };
    auto bits = [](const uint64_t* set, size_t len) {
        size_t count = 0;
        for (size_t word = 0; word < (len + 63) / 64; word++)
            count += __builtin_popcountll(set[word]);
        return count;
    };
    equal("h", bases.h_len, (size_t{1} << lg_domain(circuit.constraints)) - 1);
    equal("l", bases.l_len, circuit.aux_len);
    equal("a", bases.a_len, circuit.inputs_len + bits(circuit.a_aux, circuit.aux_len));
    equal("b", bases.b_g1_len, bits(circuit.b_inputs, circuit.inputs_len) + bits(circuit.b_aux, circuit.aux_len));
}

// Each lane on a thread of its own, but for the last, which is this one's. The first exception is thrown again.
void run_lanes(const groth16_srs& srs, std::vector<lane_work>& work)
{
    std::vector<std::future<void>> others;
    for (size_t index = 0; index + 1 < work.size(); index++)
        others.push_back(std::async(std::launch::async, [&, index] { srs.lanes[index]->prove(work[index]); }));
    srs.lanes.back()->prove(work.back());
    for (auto& other : others)
        other.get();
}

void on_gpus(const groth16_srs& srs, const groth16_circuit* circuits, size_t circuits_len, uint32_t window,
             const std::vector<split_scalars>& b_scalars, thread_pool_t& pool, groth16_sums* out, timeline& times)
{
    std::vector<lane_work> work(srs.lanes.size(), lane_work{circuits, out, {}, window, &b_scalars, pool, times});
    for (size_t index = 0; index < circuits_len; index++)
        work[index % work.size()].share.push_back(index);
    run_lanes(srs, work);
}

} // namespace

void prove(const groth16_srs& srs, const groth16_circuit* circuits, size_t circuits_len, uint32_t threads,
           uint32_t window, groth16_sums* out, timeline& times)
{
    for (size_t index = 0; index < circuits_len; index++)
        check_lengths(srs.bases, circuits[index], index);
    thread_pool_t pool(threads);
    std::vector<split_scalars> b_scalars;
    if (gpu_b_g2)
        return on_gpus(srs, circuits, circuits_len, window, b_scalars, pool, out, times);

    std::vector<const split_scalars*> lists;
    std::vector<groth16_g2*> sums;
    b_scalars.reserve(circuits_len);
    for (size_t index = 0; index < circuits_len; index++) {
        b_scalars.emplace_back(false);
        times.record(GROTH16_PHASE_MSM_B_G1, index, [&] { split_b(circuits[index], pool, b_scalars.back()); });
        lists.push_back(&b_scalars.back());
        sums.push_back(&out[index].b_g2);
        out[index].b_g2_facts = {b_scalars.back().len, b_scalars.back().ones_len, b_scalars.back().rest_len,
                                 host_window(b_scalars.back().rest_len), 0};
    }
    thread_pool_t helping(std::min(threads, helpers));
    // Waited for also when the GPUs' part throws: the future's destructor joins.
    auto b_g2 = std::async(std::launch::async, [&] { b_g2_sums(srs.bases.b_g2, lists, pool, sums.data(), times); });
    on_gpus(srs, circuits, circuits_len, window, b_scalars, helping, out, times);
    b_g2.get();
    times.record(GROTH16_PHASE_FREE, whole_batch, [&] { b_scalars.clear(); });
}
