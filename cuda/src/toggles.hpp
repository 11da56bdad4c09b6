// Which toggles this archive was built with: the one place that looks at their macros, but for K1, whose constants are those
// of tuning.hpp.
//
// Both sides of every other toggle are compiled in every build, so neither can rot.
#pragma once

// B1: a, b and c are page-locked around their copies.
#ifdef GROTH16_HOST_PIN
constexpr bool host_pin = true;
#else
constexpr bool host_pin = false;
#endif

// A4: the B_G2 multiplications of a batch run side by side, one thread each.
#ifdef GROTH16_PARALLEL_B_G2
constexpr bool parallel_b_g2 = true;
#else
constexpr bool parallel_b_g2 = false;
#endif

// D4: each multiplication has a window of its own.
#ifdef GROTH16_MSM_WINDOWS
constexpr bool msm_windows = true;
#else
constexpr bool msm_windows = false;
#endif

// B2: the B_G2 multiplications run on the GPU.
#ifdef GROTH16_GPU_B_G2
constexpr bool gpu_b_g2 = true;
#else
constexpr bool gpu_b_g2 = false;
#endif
