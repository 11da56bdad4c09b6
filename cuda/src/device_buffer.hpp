// Memory on the GPU that is given back with its owner.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "failure.hpp"

// `len` elements in the memory of the GPU that is the calling thread's when it is made. Not initialised.
template<class T> class device_buffer {
    T* start = nullptr;
    size_t len = 0;

public:
    device_buffer() = default;
    explicit device_buffer(size_t elements) : len(elements)
    {
        if (len == 0)
            return;
        cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&start), len * sizeof(T));
        if (error != cudaSuccess) {
            (void)cudaGetLastError();
            size_t available = 0, total = 0;
            (void)cudaMemGetInfo(&available, &total);
            throw failure(error == cudaErrorMemoryAllocation ? GROTH16_OUT_OF_MEMORY : GROTH16_CUDA_ERROR,
                          "allocating " + std::to_string(len * sizeof(T)) + " bytes on the GPU failed, of whose "
                          + std::to_string(total) + " bytes " + std::to_string(available) + " are free: "
                          + cudaGetErrorString(error));
        }
    }
    ~device_buffer() { (void)cudaFree(start); }
    device_buffer(device_buffer&& other) noexcept
        : start(std::exchange(other.start, nullptr)), len(std::exchange(other.len, 0)) {}
    device_buffer& operator=(device_buffer&& other) noexcept
    {
        std::swap(start, other.start);
        std::swap(len, other.len);
        return *this;
    }

    T* data() const { return start; }
    size_t size() const { return len; }
};
