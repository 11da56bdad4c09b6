#include "split.hpp"

#include <algorithm>

#include "failure.hpp"

namespace {

// So many scalars are split at a time: whole blocks, so that no two threads write one word.
constexpr size_t chunk_len = 16 * ones_block;

// 1 in Montgomery form: 2^256 modulo the group's order.
constexpr uint64_t one[4] = {0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5, 0x1824b159acc5056f};

bool is_zero(const groth16_scalar& scalar)
{
    return (scalar.limbs[0] | scalar.limbs[1] | scalar.limbs[2] | scalar.limbs[3]) == 0;
}

bool is_one(const groth16_scalar& scalar)
{
    return std::equal(one, one + 4, scalar.limbs);
}

struct chunk {
    size_t ones = 0;
    std::vector<uint32_t> rest;
};

chunk split_chunk(const groth16_scalar* scalars, size_t begin, size_t end, uint32_t* ones)
{
    chunk result;
    for (size_t index = begin; index < end; index++) {
        if (is_one(scalars[index])) {
            ones[index / 32] |= uint32_t{1} << (index % 32);
            result.ones++;
        } else if (!is_zero(scalars[index])) {
            result.rest.push_back(static_cast<uint32_t>(index));
        }
    }
    return result;
}

} // namespace

split_scalars split(const groth16_scalar* scalars, size_t len, thread_pool_t& pool)
{
    require(len < (size_t{1} << 31), "a query has 2^31 scalars or more");
    std::vector<chunk> chunks((len + chunk_len - 1) / chunk_len);
    split_scalars result;
    result.len = len;
    result.ones.assign(ones_words(len), 0);
    for_each(pool, chunks.size(), [&](size_t at) {
        size_t begin = at * chunk_len, end = std::min(begin + chunk_len, len);
        chunks[at] = split_chunk(scalars, begin, end, result.ones.data());
    });

    std::vector<size_t> starts;
    size_t total = 0;
    for (const auto& part : chunks) {
        starts.push_back(total);
        total += part.rest.size();
        result.ones_len += part.ones;
    }
    result.rest.resize(total);
    result.rest_scalars.resize(total);
    for_each(pool, chunks.size(), [&](size_t at) {
        size_t to = starts[at];
        for (uint32_t index : chunks[at].rest) {
            result.rest[to] = index;
            result.rest_scalars[to++] = scalars[index];
        }
    });
    return result;
}
