#include "srs.hpp"

#include <algorithm>
#include <string>

#include "failure.hpp"

groth16_srs::groth16_srs(const groth16_bases& all, const uint32_t* devices, size_t devices_len, uint64_t resident_bytes)
    : bases(all)
{
    require(bases.b_g1_len == bases.b_g2_len, "the B query has " + std::to_string(bases.b_g1_len) + " points in G1 and "
            + std::to_string(bases.b_g2_len) + " in G2");
    require(devices_len >= 1 && devices_len <= GROTH16_MAX_DEVICES, std::to_string(devices_len) + " GPUs: give 1 to "
            + std::to_string(GROTH16_MAX_DEVICES));
    for (size_t index = 0; index < devices_len; index++)
        require(std::find(devices, devices + index, devices[index]) == devices + index,
                "GPU " + std::to_string(devices[index]) + " is given twice");
    for (size_t index = 0; index < devices_len; index++)
        lanes.push_back(std::make_unique<lane>(open_device(devices[index]), bases, resident_bytes));
}
