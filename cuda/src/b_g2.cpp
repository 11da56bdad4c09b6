#include "b_g2.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <ff/bls12-381-fp2.hpp>
#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>

#include "affine_buckets.hpp"
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

// A scalar as a number.
struct number {
    uint64_t limbs[4];

    // `count` bits from bit `from` on; beyond the last there are zeros, and before the first.
    uint32_t bits(int from, uint32_t count) const
    {
        uint64_t found = from < 0 ? limbs[0] << -from : limbs[from / 64] >> (from % 64);
        if (from >= 0 && from % 64 != 0 && from / 64 < 3)
            found |= limbs[from / 64 + 1] << (64 - from % 64);
        return static_cast<uint32_t>(found & ((uint64_t{1} << count) - 1));
    }

    // Digit `row` of `window` bits, from -2^(window - 1) to 2^(window - 1) (Booth).
    int32_t digit(uint32_t row, uint32_t window) const
    {
        uint32_t found = bits(static_cast<int>(row * window) - 1, window + 1);
        return static_cast<int32_t>((found + 1) >> 1) - static_cast<int32_t>((found >> window) << window);
    }
};

number number_of(const groth16_scalar& scalar)
{
    fr_t value;
    std::memcpy(static_cast<void*>(&value), &scalar, sizeof(value));
    value.from();
    number result;
    std::memcpy(&result, &value, sizeof(result));
    return result;
}

// Scalars are below 2^255, so that the top digit is not negative.
uint32_t digits(uint32_t window)
{
    return 255 / window + 1;
}

struct coordinates {
    fp2_t x, y;
};

// The sum of the points at `rest`, from `begin` to `end`, each as often as its scalar's digit says.
bucket row_sum(const coordinates* bases, const split_scalars& scalars, const std::vector<number>& numbers, size_t begin,
               size_t end, uint32_t row, uint32_t window)
{
    affine_buckets<fp2_t> buckets(size_t{1} << (window - 1));
    for (size_t i = begin; i < end; i++) {
        int32_t digit = numbers[i].digit(row, window);
        const coordinates& point = bases[scalars.rest[i]];
        if (digit == 0 || (point.x.is_zero() && point.y.is_zero())) // infinity is all zeros
            continue;
        buckets.add(static_cast<size_t>(std::abs(digit)) - 1, point.x, cneg(point.y, digit < 0));
    }
    buckets.finish();
    return buckets.weighted_sum();
}

// The sum over the scalars that are neither zero nor one. Each row of digits is cut into so many parts that no thread is left
// without work for long.
point multiply(const affine* bases, const split_scalars& scalars, thread_pool_t* pool)
{
    point sum;
    sum.inf();
    size_t len = scalars.rest_len;
    if (len == 0)
        return sum;
    std::vector<number> numbers(len);
    run(pool, chunks(len), [&](size_t at) {
        for (size_t i = at * chunk_len; i < std::min((at + 1) * chunk_len, len); i++)
            numbers[i] = number_of(scalars.rest_scalars[i]);
    });
    uint32_t window = host_window(len), rows = digits(window);
    size_t parts = pool ? std::min((4 * pool->size() + rows - 1) / rows, chunks(len)) : 1;
    std::vector<bucket> sums(rows * parts);
    run(pool, sums.size(), [&](size_t at) {
        size_t row = at / parts, part = at % parts;
        sums[at] = row_sum(reinterpret_cast<const coordinates*>(bases), scalars, numbers, len * part / parts,
                           len * (part + 1) / parts, static_cast<uint32_t>(row), window);
    });
    for (size_t row = rows; row-- > 0;) {
        for (uint32_t bit = 0; bit < window; bit++)
            sum.dbl();
        for (size_t part = 0; part < parts; part++)
            sum.add(point(sums[row * parts + part]));
    }
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

// A row costs an addition for each scalar and, in each of about three parts, two for each bucket, which are dearer.
uint32_t host_window(uint64_t scalars)
{
    auto cost = [scalars](uint32_t window) { return digits(window) * (scalars + (uint64_t{15} << (window - 1))); };
    uint32_t best = 2;
    for (uint32_t window = 3; window <= 16; window++)
        if (cost(window) < cost(best))
            best = window;
    return best;
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
