#include "msm.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include <ff/bls12-381.hpp>
#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>

using point_t = jacobian_t<fp_t>;
using bucket_t = xyzz_t<fp_t>;
using affine_t = bucket_t::affine_t;
using scalar_t = fr_t;

#define SPPARK_DONT_INSTANTIATE_TEMPLATES
#include <msm/pippenger.cuh>

#include "windows.hpp"

namespace {

static_assert(sizeof(affine_t::mem_t) == sizeof(groth16_g1_affine), "sppark's points have the layout of the interface");
static_assert(sizeof(scalar_t) == sizeof(groth16_scalar), "sppark's scalars have the layout of the interface");

// A point is moved in so many words, each by a thread of its own.
constexpr size_t point_words = sizeof(groth16_g1_affine) / sizeof(uint4);

__global__ void gather(uint4* out, const uint4* points, const uint32_t* indices, size_t words)
{
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < words)
        out[i] = points[indices[i / point_words] * point_words + i % point_words];
}

// The points at `indices`, side by side.
device_points gathered(const gpu_t& gpu, const device_points& points, const std::vector<uint32_t>& indices)
{
    constexpr unsigned block = 256;
    device_buffer<uint32_t> where(indices.size());
    gpu.HtoD(where.data(), indices.data(), indices.size());
    device_points result(indices.size());
    size_t words = indices.size() * point_words;
    stream_t& stream = gpu;
    gather<<<static_cast<unsigned>((words + block - 1) / block), block, 0, stream>>>(
        reinterpret_cast<uint4*>(result.data()), reinterpret_cast<const uint4*>(points.data()), where.data(), words);
    CUDA_OK(cudaGetLastError());
    gpu.sync();
    return result;
}

static_assert(sizeof(point_t) == sizeof(groth16_g1), "sppark's points have the layout of the interface");

groth16_g1 exported(const point_t& point)
{
    groth16_g1 result;
    std::memcpy(&result, &point, sizeof(result));
    return result;
}

point_t imported(const groth16_g1& point)
{
    point_t result;
    std::memcpy(static_cast<void*>(&result), &point, sizeof(result));
    return result;
}

groth16_g1 infinity()
{
    return groth16_g1{};
}

// sppark's status by value as an exception.
void check(const RustError& status)
{
    if (status.code == cudaSuccess)
        return;
    cuda_error error(status.code, status.message ? status.message : "");
    std::free(status.message);
    throw error;
}

// `scalars` lie on the host, or as a dev_ptr_t on the GPU. The points are given as dev_ptr_t<affine_t>, not of mem_t, for
// which sppark's invoke would call itself for ever.
template<class Scalars>
groth16_g1 multiply(const gpu_t& gpu, const device_points& bases, size_t len, Scalars scalars, uint32_t window)
{
    msm_t<bucket_t, point_t, affine_t, scalar_t> msm{nullptr, points_for_window(window), sizeof(affine_t), gpu.id()};
    dev_ptr_t<affine_t> points(reinterpret_cast<affine_t*>(bases.data()), len);
    point_t sum;
    check(msm.invoke(sum, points, len, scalars));
    return exported(sum);
}

} // namespace

groth16_g1 multiply_all(const gpu_t& gpu, const device_points& bases, const device_buffer<groth16_scalar>& scalars,
                        size_t len, uint32_t window)
{
    if (len == 0)
        return infinity();
    dev_ptr_t<scalar_t> values(reinterpret_cast<scalar_t*>(scalars.data()), len);
    return multiply(gpu, bases, len, values, window);
}

groth16_g1 multiply_rest(const gpu_t& gpu, const device_points& bases, const split_scalars& scalars, uint32_t window)
{
    if (scalars.rest.empty())
        return infinity();
    auto values = reinterpret_cast<const scalar_t*>(scalars.rest_scalars.data());
    return multiply(gpu, gathered(gpu, bases, scalars.rest), scalars.rest.size(), values, window);
}

groth16_g1 add_ones(const gpu_t& gpu, const device_points& bases, const split_scalars& scalars)
{
    if (scalars.ones_len == 0)
        return infinity();
    using bucket_h = bucket_t::mem_t;
    using affine_h = affine_t::mem_t;
    device_buffer<uint32_t> ones(scalars.ones.size());
    gpu.HtoD(ones.data(), scalars.ones.data(), scalars.ones.size());
    std::vector<bucket_t> sums(size_t(gpu.sm_count()) * BATCH_ADD_BLOCK_SIZE / WARP_SZ);
    device_buffer<bucket_h> device_sums(sums.size());

    void (*kernel)(bucket_h*, const affine_h*, uint32_t, const uint32_t*, bool, uint32_t) = batch_addition<bucket_t, affine_h>;
    gpu.launch_coop(kernel, launch_params_t{gpu.sm_count(), BATCH_ADD_BLOCK_SIZE}, device_sums.data(),
                    reinterpret_cast<const affine_h*>(bases.data()), static_cast<uint32_t>(scalars.len),
                    static_cast<const uint32_t*>(ones.data()), false, uint32_t{0});
    gpu.DtoH(sums, device_sums.data());
    gpu.sync();
    return exported(sum_up(sums));
}

groth16_g1 add(const groth16_g1& left, const groth16_g1& right)
{
    point_t sum = imported(left);
    sum.add(imported(right));
    return exported(sum);
}
