// The buckets of one window on the CPU, kept affine: for Pippenger's method where points are dear, as in G2.
//
// An affine addition takes a division, as dear as a hundred products; many of them together take one, and three products each,
// so that an addition costs six in all, where mixed coordinates take ten. So additions are collected, each to another bucket, and
// done together. A point whose bucket is already being added to, or has the same x, goes to a second set of buckets, in mixed
// coordinates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ec/xyzz_t.hpp>

template<class Field> class affine_buckets {
    using mixed = xyzz_t<Field>;

    struct point {
        Field x, y;
    };
    struct addition {
        uint32_t bucket;
        point added;
        Field difference, before; // of the x, and the product of the differences before this one
    };
    enum state : uint8_t { empty, full, busy };

    std::vector<point> points;
    std::vector<uint8_t> states;
    std::vector<mixed> second;
    std::vector<addition> additions;
    Field product;
    size_t most;

    void begin()
    {
        additions.clear();
        product = Field::one();
    }

public:
    // So many buckets, all empty.
    explicit affine_buckets(size_t count) : points(count), states(count), second(count), most(count < 64 ? 8 : count / 8)
    {
        additions.reserve(most);
        clear();
    }

    void clear()
    {
        std::fill(states.begin(), states.end(), uint8_t{empty});
        for (auto& bucket : second)
            bucket.inf();
        begin();
    }

    // Adds (x, y), which is not infinity.
    void add(size_t bucket, const Field& x, const Field& y)
    {
        if (states[bucket] == empty) {
            states[bucket] = full;
            points[bucket] = {x, y};
            return;
        }
        Field difference = x - points[bucket].x;
        if (states[bucket] == busy || difference.is_zero()) {
            second[bucket].add(typename mixed::affine_t{x, y});
            return;
        }
        states[bucket] = busy;
        additions.push_back({static_cast<uint32_t>(bucket), {x, y}, difference, product});
        product *= difference;
        if (additions.size() == most)
            finish();
    }

    // Does what has been collected.
    void finish()
    {
        if (additions.empty())
            return;
        Field inverse = 1 / product;
        for (size_t at = additions.size(); at-- > 0;) {
            const addition& one = additions[at];
            point& sum = points[one.bucket];
            Field slope = (one.added.y - sum.y) * (inverse * one.before);
            inverse *= one.difference;
            Field x = (slope ^ 2) - sum.x - one.added.x;
            sum.y = slope * (sum.x - x) - sum.y;
            sum.x = x;
            states[one.bucket] = full;
        }
        begin();
    }

    // Every bucket as often as its number says, counted from 1. Nothing may be left to `finish`.
    mixed weighted_sum() const
    {
        mixed running, sum;
        running.inf();
        sum.inf();
        for (size_t bucket = points.size(); bucket-- > 0;) {
            if (states[bucket] != empty)
                running.add(typename mixed::affine_t{points[bucket].x, points[bucket].y});
            running.add(second[bucket]);
            sum.add(running);
        }
        return sum;
    }
};
