#include "device.hpp"

#include <cstring>
#include <string>

#include "failure.hpp"

namespace {

// Such as 13.0, of CUDA's way to write 13000.
std::string version(int number)
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

[[noreturn]] void refuse(const std::string& reason)
{
    throw failure(GROTH16_NO_DEVICE, "no CUDA device can be used: " + reason);
}

cudaDeviceProp properties(uint32_t index)
{
    uint32_t count = count_devices();
    if (index >= count)
        throw failure(GROTH16_NO_DEVICE, "there is no CUDA device " + std::to_string(index) + ": the driver knows "
                      + std::to_string(count) + ", counted from 0");
    cudaDeviceProp found;
    CUDA_OK(cudaGetDeviceProperties(&found, static_cast<int>(index)));
    return found;
}

} // namespace

uint32_t count_devices()
{
    int count = 0, driver = 0, runtime = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    (void)cudaGetLastError(); // the runtime would tell it again to whoever asks next
    if (error == cudaSuccess && count > 0)
        return static_cast<uint32_t>(count);
    if (error == cudaSuccess)
        refuse("the driver knows none");
    bool asked = cudaDriverGetVersion(&driver) == cudaSuccess && cudaRuntimeGetVersion(&runtime) == cudaSuccess;
    if (asked && driver == 0)
        refuse("this machine has no NVIDIA driver");
    if (asked && error == cudaErrorInsufficientDriver)
        refuse("its driver speaks CUDA " + version(driver) + ", but this program needs " + version(runtime)
               + " or newer");
    refuse(cudaGetErrorString(error));
}

groth16_device describe_device(uint32_t index)
{
    cudaDeviceProp found = properties(index);
    groth16_device device = {};
    static_assert(sizeof(device.name) == sizeof(found.name), "the interface takes names of CUDA's length");
    std::memcpy(device.name, found.name, sizeof(device.name));
    device.memory_bytes = found.totalGlobalMem;
    device.compute_major = static_cast<uint32_t>(found.major);
    device.compute_minor = static_cast<uint32_t>(found.minor);
    int driver = 0, runtime = 0;
    CUDA_OK(cudaDriverGetVersion(&driver));
    CUDA_OK(cudaRuntimeGetVersion(&runtime));
    device.driver_version = static_cast<uint32_t>(driver);
    device.runtime_version = static_cast<uint32_t>(runtime);
    return device;
}

const gpu_t& open_device(uint32_t index)
{
    cudaDeviceProp found = properties(index);
    for (const gpu_t* gpu : all_gpus()) {
        if (gpu->cid() == static_cast<int>(index)) {
            gpu->select();
            return *gpu;
        }
    }
    throw failure(GROTH16_NO_DEVICE, "CUDA device " + std::to_string(index) + " (" + found.name
                  + ") is too old: its kernels need compute capability 7.0 and cooperative launches");
}
