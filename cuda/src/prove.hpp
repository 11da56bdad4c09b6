// A batch, from assignments to the sums over all queries.
#pragma once

#include "groth16_cuda.h"
#include "srs.hpp"
#include "timeline.hpp"

// See groth16_prove.
void prove(const groth16_srs& srs, const groth16_circuit* circuits, size_t circuits_len, uint32_t threads,
           uint32_t window, groth16_sums* out, timeline& times);
