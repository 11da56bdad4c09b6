#include "coset.hpp"

#include <cstring>
#include <string>

#include <ff/bls12-381.hpp>
#include <ntt/parameters/bls12_381.h>

#include "failure.hpp"

unsigned lg_domain(size_t constraints)
{
    unsigned lg = 0;
    while (lg <= GROTH16_MAX_LG_DOMAIN && size_t{1} << lg < constraints)
        lg++;
    require(lg <= GROTH16_MAX_LG_DOMAIN, std::to_string(constraints) + " constraints need a domain larger than 2^"
            + std::to_string(GROTH16_MAX_LG_DOMAIN) + ", the largest on this backend");
    return lg;
}

groth16_scalar vanishing_inverse(unsigned lg)
{
    fr_t power = group_gen;
    for (unsigned i = 0; i < lg; i++)
        power *= power;
    fr_t inverse = 1 / (power - fr_t::one());
    groth16_scalar result;
    static_assert(sizeof(inverse) == sizeof(result), "sppark's scalars have the layout of the interface");
    std::memcpy(&result, &inverse, sizeof(result));
    return result;
}
