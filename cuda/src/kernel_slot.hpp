// Which of sppark's counters a call's launches use.
#pragma once

// Held for a call's duration: no two calls at one time have the same number. Waits where more than 32 calls are under way.
class kernel_slot {
    unsigned slot;

public:
    kernel_slot();
    ~kernel_slot();
    kernel_slot(const kernel_slot&) = delete;
    kernel_slot& operator=(const kernel_slot&) = delete;
    unsigned number() const { return slot; }
};
