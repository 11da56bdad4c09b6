// Multi-scalar multiplication over G1 on the GPU. Bases lie in its memory. Each call returns when the GPU has ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include <util/gpu_t.cuh>

#include "device_buffer.hpp"
#include "groth16_cuda.h"
#include "split.hpp"

using device_points = device_buffer<groth16_g1_affine>;

// The sum of scalar times base over the first `len` of each, both in the GPU's memory.
groth16_g1 multiply_all(const gpu_t& gpu, const device_points& bases, const device_buffer<groth16_scalar>& scalars,
                        size_t len, uint32_t window);

// The same over the scalars that are neither zero nor one.
groth16_g1 multiply_rest(const gpu_t& gpu, const device_points& bases, const split_scalars& scalars, uint32_t window);

// The sum of the bases whose scalar is one.
groth16_g1 add_ones(const gpu_t& gpu, const device_points& bases, const split_scalars& scalars);

// left + right.
groth16_g1 add(const groth16_g1& left, const groth16_g1& right);
