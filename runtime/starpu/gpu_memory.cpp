#include "runtime/starpu/gpu_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>

namespace rt::detail {

std::vector<Setting> limit_gpu_memory(ByteCount reserve) {
  constexpr std::size_t kMargin = 50;  // a part of what is free: CUDA allocates in pages
  std::vector<Setting> limits;
  int count = 0;
  if (std::getenv("STARPU_LIMIT_CUDA_MEM") != nullptr || cudaGetDeviceCount(&count) != cudaSuccess)
    return limits;
  for (int device = 0; device < count; ++device) {
    std::size_t left = 0, all = 0;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&left, &all) != cudaSuccess) break;
    left -= left / kMargin + std::min(left / 2, static_cast<std::size_t>(reserve.value));
    limits.push_back(memory_limit(device, left));
  }
  return limits;
}

}  // namespace rt::detail
