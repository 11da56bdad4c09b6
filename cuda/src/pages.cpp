#include "pages.hpp"

#include <algorithm>
#include <mutex>
#include <unistd.h>

#include <cuda_runtime.h>
#include <util/exception.cuh>

std::vector<memory_range> page_ranges(std::vector<memory_range> ranges, size_t page)
{
    std::sort(ranges.begin(), ranges.end(), [](auto& left, auto& right) { return left.start < right.start; });
    std::vector<memory_range> pages;
    for (const auto& range : ranges) {
        uintptr_t start = (range.start + page - 1) / page * page, end = range.end() / page * page;
        if (start >= end)
            continue;
        if (!pages.empty() && start <= pages.back().end())
            pages.back().bytes = std::max(end, pages.back().end()) - pages.back().start;
        else
            pages.push_back({start, end - start});
    }
    return pages;
}

std::vector<memory_range> cut(memory_range range, const std::vector<memory_range>& units)
{
    std::vector<memory_range> parts;
    uintptr_t from = range.start;
    auto cut_at = [&](uintptr_t at) {
        at = std::min(at, range.end());
        if (at <= from)
            return;
        parts.push_back({from, at - from});
        from = at;
    };
    for (const auto& unit : units) {
        cut_at(unit.start);
        cut_at(unit.end());
    }
    cut_at(range.end());
    return parts;
}

namespace {

// Of the process, as CUDA's are; the mutex is not held while anything is copied.
struct {
    std::mutex mutex;
    page_set pages;
} locked;

void lock(memory_range range)
{
    // Portable: locked for all GPUs, since a batch on another may hold the unit next.
    CUDA_OK(cudaHostRegister(reinterpret_cast<void*>(range.start), range.bytes, cudaHostRegisterPortable));
}

void unlock(memory_range range) noexcept
{
    if (cudaHostUnregister(reinterpret_cast<void*>(range.start)) != cudaSuccess)
        (void)cudaGetLastError(); // CUDA keeps it for the thread, and the next launch would be taken to have failed
}

} // namespace

page_lock::page_lock(std::vector<memory_range> ranges)
{
    auto pages = page_ranges(std::move(ranges), static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    std::lock_guard<std::mutex> guard(locked.mutex);
    held = locked.pages.hold(pages, lock, unlock);
}

page_lock::~page_lock()
{
    std::lock_guard<std::mutex> guard(locked.mutex);
    locked.pages.let_go(held, unlock);
}
