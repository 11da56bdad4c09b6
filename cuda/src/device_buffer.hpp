// Memory on the GPU that is given back with its owner.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "failure.hpp"

// Elements in the memory of the GPU that is the calling thread's. Not initialised.
template<class T> class device_buffer {
    T* start = nullptr;
    size_t len = 0;

    [[noreturn]] void refuse(cudaError_t error)
    {
        (void)cudaGetLastError(); // CUDA keeps it for the thread, and the next launch would be taken to have failed
        size_t available = 0, total = 0;
        (void)cudaMemGetInfo(&available, &total);
        (void)cudaGetLastError();
        throw failure(error == cudaErrorMemoryAllocation ? GROTH16_OUT_OF_MEMORY : GROTH16_CUDA_ERROR,
                      "allocating " + std::to_string(len * sizeof(T)) + " bytes on the GPU failed, of whose "
                      + std::to_string(total) + " bytes " + std::to_string(available) + " are free: "
                      + cudaGetErrorString(error));
    }

public:
    device_buffer() = default;
    explicit device_buffer(size_t elements) : len(elements)
    {
        if (len == 0)
            return;
        cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&start), len * sizeof(T));
        if (error != cudaSuccess)
            refuse(error);
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

    // Makes room for so many elements. What was there is lost where there was less room; the GPU has then ended all that
    // it was given, since giving memory back waits for it.
    T* ensure(size_t elements)
    {
        if (elements > len) {
            *this = device_buffer(); // first, so that both are never there together
            *this = device_buffer(elements);
        }
        return start;
    }
};
