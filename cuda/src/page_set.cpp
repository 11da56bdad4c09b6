#include "page_set.hpp"

#include <algorithm>
#include <iterator>

// The unit that has the page at `at`, held once more; a new one up to the next, or to `end`, where there is none.
memory_range page_set::unit_at(uintptr_t at, uintptr_t end, const action& lock)
{
    auto found = units.upper_bound(at);
    if (found != units.begin() && at < std::prev(found)->first + std::prev(found)->second.bytes) {
        --found;
    } else {
        if (found != units.end())
            end = std::min(end, found->first);
        found = units.emplace_hint(found, at, unit{end - at, 0});
        try {
            lock({at, end - at});
        } catch (...) {
            units.erase(found);
            throw;
        }
    }
    found->second.holders++;
    return {found->first, found->second.bytes};
}

std::vector<memory_range> page_set::hold(const std::vector<memory_range>& pages, const action& lock, const action& unlock)
{
    std::vector<memory_range> held;
    try {
        for (const auto& range : pages)
            for (uintptr_t at = range.start; at < range.end(); at = held.back().end()) {
                held.reserve(held.size() + 1); // before anything is locked
                held.push_back(unit_at(at, range.end(), lock));
            }
    } catch (...) {
        let_go(held, unlock);
        throw;
    }
    return held;
}

void page_set::let_go(const std::vector<memory_range>& held, const action& unlock)
{
    for (const auto& range : held) {
        auto found = units.find(range.start);
        if (--found->second.holders > 0)
            continue;
        units.erase(found);
        unlock(range);
    }
}
