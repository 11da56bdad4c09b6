// Multiplications in G1.
#include "tuning.hpp"

#include <ff/bls12-381.hpp>

#include "msm.cuh"

template<> struct sppark_types<group_1> {
    using bucket = xyzz_t<fp_t>;
};

template class multiplier<group_1>;
