#include "partial_sums.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <ff/bls12-381-fp2.hpp>
#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>

namespace {

template<class Group> struct arithmetic;
template<> struct arithmetic<group_1> { using field = fp_t; };
template<> struct arithmetic<group_2> { using field = fp2_t; };

template<class Group> using point = jacobian_t<typename arithmetic<Group>::field>;
template<class Group> using bucket = xyzz_t<typename arithmetic<Group>::field>;

static_assert(sizeof(bucket<group_1>) == group_1::bucket_bytes, "sppark's buckets have the size that is said");
static_assert(sizeof(bucket<group_2>) == group_2::bucket_bytes, "sppark's buckets have the size that is said");
static_assert(sizeof(point<group_1>) == sizeof(groth16_g1), "sppark's points have the layout of the interface");
static_assert(sizeof(point<group_2>) == sizeof(groth16_g2), "sppark's points have the layout of the interface");

// So many plain points are added by one thread.
constexpr size_t plain_chunk = 128;

template<class Group> point<Group> infinity()
{
    point<Group> result;
    result.inf();
    return result;
}

// The sum of a row: of every segment the first point, and the second as often as its first bucket's number says. In the top row,
// whose digits have `bits` bits less than the window, 2^bits neighbouring buckets have one number.
template<class Group> point<Group> row_sum(const bucket<Group>* row, uint32_t window, uint32_t bits)
{
    size_t each = (size_t{1} << (window - 1)) / segments<Group>;
    auto first_number = [&](size_t segment) { return segment * each >> bits; };
    size_t unit = std::max<size_t>(each >> bits, 1);

    bucket<Group> running, weighted, plain;
    running.inf();
    weighted.inf();
    plain.inf();
    for (size_t segment = segments<Group>; segment-- > 0;) {
        plain.add(row[2 * segment]);
        running.add(row[2 * segment + 1]);
        if (segment > 0 && first_number(segment) != first_number(segment - 1))
            weighted.add(running);
    }
    point<Group> sum = weighted;
    for (size_t step = unit; step > 1; step /= 2)
        sum.dbl();
    sum.add(point<Group>(plain));
    return sum;
}

// Rows from the top: each is worth 2^window of the one below it.
template<class Group> point<Group> combine(const std::vector<point<Group>>& rows, uint32_t window)
{
    point<Group> sum = rows.back();
    for (size_t row = rows.size() - 1; row-- > 0;) {
        for (uint32_t bit = 0; bit < window; bit++)
            sum.dbl();
        sum.add(rows[row]);
    }
    return sum;
}

template<class Group> point<Group> collect_part(const partial_sum& part, thread_pool_t& pool)
{
    auto points = reinterpret_cast<const bucket<Group>*>(part.memory.data());
    const bucket<Group>* plain = points + 2 * segments<Group> * part.rows;
    std::vector<point<Group>> rows(part.rows), extra((part.plain + plain_chunk - 1) / plain_chunk);
    for_each(pool, rows.size() + extra.size(), [&](size_t at) {
        if (at < rows.size()) {
            uint32_t beyond = static_cast<uint32_t>(rows_of(part.window)) * part.window - scalar_bits;
            rows[at] = row_sum<Group>(points + 2 * segments<Group> * at, part.window, at + 1 == rows.size() ? beyond : 0);
            return;
        }
        size_t chunk = at - rows.size();
        bucket<Group> sum;
        sum.inf();
        for (size_t i = chunk * plain_chunk; i < std::min((chunk + 1) * plain_chunk, part.plain); i++)
            sum.add(plain[i]);
        extra[chunk] = sum;
    });
    point<Group> sum = rows.empty() ? infinity<Group>() : combine<Group>(rows, part.window);
    for (const auto& more : extra)
        sum.add(more);
    return sum;
}

} // namespace

template<class Group> typename Group::sum collect(const partial_sums<Group>& parts, thread_pool_t& pool)
{
    point<Group> sum = infinity<Group>();
    for (const auto& part : parts.all())
        sum.add(collect_part<Group>(part, pool));
    typename Group::sum result;
    std::memcpy(&result, &sum, sizeof(result));
    return result;
}

template groth16_g1 collect<group_1>(const partial_sums<group_1>&, thread_pool_t&);
template groth16_g2 collect<group_2>(const partial_sums<group_2>&, thread_pool_t&);
