// Which pages of this process are locked, and how many hold them. Pure bookkeeping: what locks is given.
//
// A range of pages is locked as a unit and unlocked as the same unit, as CUDA wants it, when the last that holds a part of it
// lets go. A range of which others hold parts holds their units, and locks what is between them: no page is locked twice.
// Not for several threads at once; the caller has a mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

struct memory_range {
    uintptr_t start;
    size_t bytes;

    uintptr_t end() const { return start + bytes; }
};

class page_set {
    struct unit {
        size_t bytes, holders;
    };
    std::map<uintptr_t, unit> units;

public:
    using action = std::function<void(memory_range)>;

    // Holds whole pages; the units that cover them, in order, one named as often as it is held. Where `lock` throws, nothing
    // is held and nothing more is locked than before. `unlock` does not throw.
    std::vector<memory_range> hold(const std::vector<memory_range>& pages, const action& lock, const action& unlock);

    // Takes what `hold` returned.
    void let_go(const std::vector<memory_range>& held, const action& unlock);

private:
    memory_range unit_at(uintptr_t at, uintptr_t end, const action& lock);
};
