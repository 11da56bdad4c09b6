#include "failure.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include <cuda_runtime.h>
#include <util/exception.cuh>

namespace {

groth16_status status(int32_t code, const char* message) noexcept
{
    return groth16_status{code, strdup(message)};
}

// sppark throws CUDA's codes negated, and others as they are.
int32_t kind_of(const sppark_error& error) noexcept
{
    switch (-error.code()) {
    case cudaErrorMemoryAllocation:
        return GROTH16_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
        return GROTH16_NO_DEVICE;
    default:
        return GROTH16_CUDA_ERROR;
    }
}

} // namespace

groth16_status status_of_current_exception() noexcept
{
    try {
        throw;
    } catch (const failure& error) {
        return status(error.code(), error.what());
    } catch (const sppark_error& error) {
        (void)cudaGetLastError(); // CUDA keeps it for the thread, and the next launch would be taken to have failed
        return status(kind_of(error), error.what());
    } catch (const std::bad_alloc&) {
        return status(GROTH16_OUT_OF_MEMORY, "the host has no memory left");
    } catch (const std::exception& error) {
        return status(GROTH16_INTERNAL, error.what());
    } catch (...) {
        return status(GROTH16_INTERNAL, "an exception of an unknown type");
    }
}

extern "C" void groth16_status_free(groth16_status status)
{
    std::free(status.message);
}
