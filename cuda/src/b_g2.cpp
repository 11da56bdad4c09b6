#include "b_g2.hpp"

#include <algorithm>
#include <cstring>

#include <ff/bls12-381-fp2.hpp>
#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>
#include <msm/pippenger.hpp>

#include "toggles.hpp"

namespace {

using point = jacobian_t<fp2_t>;
using bucket = xyzz_t<fp2_t>;
using affine = bucket::affine_t;

static_assert(sizeof(point) == sizeof(groth16_g2), "sppark's points have the layout of the interface");
static_assert(sizeof(affine) == sizeof(groth16_g2_affine), "sppark's points have the layout of the interface");
static_assert(sizeof(fr_t) == sizeof(groth16_scalar), "sppark's scalars have the layout of the interface");

// So many points are gathered or added at a time by one thread; whole blocks of `split_scalars::ones`.
constexpr size_t chunk_len = 4 * ones_block;

size_t chunks(size_t len)
{
    return (len + chunk_len - 1) / chunk_len;
}

// On the pool, or on the calling thread where there is none.
template<class Work> void run(thread_pool_t* pool, size_t count, Work work)
{
    if (pool)
        return for_each(*pool, count, work);
    for (size_t index = 0; index < count; index++)
        work(index);
}

// The sum over the scalars that are neither zero nor one.
point multiply(const affine* bases, const split_scalars& scalars, thread_pool_t* pool)
{
    point sum;
    sum.inf();
    size_t len = scalars.rest_len;
    if (len == 0) // sppark reads one point at least
        return sum;
    std::vector<affine> points(len);
    run(pool, chunks(len), [&](size_t at) {
        for (size_t i = at * chunk_len; i < std::min((at + 1) * chunk_len, len); i++)
            points[i] = bases[scalars.rest[i]];
    });
    auto values = reinterpret_cast<const fr_t*>(scalars.rest_scalars.data());
    mult_pippenger<bucket>(sum, points.data(), len, values, true, pool);
    return sum;
}

// The sum of the bases whose scalar is one.
point add_ones(const affine* bases, const split_scalars& scalars, thread_pool_t* pool)
{
    std::vector<bucket> parts(chunks(scalars.len));
    run(pool, parts.size(), [&](size_t at) {
        bucket sum;
        sum.inf();
        for (size_t i = at * chunk_len; i < std::min((at + 1) * chunk_len, scalars.len); i++)
            if (scalars.ones[i / 32] >> (i % 32) & 1)
                sum.add(bases[i]);
        parts[at] = sum;
    });
    bucket total;
    total.inf();
    for (const auto& part : parts)
        total.add(part);
    return total;
}

} // namespace

uint32_t host_window(uint64_t scalars)
{
    return static_cast<uint32_t>(window_size(scalars));
}

void b_g2_sums(const groth16_g2_affine* bases, const std::vector<const split_scalars*>& circuits, thread_pool_t& pool,
               groth16_g2* const* out, timeline& times)
{
    auto points = reinterpret_cast<const affine*>(bases);
    auto one_circuit = [&](size_t circuit, thread_pool_t* threads) {
        point sum, ones;
        times.record(GROTH16_PHASE_MSM_B_G2, circuit, [&] { sum = multiply(points, *circuits[circuit], threads); });
        times.record(GROTH16_PHASE_BATCH_ADD, circuit, [&] { ones = add_ones(points, *circuits[circuit], threads); });
        sum.add(ones);
        std::memcpy(out[circuit], &sum, sizeof(sum));
    };
    if (parallel_b_g2) {
        for_each(pool, circuits.size(), [&](size_t circuit) { one_circuit(circuit, nullptr); });
    } else {
        for (size_t circuit = 0; circuit < circuits.size(); circuit++)
            one_circuit(circuit, &pool);
    }
}
