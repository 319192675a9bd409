#pragma once
// What CUDA's errors leave behind.

#include <cuda_runtime_api.h>

namespace kern::cuda {

/// Whether a process that met this error can use CUDA no more, as the CUDA Runtime API's list of
/// errors (cudaError) says of it: every later call returns it again.
[[nodiscard]] constexpr bool is_for_good(cudaError_t code) noexcept {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorCudartUnloading:
      return true;
    default:
      return false;
  }
}

}  // namespace kern::cuda
