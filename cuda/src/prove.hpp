// A batch, from assignments to the sums over all queries.
#pragma once

#include "device.hpp"
#include "groth16_cuda.h"
#include "msm.hpp"
#include "timeline.hpp"

// What the interface calls a reference string: see groth16_srs_create.
struct groth16_srs {
    const gpu_t& gpu;
    device_points h, l, a, b_g1;
    const groth16_g2_affine* b_g2;

    groth16_srs(const groth16_bases& bases, uint32_t device);
};

// See groth16_prove.
void prove(const groth16_srs& srs, const groth16_circuit* circuits, size_t circuits_len, uint32_t window,
           thread_pool_t& pool, groth16_sums* out, timeline& times);
