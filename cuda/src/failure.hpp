// The one exception of this archive, and how every exception becomes a status.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "groth16_cuda.h"

// An error whose kind the caller is told.
class failure : public std::runtime_error {
    int32_t kind;

public:
    failure(int32_t code, const std::string& message) : std::runtime_error(message), kind(code) {}
    int32_t code() const { return kind; }
};

// Throws GROTH16_BAD_ARGUMENT unless `holds`.
inline void require(bool holds, const std::string& message)
{
    if (!holds)
        throw failure(GROTH16_BAD_ARGUMENT, message);
}

// The status of the exception that is being handled. Never throws.
groth16_status status_of_current_exception() noexcept;

// Runs `work`; whatever it throws comes back as a status.
template<class Work> groth16_status guarded(Work work) noexcept
{
    try {
        work();
        return groth16_status{GROTH16_OK, nullptr};
    } catch (...) {
        return status_of_current_exception();
    }
}
