// A reference string on the GPUs that work on it.
#pragma once

#include <memory>
#include <vector>

#include "device.hpp"
#include "groth16_cuda.h"
#include "lane.hpp"

// See groth16_srs_create.
struct groth16_srs {
    groth16_bases bases;
    std::vector<std::unique_ptr<lane>> lanes;

    groth16_srs(const groth16_bases& bases, const uint32_t* devices, size_t devices_len, uint64_t resident_bytes);
};
