// Six transforms: a, b and c to coefficients; a and b to the coset, multiplied there and back. On the coset a·b is known
// modulo X^n - g^n, of which it is c + h·(g^n - 1), since h has fewer than n - 1 coefficients.
#include "quotient.hpp"

#include <ff/bls12-381.hpp>
#include <ntt/ntt.cuh>

#include "tuning.hpp"

namespace {

unsigned blocks(size_t elements)
{
    return static_cast<unsigned>((elements + element_block - 1) / element_block);
}

static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "what atomicMin works on is what is copied");

__global__ void compare(const fr_t* a, const fr_t* b, const fr_t* c, size_t len, unsigned long long* unsatisfied)
{
#ifdef __CUDA_ARCH__ // the host's fr_t is another type
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < len) {
        fr_t difference = a[i] * b[i] - c[i];
        if (!difference.is_zero())
            atomicMin(unsatisfied, static_cast<unsigned long long>(i));
    }
#endif
}

__global__ void multiply(fr_t* a, const fr_t* b, size_t len)
{
#ifdef __CUDA_ARCH__
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < len)
        a[i] = a[i] * b[i];
#endif
}

__global__ void subtract_and_scale(fr_t* a, const fr_t* c, const fr_t* factor, size_t len)
{
#ifdef __CUDA_ARCH__
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < len)
        a[i] = (a[i] - c[i]) * *factor;
#endif
}

fr_t* elements(groth16_scalar* values)
{
    return reinterpret_cast<fr_t*>(values);
}

} // namespace

void quotient(stream_t& stream, groth16_scalar* a, groth16_scalar* b, groth16_scalar* c, size_t constraints,
              unsigned lg_domain, const groth16_scalar* factor, uint64_t* unsatisfied)
{
    using order = NTT::InputOutputOrder;
    using direction = NTT::Direction;
    using type = NTT::Type;

    size_t domain = size_t{1} << lg_domain;
    auto transform = [&](groth16_scalar* values, order from_to, direction way, type where) {
        if (lg_domain > 0)
            NTT::Base_dev_ptr(stream, elements(values), lg_domain, from_to, way, where);
    };
    if (constraints > 0) {
        compare<<<blocks(constraints), element_block, 0, stream>>>(elements(a), elements(b), elements(c), constraints,
                                                                   reinterpret_cast<unsigned long long*>(unsatisfied));
        CUDA_OK(cudaGetLastError());
    }
    for (groth16_scalar* side : {a, b}) {
        transform(side, order::NR, direction::inverse, type::standard);
        transform(side, order::RN, direction::forward, type::coset);
    }
    transform(c, order::NN, direction::inverse, type::standard);
    multiply<<<blocks(domain), element_block, 0, stream>>>(elements(a), elements(b), domain);
    CUDA_OK(cudaGetLastError());
    transform(a, order::NN, direction::inverse, type::coset);
    subtract_and_scale<<<blocks(domain), element_block, 0, stream>>>(
        elements(a), elements(c), elements(const_cast<groth16_scalar*>(factor)), domain);
    CUDA_OK(cudaGetLastError());
}
