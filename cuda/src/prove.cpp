// The scalars of all circuits are split first: windows are chosen by their counts, and B_G2, which the CPU works on, then
// runs beside the GPU's part from start to end.
#include "prove.hpp"

#include <future>
#include <optional>
#include <string>

#include "b_g2.hpp"
#include "coset.hpp"
#include "pages.hpp"
#include "quotient.hpp"
#include "toggles.hpp"
#include "windows.hpp"

namespace {

struct circuit_scalars {
    split_scalars l, a, b;
};

device_points upload(const gpu_t& gpu, const groth16_g1_affine* points, size_t len)
{
    device_points buffer(len);
    if (len > 0)
        gpu.HtoD(buffer.data(), points, len);
    return buffer;
}

void check_lengths(const groth16_srs& srs, const groth16_circuit& circuit, size_t index)
{
    auto equal = [&](const char* query, size_t bases, size_t scalars) {
        require(bases == scalars, "circuit " + std::to_string(index) + " has " + std::to_string(scalars)
                + " scalars for the query " + query + ", which has " + std::to_string(bases) + " points");
    };
    equal("h", srs.h.size(), (size_t{1} << lg_domain(circuit.constraints)) - 1);
    equal("l", srs.l.size(), circuit.l_len);
    equal("a", srs.a.size(), circuit.a_query_len);
    equal("b", srs.b_g1.size(), circuit.b_query_len);
}

circuit_scalars split_circuit(const groth16_circuit& circuit, size_t index, thread_pool_t& pool, timeline& times)
{
    circuit_scalars scalars;
    times.record(GROTH16_PHASE_MSM_L, index, [&] { scalars.l = split(circuit.l, circuit.l_len, pool); });
    times.record(GROTH16_PHASE_MSM_A, index, [&] { scalars.a = split(circuit.a_query, circuit.a_query_len, pool); });
    times.record(GROTH16_PHASE_MSM_B_G1, index, [&] { scalars.b = split(circuit.b_query, circuit.b_query_len, pool); });
    return scalars;
}

std::vector<msm_windows_of> windows_of(const groth16_srs& srs, const std::vector<circuit_scalars>& batch,
                                       uint32_t forced)
{
    std::vector<msm_counts> counts;
    for (const auto& circuit : batch)
        counts.push_back({srs.h.size(), circuit.l.rest.size(), circuit.a.rest.size(), circuit.b.rest.size()});
    return choose_windows(counts, forced);
}

groth16_msm_facts facts(const split_scalars& scalars, uint32_t window)
{
    return {scalars.len, scalars.ones_len, scalars.rest.size(), window, 0};
}

// h on the GPU, its a, b and c page-locked meanwhile where the toggle says so.
device_buffer<groth16_scalar> timed_quotient(const gpu_t& gpu, const groth16_circuit& circuit, size_t index,
                                             timeline& times)
{
    std::optional<page_lock> lock;
    if (host_pin) {
        size_t bytes = circuit.constraints * sizeof(groth16_scalar);
        std::vector<memory_range> ranges;
        for (const groth16_scalar* side : {circuit.a, circuit.b, circuit.c})
            ranges.push_back({reinterpret_cast<uintptr_t>(side), bytes});
        times.record(GROTH16_PHASE_PIN, index, [&] { lock.emplace(std::move(ranges)); });
    }
    device_buffer<groth16_scalar> h;
    times.record(GROTH16_PHASE_NTT, index, [&] { h = quotient(gpu, circuit, lg_domain(circuit.constraints)); });
    if (host_pin)
        times.record(GROTH16_PHASE_UNPIN, index, [&] { lock.reset(); });
    return h;
}

void prove_on_gpu(const groth16_srs& srs, const groth16_circuit& circuit, size_t index, const circuit_scalars& scalars,
                  const msm_windows_of& windows, groth16_sums& out, timeline& times)
{
    auto h = timed_quotient(srs.gpu, circuit, index, times);
    times.record(GROTH16_PHASE_MSM_H, index, [&] {
        out.h = multiply_all(srs.gpu, srs.h, h, srs.h.size(), windows[0]);
    });
    out.h_facts = {srs.h.size(), 0, srs.h.size(), windows[0], 0};
    times.record(GROTH16_PHASE_FREE, index, [&] { h = {}; });

    auto sum = [&](uint32_t phase, const device_points& bases, const split_scalars& values, uint32_t window) {
        groth16_g1 rest, ones;
        times.record(phase, index, [&] { rest = multiply_rest(srs.gpu, bases, values, window); });
        times.record(GROTH16_PHASE_BATCH_ADD, index, [&] { ones = add_ones(srs.gpu, bases, values); });
        return add(rest, ones);
    };
    out.l = sum(GROTH16_PHASE_MSM_L, srs.l, scalars.l, windows[1]);
    out.a = sum(GROTH16_PHASE_MSM_A, srs.a, scalars.a, windows[2]);
    out.b_g1 = sum(GROTH16_PHASE_MSM_B_G1, srs.b_g1, scalars.b, windows[3]);
    out.l_facts = facts(scalars.l, windows[1]);
    out.a_facts = facts(scalars.a, windows[2]);
    out.b_g1_facts = facts(scalars.b, windows[3]);
    out.b_g2_facts = facts(scalars.b, host_window(scalars.b.rest.size()));
}

} // namespace

groth16_srs::groth16_srs(const groth16_bases& bases, uint32_t device) : gpu(open_device(device)), b_g2(bases.b_g2)
{
    require(bases.b_g1_len == bases.b_g2_len, "the B query has " + std::to_string(bases.b_g1_len) + " points in G1 and "
            + std::to_string(bases.b_g2_len) + " in G2");
    h = upload(gpu, bases.h, bases.h_len);
    l = upload(gpu, bases.l, bases.l_len);
    a = upload(gpu, bases.a, bases.a_len);
    b_g1 = upload(gpu, bases.b_g1, bases.b_g1_len);
    gpu.sync();
}

void prove(const groth16_srs& srs, const groth16_circuit* circuits, size_t circuits_len, uint32_t window,
           thread_pool_t& pool, groth16_sums* out, timeline& times)
{
    srs.gpu.select();
    std::vector<circuit_scalars> batch;
    for (size_t index = 0; index < circuits_len; index++) {
        check_lengths(srs, circuits[index], index);
        batch.push_back(split_circuit(circuits[index], index, pool, times));
    }
    auto windows = windows_of(srs, batch, window);

    std::vector<const split_scalars*> b_scalars;
    std::vector<groth16_g2*> b_sums;
    for (size_t index = 0; index < circuits_len; index++) {
        b_scalars.push_back(&batch[index].b);
        b_sums.push_back(&out[index].b_g2);
    }
    // Waited for also when the GPU's part throws: the future's destructor joins.
    auto b_g2 = std::async(std::launch::async, [&] { b_g2_sums(srs.b_g2, b_scalars, pool, b_sums.data(), times); });
    for (size_t index = 0; index < circuits_len; index++)
        prove_on_gpu(srs, circuits[index], index, batch[index], windows[index], out[index], times);
    b_g2.get();
    times.record(GROTH16_PHASE_FREE, whole_batch, [&] { batch.clear(); });
}
