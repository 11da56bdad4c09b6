#include "lane.hpp"

#include <algorithm>
#include <string>

#include "coset.hpp"
#include "kernel_slot.hpp"
#include "pages.hpp"
#include "quotient.hpp"
#include "toggles.hpp"

namespace {

// For the driver, the kernels' code and stacks, and sppark's tables of twiddles.
constexpr size_t spared_bytes = size_t{1} << 29;

constexpr size_t scalar_bytes(size_t count)
{
    return count * (sizeof(groth16_scalar) + sizeof(uint32_t)) + ones_words(count) * sizeof(uint32_t);
}

// What proving takes of a GPU's memory beside the points, at most.
size_t working_bytes(const groth16_bases& bases)
{
    size_t sides = 3 * (bases.h_len + 1) * sizeof(groth16_scalar);
    size_t scalars = scalar_bytes(bases.l_len) + scalar_bytes(bases.a_len) + scalar_bytes(bases.b_g1_len);
    size_t most = std::max({bases.h_len, bases.l_len, bases.a_len, bases.b_g1_len});
    size_t g2 = gpu_b_g2 ? multiplier_bytes<group_2>(bases.b_g2_len) + 2 * streamed_points * sizeof(groth16_g2_affine) : 0;
    return 2 * (sides + scalars) + multiplier_bytes<group_1>(most) + 2 * streamed_points * sizeof(groth16_g1_affine) + g2
           + spared_bytes;
}

size_t free_bytes()
{
    size_t available = 0, total = 0;
    CUDA_OK(cudaMemGetInfo(&available, &total));
    return available;
}

template<class T> void upload_some(stream_t& stream, device_buffer<T>& to, const T* from, size_t len)
{
    if (len > 0)
        stream.HtoD(to.ensure(len), from, len);
}

// As `upload_some`, from memory that is locked in part.
template<class T>
void upload_locked(stream_t& stream, device_buffer<T>& to, const T* from, size_t len, const page_lock& lock)
{
    memory_range whole{reinterpret_cast<uintptr_t>(from), len * sizeof(T)};
    auto* bytes = reinterpret_cast<unsigned char*>(to.ensure(len));
    for (const auto& part : lock.parts(whole))
        CUDA_OK(cudaMemcpyAsync(bytes + (part.start - whole.start), reinterpret_cast<const void*>(part.start), part.bytes,
                                cudaMemcpyHostToDevice, stream));
}

groth16_msm_facts facts(const split_scalars& scalars, uint32_t window)
{
    return {scalars.len, scalars.ones_len, scalars.rest_len, window, 0};
}

} // namespace

lane::lane(const gpu_t& chosen, const groth16_bases& bases, uint64_t resident_bytes)
    : gpu(chosen), compute(gpu.id()), side_copies(gpu.id()), scalar_copies(gpu.id()), point_copies(gpu.id()),
      h(bases.h, bases.h_len), l(bases.l, bases.l_len), a(bases.a, bases.a_len), b_g1(bases.b_g1, bases.b_g1_len),
      g1(gpu), g2(gpu)
{
    if (gpu_b_g2)
        b_g2 = {bases.b_g2, bases.b_g2_len};
    if (resident_bytes == GROTH16_WHAT_FITS) {
        size_t available = free_bytes(), working = working_bytes(bases);
        resident_bytes = available > working ? available - working : 0;
    }
    settle(resident_bytes);
}

lane::~lane()
{
    gpu.select();
    wait_for_all();
}

void lane::settle(uint64_t resident_bytes)
{
    auto try_one = [&](auto& points) {
        if (points.bytes() > resident_bytes)
            return;
        points.settle(point_copies);
        resident_bytes -= points.bytes();
    };
    try_one(h);
    try_one(l);
    try_one(a);
    try_one(b_g1);
    try_one(b_g2);
}

uint64_t lane::resident_bytes() const
{
    uint64_t bytes = 0;
    auto count = [&](const auto& points) { bytes += points.is_resident() ? points.bytes() : 0; };
    count(h);
    count(l);
    count(a);
    count(b_g1);
    count(b_g2);
    return bytes;
}

// ---- the CPU's side: splitting and copying ------------------------------------------------------------------------------

void lane::prepare(const lane_work& work, size_t circuit, place& at)
{
    auto on_this_gpu = [this, &work, circuit, &at](void (lane::*step)(const lane_work&, size_t, place&)) {
        return std::async(std::launch::async, [this, &work, circuit, &at, step] {
            gpu.select();
            (this->*step)(work, circuit, at);
        });
    };
    at.splitting = on_this_gpu(&lane::split_and_copy);
    at.copying = on_this_gpu(&lane::copy_sides);
}

