// The coset on which polynomials are divided by the vanishing polynomial.
#pragma once

#include <cstddef>

#include "groth16_cuda.h"

// The exponent of the smallest domain for so many constraints; throws above GROTH16_MAX_LG_DOMAIN.
unsigned lg_domain(size_t constraints);

// 1 / (g^n - 1) for n = 2^lg and sppark's coset generator g: t(X) = X^n - 1 is that constant's inverse on all of g·<w>.
groth16_scalar vanishing_inverse(unsigned lg);
