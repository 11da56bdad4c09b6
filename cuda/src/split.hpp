// Scalars by what they cost: nothing (zero), an addition (one), or a multiplication (the rest).
#pragma once

#include <cstdint>
#include <vector>

#include "groth16_cuda.h"
#include "host_buffer.hpp"
#include "threads.hpp"

// The GPU reads whole blocks of so many bits of `split_scalars::ones`.
constexpr size_t ones_block = 1024;

// Words of `split_scalars::ones`.
constexpr size_t ones_words(size_t len)
{
    return (len + ones_block - 1) / ones_block * (ones_block / 32);
}

// The indices in a set of `len` (one bit each, 64 a word), ascending.
std::vector<uint32_t> select(const uint64_t* set, size_t len, thread_pool_t& pool);

// Some of the scalars of an assignment: those at `which`, or all where that is null.
struct picked_scalars {
    const groth16_scalar* scalars;
    const uint32_t* which;
    size_t len;

    const groth16_scalar& operator[](size_t index) const { return scalars[which ? which[index] : index]; }
};

struct split_scalars {
    // All of them, those that are one, those that are neither zero nor one.
    size_t len = 0, ones_len = 0, rest_len = 0;
    // One bit a scalar, set where it is one; whole blocks.
    host_buffer<uint32_t> ones;
    // Positions of the scalars that are neither zero nor one, ascending, and those scalars.
    host_buffer<uint32_t> rest;
    host_buffer<groth16_scalar> rest_scalars;

    explicit split_scalars(bool page_locked) : ones(page_locked), rest(page_locked), rest_scalars(page_locked) {}
};

// Splits the scalars of a query, those of `first` before those of `second`: fewer than 2^31, since an index and a sign share
// 32 bits. The memory of `out` is used again.
void split(const picked_scalars& first, const picked_scalars& second, thread_pool_t& pool, split_scalars& out);

// The scalars of both B queries of a circuit.
void split_b(const groth16_circuit& circuit, thread_pool_t& pool, split_scalars& out);
