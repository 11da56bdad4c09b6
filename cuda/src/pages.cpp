#include "pages.hpp"

#include <algorithm>
#include <unistd.h>

#include <cuda_runtime.h>
#include <util/exception.cuh>

std::vector<memory_range> page_ranges(std::vector<memory_range> ranges, size_t page)
{
    std::sort(ranges.begin(), ranges.end(), [](auto& left, auto& right) { return left.start < right.start; });
    std::vector<memory_range> pages;
    for (const auto& range : ranges) {
        if (range.bytes == 0)
            continue;
        uintptr_t start = range.start / page * page;
        uintptr_t end = (range.start + range.bytes + page - 1) / page * page;
        if (!pages.empty() && start <= pages.back().start + pages.back().bytes)
            pages.back().bytes = std::max(end, pages.back().start + pages.back().bytes) - pages.back().start;
        else
            pages.push_back({start, end - start});
    }
    return pages;
}

namespace {

void unlock(const std::vector<memory_range>& ranges) noexcept
{
    for (const auto& range : ranges)
        if (cudaHostUnregister(reinterpret_cast<void*>(range.start)) != cudaSuccess)
            (void)cudaGetLastError(); // CUDA keeps it for the thread, and the next launch would be taken to have failed
}

} // namespace

page_lock::page_lock(std::vector<memory_range> ranges)
{
    ranges = page_ranges(std::move(ranges), static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    locked.reserve(ranges.size());
    try {
        for (const auto& range : ranges) {
            CUDA_OK(cudaHostRegister(reinterpret_cast<void*>(range.start), range.bytes, cudaHostRegisterDefault));
            locked.push_back(range);
        }
    } catch (...) {
        unlock(locked);
        throw;
    }
}

page_lock::~page_lock()
{
    unlock(locked);
}