void lane::split_and_copy(const lane_work& work, size_t circuit, place& at)
{
    const groth16_circuit& from = work.circuits[circuit];
    picked_scalars inputs{from.inputs, nullptr, from.inputs_len}, none{nullptr, nullptr, 0};
    place_scalars(work, circuit, GROTH16_PHASE_MSM_L, none, {from.aux, nullptr, from.aux_len}, at.l);
    auto in_a = select(from.a_aux, from.aux_len, work.pool);
    place_scalars(work, circuit, GROTH16_PHASE_MSM_A, inputs, {from.aux, in_a.data(), in_a.size()}, at.a_query);
    if (work.b_scalars->empty()) {
        at.b_query.host = &at.b_query.own;
        work.times.record(GROTH16_PHASE_MSM_B_G1, circuit, [&] { split_b(from, work.pool, at.b_query.own); });
    } else {
        at.b_query.host = &(*work.b_scalars)[circuit];
    }
    upload(at.b_query);
    at.split_placed.record(scalar_copies);
}

void lane::place_scalars(const lane_work& work, size_t circuit, uint32_t phase, const picked_scalars& inputs,
                         const picked_scalars& aux, placed_scalars& at)
{
    work.times.record(phase, circuit, [&] { split(inputs, aux, work.pool, at.own); });
    upload(at);
}

void lane::upload(placed_scalars& at)
{
    const split_scalars& from = *at.host;
    if (from.ones_len > 0)
        upload_some(scalar_copies, at.ones, from.ones.data(), ones_words(from.len));
    upload_some(scalar_copies, at.rest, from.rest.data(), from.rest_len);
    upload_some(scalar_copies, at.scalars, from.rest_scalars.data(), from.rest_len);
}

// a, b and c, with zeros up to the domain's size, page-locked meanwhile where the toggle says so.
void lane::copy_sides(const lane_work& work, size_t circuit, place& at)
{
    const groth16_circuit& from = work.circuits[circuit];
    size_t len = from.constraints, domain = size_t{1} << lg_domain(len);
    std::optional<page_lock> lock;
    if (host_pin) {
        std::vector<memory_range> ranges;
        for (const groth16_scalar* side : {from.a, from.b, from.c})
            ranges.push_back({reinterpret_cast<uintptr_t>(side), len * sizeof(groth16_scalar)});
        work.times.record(GROTH16_PHASE_PIN, circuit, [&] { lock.emplace(std::move(ranges)); });
    }
    work.times.record(GROTH16_PHASE_NTT, circuit, [&] {
        groth16_scalar factor = vanishing_inverse(lg_domain(len));
        upload_some(side_copies, at.factor, &factor, 1);
        CUDA_OK(cudaMemsetAsync(at.device_unsatisfied.ensure(1), 0xff, sizeof(uint64_t), side_copies));
        for (auto [to, side] : {std::pair{&at.a, from.a}, {&at.b, from.b}, {&at.c, from.c}}) {
            to->ensure(domain);
            lock ? upload_locked(side_copies, *to, side, len, *lock) : upload_some(side_copies, *to, side, len);
            if (len < domain)
                side_copies.bzero(to->data() + len, domain - len);
        }
        at.sides_placed.record(side_copies);
        side_copies.sync();
    });
    if (host_pin)
        work.times.record(GROTH16_PHASE_UNPIN, circuit, [&] { lock.reset(); });
}

// ---- the GPU's side -----------------------------------------------------------------------------------------------------

// A query that is streamed is one part of the timeline: what is done with its pieces overlaps with copying others.
template<class Group>
void lane::enqueue_query(size_t circuit, uint32_t phase, group_tools<Group>& tools,
                         const query<typename Group::affine>& bases, const placed_scalars& scalars, uint32_t window,
                         unsigned slot, partial_sums<Group>& out)
{
    const split_scalars& host = *scalars.host;
    bool streamed = !bases.is_resident();
    auto timed = [&](uint32_t name, auto work) { streamed ? work() : clock.record(name, circuit, compute, work); };
    auto one_piece = [&](const typename Group::affine* points, size_t first, size_t len) {
        const uint32_t *begin = host.rest.data(), *end = begin + host.rest_len;
        const uint32_t* from = std::lower_bound(begin, end, first);
        const uint32_t* to = std::lower_bound(from, end, first + len);
        if (from != to)
            timed(phase, [&] {
                tools.multiply.multiply_at(compute, slot, points, scalars.rest.data() + (from - begin), first,
                                           scalars.scalars.data() + (from - begin), to - from, window, out);
            });
        if (host.ones_len > 0)
            timed(GROTH16_PHASE_BATCH_ADD, [&] {
                tools.multiply.add_ones(compute, slot, points, scalars.ones.data() + ones_words(first), len, out);
            });
    };
    auto all = [&] { bases.for_each_part(compute, point_copies, tools.places, one_piece); };
    streamed ? clock.record(phase, circuit, compute, all) : all();
}

