// Multiplications in G1.
#include "tuning.hpp"

#define MSM_FILE msm_in_g1

#include <ff/bls12-381.hpp>

#include "msm.cuh"

template<> struct sppark_types<group_1> {
    using bucket = xyzz_t<fp_t>;
};

template class multiplier<group_1>;
