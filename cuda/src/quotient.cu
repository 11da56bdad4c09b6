// Six transforms: a, b and c to coefficients; a and b to the coset, multiplied there and back. On the coset a·b is known
// modulo X^n - g^n, of which it is c + h·(g^n - 1), since h has fewer than n - 1 coefficients.
#include "quotient.hpp"

#include <ff/bls12-381.hpp>
#include <ntt/ntt.cuh>

#include "coset.hpp"

namespace {

constexpr unsigned block = 256;

unsigned blocks(size_t elements)
{
    return static_cast<unsigned>((elements + block - 1) / block);
}

__global__ void multiply(fr_t* a, const fr_t* b, size_t len)
{
#ifdef __CUDA_ARCH__ // the host's fr_t is another type
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

using values = device_buffer<groth16_scalar>;

fr_t* elements(const values& buffer)
{
    return reinterpret_cast<fr_t*>(buffer.data());
}

// One side of the constraints, with zeros up to the domain's size.
values upload(const gpu_t& gpu, const groth16_scalar* side, size_t len, size_t domain)
{
    values buffer(domain);
    if (len > 0)
        gpu.HtoD(buffer.data(), side, len);
    if (len < domain)
        gpu.bzero(buffer.data() + len, domain - len);
    return buffer;
}

} // namespace

values quotient(const gpu_t& gpu, const groth16_circuit& circuit, unsigned lg_domain)
{
    using order = NTT::InputOutputOrder;
    using direction = NTT::Direction;
    using type = NTT::Type;

    size_t domain = size_t{1} << lg_domain;
    values a = upload(gpu, circuit.a, circuit.constraints, domain);
    values b = upload(gpu, circuit.b, circuit.constraints, domain);
    values c = upload(gpu, circuit.c, circuit.constraints, domain);
    groth16_scalar host_factor = vanishing_inverse(lg_domain);
    values factor = upload(gpu, &host_factor, 1, 1);

    stream_t& stream = gpu;
    auto transform = [&](const values& buffer, order from_to, direction way, type where) {
        if (lg_domain > 0)
            NTT::Base_dev_ptr(stream, elements(buffer), lg_domain, from_to, way, where);
    };
    for (const values* side : {&a, &b}) {
        transform(*side, order::NR, direction::inverse, type::standard);
        transform(*side, order::RN, direction::forward, type::coset);
    }
    transform(c, order::NN, direction::inverse, type::standard);
    multiply<<<blocks(domain), block, 0, stream>>>(elements(a), elements(b), domain);
    CUDA_OK(cudaGetLastError());
    transform(a, order::NN, direction::inverse, type::coset);
    subtract_and_scale<<<blocks(domain), block, 0, stream>>>(elements(a), elements(c), elements(factor), domain);
    CUDA_OK(cudaGetLastError());
    gpu.sync();
    return a;
}
