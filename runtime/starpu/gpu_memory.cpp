#include "runtime/starpu/gpu_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace rt::detail {

void limit_gpu_memory(ByteCount reserve) {
  constexpr std::size_t kMargin = 50;  // a part of what is free: CUDA allocates in pages
  int count = 0;
  if (std::getenv("STARPU_LIMIT_CUDA_MEM") != nullptr || cudaGetDeviceCount(&count) != cudaSuccess)
    return;
  for (int device = 0; device < count; ++device) {
    std::size_t left = 0, all = 0;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&left, &all) != cudaSuccess) return;
    left -= left / kMargin + std::min(left / 2, static_cast<std::size_t>(reserve.value));
    const std::string name = "STARPU_LIMIT_CUDA_" + std::to_string(device) + "_MEM";
    ::setenv(name.c_str(), std::to_string(left >> 20).c_str(), /*overwrite=*/0);
  }
}

}  // namespace rt::detail
