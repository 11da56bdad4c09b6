// Scalars by what they cost: nothing (zero), an addition (one), or a multiplication (the rest).
#pragma once

#include <cstdint>
#include <vector>

#include "groth16_cuda.h"
#include "threads.hpp"

// The GPU reads whole blocks of so many bits of `split_scalars::ones`.
constexpr size_t ones_block = 1024;

struct split_scalars {
    // All of them.
    size_t len = 0;
    // One bit a scalar, set where it is one; whole blocks.
    std::vector<uint32_t> ones;
    // How many bits are set.
    size_t ones_len = 0;
    // Indices of the scalars that are neither zero nor one, ascending, and those scalars.
    std::vector<uint32_t> rest;
    std::vector<groth16_scalar> rest_scalars;
};

// Words of `split_scalars::ones`.
constexpr size_t ones_words(size_t len)
{
    return (len + ones_block - 1) / ones_block * (ones_block / 32);
}

// Splits `len` scalars, fewer than 2^31 (an index and a sign share 32 bits).
split_scalars split(const groth16_scalar* scalars, size_t len, thread_pool_t& pool);
