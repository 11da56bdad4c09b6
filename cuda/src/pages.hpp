// Host memory that is page-locked for a while (toggle B1).
//
// The driver copies from page-locked memory directly, and from other memory through a buffer of its own. Locking costs
// time too, so that the toggle's sign depends on the host.
//
// Only pages that lie in a vector as a whole are locked. So no other memory is, of which a copy might begin in locked pages
// and end in others; and batches that are proved side by side meet only where they are of the same vectors, which is what
// `page_set` counts.
#pragma once

#include "page_set.hpp"

// The whole pages in the ranges, in order; those that overlap or touch become one.
std::vector<memory_range> page_ranges(std::vector<memory_range> ranges, size_t page);

// A range, cut where units begin and end: CUDA refuses a copy that begins in one and ends outside it.
std::vector<memory_range> cut(memory_range range, const std::vector<memory_range>& units);

// Keeps the pages in the ranges locked until it is destroyed. Any number of them may overlap, from any thread.
class page_lock {
    std::vector<memory_range> held;

public:
    explicit page_lock(std::vector<memory_range> ranges);
    ~page_lock();
    page_lock(const page_lock&) = delete;
    page_lock& operator=(const page_lock&) = delete;

    // The parts of a range that are to be copied one by one.
    std::vector<memory_range> parts(memory_range range) const { return cut(range, held); }
};
