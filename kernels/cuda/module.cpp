// What the program finds in the shared object of the CUDA kernels.

#include "kernels/cuda/module.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/cuda/library_conv.h"
#include "kernels/cuda/table.h"
#include "kernels/device.h"

namespace kern::cuda {
namespace {

// Raised whenever the table's arithmetic changes: the order of a sum, an approximation.
constexpr const char* kArithmetic = "3";

/// What the environment makes of tf32 in NVIDIA's libraries: 0 takes it away.
std::string overridden() {
  const char* value = std::getenv("NVIDIA_TF32_OVERRIDE");
  return value == nullptr ? "" : std::string("; NVIDIA_TF32_OVERRIDE ") + value;
}

/// As cublasGetVersion() names it, which wants a handle, and that memory of the device.
int blas_version() {
  int major = 0, minor = 0, patch = 0;
  if (cublasGetProperty(MAJOR_VERSION, &major) != CUBLAS_STATUS_SUCCESS ||
      cublasGetProperty(MINOR_VERSION, &minor) != CUBLAS_STATUS_SUCCESS ||
      cublasGetProperty(PATCH_LEVEL, &patch) != CUBLAS_STATUS_SUCCESS)
    throw DeviceError("cuBLAS does not say which version it is");
  return major * 10000 + minor * 100 + patch;
}

std::string fingerprint() {
  int runtime = 0, device = 0;
  cudaDeviceProp properties{};
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess)
    throw DeviceError("CUDA does not say what the device is");
  const std::string convolutions = conv_library();
  return std::string("cuda ") + kArithmetic + "; " + properties.name + " sm " +
         std::to_string(properties.major) + '.' + std::to_string(properties.minor) + "; CUDA " +
         std::to_string(runtime) + "; cuBLAS " + std::to_string(blas_version()) +
         (convolutions.empty() ? "" : "; " + convolutions) + overridden();
}

/// One line that says why there is no device, or null.
const char* missing() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorInsufficientDriver)
    return "no NVIDIA driver, or one that is older than this CUDA";
  if (code != cudaSuccess) return cudaGetErrorString(code);
  if (count == 0) return "CUDA sees no device";
  cudaDeviceProp first{};
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp one{};
    if (cudaGetDeviceProperties(&one, i) != cudaSuccess)
      return "CUDA does not say what a device is";
    if (i == 0) first = one;
    if (std::strcmp(one.name, first.name) != 0)
      return "devices of several kinds, which compute different bits: name those of one kind in "
             "CUDA_VISIBLE_DEVICES";
  }
  return nullptr;
}

}  // namespace
}  // namespace kern::cuda

/// Null with a reason where there is no device.
extern "C" __attribute__((visibility("default"))) const kern::Device* trellis_cuda_device(
    const char** why) {
  static const kern::Device device{.tables = kern::cuda::kernels,
                                   .use_stream = kern::cuda::use_stream,
                                   .wait_for_each = kern::cuda::set_wait_for_each,
                                   .allocate_shared = kern::cuda::allocate_shared,
                                   .memory_left = kern::cuda::memory_left,
                                   .fingerprint = kern::cuda::fingerprint,
                                   .library_conv_seconds = kern::cuda::library_conv_seconds};
  *why = kern::cuda::missing();
  return *why == nullptr ? &device : nullptr;
}
