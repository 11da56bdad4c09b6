// Memory on the host that copies to and from the GPU, and that is kept from one call to the next.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "failure.hpp"

// Elements of a plain type. Not initialised. Page-locked memory is copied by the GPU itself, beside the CPU's work; it takes a
// GPU, and long to make. (Toggle B1 is about the circuits' own memory, which is not this.)
template<class T> class host_buffer {
    T* start = nullptr;
    size_t len = 0;
    bool locked;

    void release() noexcept
    {
        if (locked)
            (void)cudaFreeHost(start);
        else
            std::free(start);
        start = nullptr;
        len = 0;
    }

public:
    explicit host_buffer(bool page_locked) : locked(page_locked) {}
    ~host_buffer() { release(); }
    host_buffer(host_buffer&& other) noexcept
        : start(std::exchange(other.start, nullptr)), len(std::exchange(other.len, 0)), locked(other.locked) {}
    host_buffer& operator=(host_buffer&&) = delete;

    T* data() const { return start; }
    T& operator[](size_t index) const { return start[index]; }

    // Makes room for so many elements. What was there is lost where there was less room.
    T* ensure(size_t elements)
    {
        if (elements <= len)
            return start;
        release();
        size_t bytes = elements * sizeof(T);
        if (locked) {
            cudaError_t error = cudaHostAlloc(reinterpret_cast<void**>(&start), bytes, cudaHostAllocPortable);
            if (error != cudaSuccess) {
                (void)cudaGetLastError(); // CUDA keeps it for the thread, and the next launch would be taken to have failed
                start = nullptr;
                throw failure(error == cudaErrorMemoryAllocation ? GROTH16_OUT_OF_MEMORY : GROTH16_CUDA_ERROR,
                              "page-locking " + std::to_string(bytes) + " bytes of the host's memory failed: "
                              + cudaGetErrorString(error));
            }
        } else if (!(start = static_cast<T*>(std::malloc(bytes)))) {
            throw std::bad_alloc();
        }
        len = elements;
        return start;
    }
};
