#include "runtime/starpu/gpu_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

namespace rt::detail {

int visible_gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

int workers_of_a_gpu(int wanted) {
  const int count = visible_gpus();
  if (wanted <= 1 || count == 0) return 1;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp((cores - 1) / count, 1, wanted);
}

std::vector<Setting> limit_gpu_memory(ByteCount reserve) {
  constexpr std::size_t kMargin = 50;  // a part of what is free: CUDA allocates in pages
  std::vector<Setting> limits;
  if (std::getenv("STARPU_LIMIT_CUDA_MEM") != nullptr) return limits;
  for (int device = 0; device < visible_gpus(); ++device) {
    std::size_t left = 0, all = 0;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&left, &all) != cudaSuccess) break;
    left -= left / kMargin + std::min(left / 2, static_cast<std::size_t>(reserve.value));
    limits.push_back(memory_limit(device, left));
  }
  return limits;
}

namespace {

/// The limit that StarPU will find, in bytes; none: it does not count.
std::optional<std::uint64_t> limit_of(int device) {
  const std::string own = "STARPU_LIMIT_CUDA_" + std::to_string(device) + "_MEM";
  for (const char* name : {own.c_str(), "STARPU_LIMIT_CUDA_MEM"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      return std::strtoull(value, nullptr, 10) << 20;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t choose_chunks(std::vector<Setting>& settings) {
  bool little = false;
  for (int device = 0; device < visible_gpus(); ++device)
    little |= limit_of(device).value_or(2 * kChunks) < 2 * kChunks;
  if (!little) return kChunks;
  settings.emplace_back("STARPU_SUBALLOCATOR", "0");
  return 0;
}

}  // namespace rt::detail
