// The quotient polynomial h = (a·b - c) / t on the GPU, t = X^n - 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include <util/gpu_t.cuh>

#include "groth16_cuda.h"

// Turns a into the n coefficients of h, the last of which is zero, for n = 2^lg_domain values of a, b and c, which are lost; the
// first `constraints` of them are compared first: `unsatisfied`, where all bits must be set, becomes the number of the first
// with a·b other than c. `factor` is the `vanishing_inverse`. All lie in the GPU's memory; gives the stream its work and returns.
void quotient(stream_t& stream, groth16_scalar* a, groth16_scalar* b, groth16_scalar* c, size_t constraints,
              unsigned lg_domain, const groth16_scalar* factor, uint64_t* unsatisfied);
