// A point in the order of a GPU's work.
#pragma once

#include <utility>

#include <cuda_runtime.h>
#include <util/exception.cuh>
#include <util/gpu_t.cuh>

class gpu_event {
    cudaEvent_t event = nullptr;

public:
    // `timed` where the time between two of them is asked for. A thread that waits for one sleeps: the CPU has other work.
    explicit gpu_event(bool timed = false)
    {
        CUDA_OK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | (timed ? 0 : cudaEventDisableTiming)));
    }
    ~gpu_event()
    {
        if (event)
            (void)cudaEventDestroy(event);
    }
    gpu_event(gpu_event&& other) noexcept : event(std::exchange(other.event, nullptr)) {}
    gpu_event& operator=(gpu_event&&) = delete;

    void record(const stream_t& stream) { CUDA_OK(cudaEventRecord(event, stream)); }
    // What `stream` is given from now on waits for it; the CPU does not.
    void hold(const stream_t& stream) const { CUDA_OK(cudaStreamWaitEvent(stream, event, 0)); }
    void wait() const { CUDA_OK(cudaEventSynchronize(event)); }

    // Nanoseconds from `earlier`; both have happened.
    uint64_t since(const gpu_event& earlier) const
    {
        float milliseconds = 0;
        CUDA_OK(cudaEventElapsedTime(&milliseconds, earlier.event, event));
        return milliseconds > 0 ? static_cast<uint64_t>(double(milliseconds) * 1e6) : 0;
    }
};
