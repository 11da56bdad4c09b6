// Multiplications in G2, where two threads share a point.
#include "tuning.hpp"

// The kernel that sorts digits is in msm_g1.cu: it is the same, and can be there but once.
#define __MSM_SORT_DONT_IMPLEMENT__
#define MSM_FILE msm_in_g2

#include <ff/bls12-381-fp2.hpp>

#include "msm.cuh"

template<> struct sppark_types<group_2> {
    using bucket = xyzz_t<fp2_t>;
};

template class multiplier<group_2>;
