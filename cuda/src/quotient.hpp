// The quotient polynomial h = (a·b - c) / t on the GPU, t = X^n - 1.
#pragma once

#include <cstddef>

#include <util/gpu_t.cuh>

#include "device_buffer.hpp"
#include "groth16_cuda.h"

// The n coefficients of h for n = 2^lg_domain; the last is zero. Copies a, b and c to the GPU, and returns when the GPU has
// ended. Whether a·b = c on the domain is not checked: where it is not, h is not the quotient, and the proof is wrong.
device_buffer<groth16_scalar> quotient(const gpu_t& gpu, const groth16_circuit& circuit, unsigned lg_domain);
