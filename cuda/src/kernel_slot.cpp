#include "kernel_slot.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "tuning.hpp"

namespace {

std::mutex lock;
std::condition_variable given_back;
uint32_t taken = 0;

static_assert(kernel_slots == 32, "one bit each");

} // namespace

kernel_slot::kernel_slot()
{
    std::unique_lock<std::mutex> held(lock);
    given_back.wait(held, [] { return taken != UINT32_MAX; });
    slot = static_cast<unsigned>(__builtin_ctz(~taken));
    taken |= uint32_t{1} << slot;
}

kernel_slot::~kernel_slot()
{
    {
        std::lock_guard<std::mutex> held(lock);
        taken &= ~(uint32_t{1} << slot);
    }
    given_back.notify_one();
}
