#include "split.hpp"

#include <algorithm>

#include "failure.hpp"

namespace {

// So many scalars are split at a time: whole blocks, so that no two threads write one word.
constexpr size_t chunk_len = 16 * ones_block;

// So many words of a set are looked through at a time.
constexpr size_t chunk_words = 512;

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

size_t chunks(size_t len, size_t each)
{
    return (len + each - 1) / each;
}

// Where each chunk's part begins in what all of them make together, and how much that is.
size_t place(std::vector<size_t>& sizes)
{
    size_t total = 0;
    for (size_t& size : sizes) {
        size_t start = total;
        total += size;
        size = start;
    }
    return total;
}

} // namespace

std::vector<uint32_t> select(const uint64_t* set, size_t len, thread_pool_t& pool)
{
    size_t words = (len + 63) / 64;
    std::vector<size_t> starts(chunks(words, chunk_words));
    auto each_word = [&](size_t at, auto work) {
        for (size_t word = at * chunk_words; word < std::min((at + 1) * chunk_words, words); word++)
            work(word, set[word]);
    };
    for_each(pool, starts.size(), [&](size_t at) {
        each_word(at, [&](size_t, uint64_t bits) { starts[at] += __builtin_popcountll(bits); });
    });
    std::vector<uint32_t> indices(place(starts));
    for_each(pool, starts.size(), [&](size_t at) {
        size_t to = starts[at];
        each_word(at, [&](size_t word, uint64_t bits) {
            for (; bits != 0; bits &= bits - 1)
                indices[to++] = static_cast<uint32_t>(64 * word + __builtin_ctzll(bits));
        });
    });
    return indices;
}

void split(const picked_scalars& first, const picked_scalars& second, thread_pool_t& pool, split_scalars& out)
{
    size_t len = first.len + second.len;
    require(len < (size_t{1} << 31), "a query has 2^31 scalars or more");
    auto scalar = [&](size_t at) -> const groth16_scalar& {
        return at < first.len ? first[at] : second[at - first.len];
    };
    size_t parts = chunks(len, chunk_len);
    std::vector<std::vector<uint32_t>> rests(parts);
    std::vector<size_t> ones(parts), starts(parts);
    uint32_t* bits = out.ones.ensure(ones_words(len));
    for_each(pool, parts, [&](size_t at) {
        size_t end = std::min((at + 1) * chunk_len, len);
        std::fill(bits + ones_words(at * chunk_len), bits + ones_words(end), 0);
        for (size_t index = at * chunk_len; index < end; index++) {
            if (is_one(scalar(index))) {
                bits[index / 32] |= uint32_t{1} << (index % 32);
                ones[at]++;
            } else if (!is_zero(scalar(index))) {
                rests[at].push_back(static_cast<uint32_t>(index));
            }
        }
        starts[at] = rests[at].size();
    });

    out.len = len;
    out.ones_len = place(ones);
    out.rest_len = place(starts);
    // Some room beyond, or the next circuit of the batch, with a few more, would need other memory.
    size_t room = out.rest_len + out.rest_len / 8;
    out.rest.ensure(room);
    out.rest_scalars.ensure(room);
    for_each(pool, parts, [&](size_t at) {
        size_t to = starts[at];
        for (uint32_t index : rests[at]) {
            out.rest[to] = index;
            out.rest_scalars[to++] = scalar(index);
        }
    });
}

void split_b(const groth16_circuit& circuit, thread_pool_t& pool, split_scalars& out)
{
    auto inputs = select(circuit.b_inputs, circuit.inputs_len, pool);
    auto aux = select(circuit.b_aux, circuit.aux_len, pool);
    split({circuit.inputs, inputs.data(), inputs.size()}, {circuit.aux, aux.data(), aux.size()}, pool, out);
}
