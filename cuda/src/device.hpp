// Which GPUs there are, asked of the driver alone.
//
// sppark throws on its first use without a GPU, so this comes before any of it.
#pragma once

#include <cstdint>

#include <util/gpu_t.cuh>

#include "groth16_cuda.h"

// How many GPUs the driver shows; throws GROTH16_NO_DEVICE where that is none.
uint32_t count_devices();

// Describes GPU `index`; throws GROTH16_NO_DEVICE where there is none.
groth16_device describe_device(uint32_t index);

// sppark's handle of GPU `index`, with the GPU made the calling thread's; throws GROTH16_NO_DEVICE where there is none.
const gpu_t& open_device(uint32_t index);