// Multiplications over L, A and B come first: their scalars are there before a, b and c.
void lane::enqueue(const lane_work& work, size_t circuit, place& at, unsigned slot)
{
    at.splitting.get();
    at.split_placed.hold(compute);
    const split_scalars &l_scalars = *at.l.host, &a_scalars = *at.a_query.host, &b_scalars = *at.b_query.host;
    auto windows = choose_windows({h.size(), l.size(), a.size(), b_g1.size(), b_g1.size()},
                                  {h.size(), l_scalars.rest_len, a_scalars.rest_len, b_scalars.rest_len,
                                   b_scalars.rest_len}, work.window);
    enqueue_query(circuit, GROTH16_PHASE_MSM_L, g1, l, at.l, windows[in_l], slot, at.l_sums);
    at.summed[in_l].record(compute);
    enqueue_query(circuit, GROTH16_PHASE_MSM_A, g1, a, at.a_query, windows[in_a], slot, at.a_sums);
    at.summed[in_a].record(compute);
    enqueue_query(circuit, GROTH16_PHASE_MSM_B_G1, g1, b_g1, at.b_query, windows[in_b_g1], slot, at.b_g1_sums);
    at.summed[in_b_g1].record(compute);
    if (gpu_b_g2)
        enqueue_query(circuit, GROTH16_PHASE_MSM_B_G2, g2, b_g2, at.b_query, windows[in_b_g2], slot, at.b_g2_sums);
    at.summed[in_b_g2].record(compute);
    at.copying.get();
    at.sides_placed.hold(compute);
    enqueue_h(circuit, at, windows[in_h], slot);

    groth16_sums& out = work.sums[circuit];
    out.h_facts = {h.size(), 0, h.size(), windows[in_h], 0};
    out.l_facts = facts(l_scalars, windows[in_l]);
    out.a_facts = facts(a_scalars, windows[in_a]);
    out.b_g1_facts = facts(b_scalars, windows[in_b_g1]);
    if (gpu_b_g2)
        out.b_g2_facts = facts(b_scalars, windows[in_b_g2]);
}

void lane::enqueue_h(size_t circuit, place& at, uint32_t window, unsigned slot)
{
    size_t constraints = h.size() + 1;
    clock.record(GROTH16_PHASE_NTT, circuit, compute, [&] {
        quotient(compute, at.a.data(), at.b.data(), at.c.data(), constraints, lg_domain(constraints), at.factor.data(),
                 at.device_unsatisfied.data());
    });
    compute.DtoH(at.unsatisfied.ensure(1), at.device_unsatisfied.data(), 1);
    clock.record(GROTH16_PHASE_MSM_H, circuit, compute, [&] {
        h.for_each_part(compute, point_copies, g1.places, [&](const groth16_g1_affine* points, size_t first, size_t len) {
            g1.multiply.multiply(compute, slot, points, at.a.data() + first, len, window, at.h_sums);
        });
    });
    at.summed[in_h].record(compute);
}

// ---- the CPU's side again -----------------------------------------------------------------------------------------------

void lane::finish(const lane_work& work, size_t circuit, place& at)
{
    groth16_sums& out = work.sums[circuit];
    auto sum = [&](query_index query, uint32_t phase, auto& parts, auto& to) {
        at.summed[query].wait();
        work.times.record(phase, circuit, [&] { to = collect(parts, work.pool); });
        parts.clear();
    };
    sum(in_l, GROTH16_PHASE_MSM_L, at.l_sums, out.l);
    sum(in_a, GROTH16_PHASE_MSM_A, at.a_sums, out.a);
    sum(in_b_g1, GROTH16_PHASE_MSM_B_G1, at.b_g1_sums, out.b_g1);
    if (gpu_b_g2)
        sum(in_b_g2, GROTH16_PHASE_MSM_B_G2, at.b_g2_sums, out.b_g2);
    sum(in_h, GROTH16_PHASE_MSM_H, at.h_sums, out.h);
    out.unsatisfied = at.unsatisfied[0];
}

void lane::wait_for_all() noexcept
{
    for (auto& at : places) {
        for (auto* step : {&at.splitting, &at.copying})
            if (step->valid())
                step->wait();
    }
    for (auto* stream : {&compute, &side_copies, &scalar_copies, &point_copies})
        if (cudaStreamSynchronize(*stream) != cudaSuccess)
            (void)cudaGetLastError(); // what went wrong has been told already
    for (auto& at : places) {
        for (auto* parts : {&at.h_sums, &at.l_sums, &at.a_sums, &at.b_g1_sums})
            parts->clear();
        at.b_g2_sums.clear();
    }
}

void lane::prove(const lane_work& work)
{
    // Whatever happens, nothing works on the batch or on this lane's memory afterwards.
    struct at_end {
        lane& all;
        ~at_end() { all.wait_for_all(); }
    };
    gpu.select();
    kernel_slot slot;
    at_end guard{*this};
    const auto& share = work.share;
    auto at = [&](size_t index) -> place& { return places[index % 2]; };

    clock.start(compute, work.times);
    for (size_t index = 0; index < std::min<size_t>(share.size(), 2); index++)
        prepare(work, share[index], at(index));
    if (!share.empty())
        enqueue(work, share[0], at(0), slot.number());
    for (size_t index = 0; index < share.size(); index++) {
        if (index + 1 < share.size())
            enqueue(work, share[index + 1], at(index + 1), slot.number());
        finish(work, share[index], at(index));
        if (index + 2 < share.size())
            prepare(work, share[index + 2], at(index));
    }
    clock.write(work.times);
}
