// Work on a pool of CPU threads whose exceptions reach the caller.
#pragma once

#include <exception>
#include <mutex>

#include <util/thread_pool_t.hpp>

// Calls work(i) for each i below `count` on the pool, and returns when all have ended. The first exception is thrown again
// here; the others are lost.
template<class Work> void for_each(thread_pool_t& pool, size_t count, Work work)
{
    if (count == 0)
        return;
    std::mutex lock;
    std::exception_ptr first;
    pool.par_map(count, [&](size_t index) {
        try {
            work(index);
        } catch (...) {
            std::lock_guard<std::mutex> held(lock);
            if (!first)
                first = std::current_exception();
        }
    });
    if (first)
        std::rethrow_exception(first);
}
