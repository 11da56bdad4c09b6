// Host memory that is page-locked for a while (toggle B1).
//
// The driver copies from page-locked memory directly, and from other memory through a buffer of its own. Locking costs
// time too, so that the toggle's sign depends on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct memory_range {
    uintptr_t start;
    size_t bytes;
};

// The whole pages under the ranges, in order; ranges that share or touch a page become one. Locking a page twice is an
// error of CUDA's, and vectors may share one.
std::vector<memory_range> page_ranges(std::vector<memory_range> ranges, size_t page);

// Locks the pages under the ranges until it is destroyed.
class page_lock {
    std::vector<memory_range> locked;

public:
    explicit page_lock(std::vector<memory_range> ranges);
    ~page_lock();
    page_lock(const page_lock&) = delete;
    page_lock& operator=(const page_lock&) = delete;
};
