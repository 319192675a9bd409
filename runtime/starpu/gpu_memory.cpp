#include "runtime/starpu/gpu_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "runtime/starpu/sharers.h"

namespace rt::inline v0::detail {

int visible_gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

namespace {

/// Bytes free on a device; none: CUDA does not say.
std::optional<std::size_t> free_on(int device) {
  std::size_t left = 0, all = 0;
  if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&left, &all) != cudaSuccess) return {};
  return left;
}

/// The user's own number of workers.
std::optional<int> users_workers() {
  constexpr std::int64_t kMost = 64;
  const char* own = std::getenv(kWorkersOfAGpu);
  if (own == nullptr) return {};
  const std::optional<std::int64_t> number = base::parse_int(own);
  if (number && *number >= 1 && *number <= kMost) return static_cast<int>(*number);
  throw base::Error(base::Errc::usage,
                    base::cat(kWorkersOfAGpu, ": \"", base::printable(own, 40),
                              "\", expected a number of workers from 1 to ", kMost));
}

}  // namespace

int workers_of_a_gpu(int wanted, ByteCount reserve) {
  if (const std::optional<int> said = users_workers()) return *said;
  const int count = visible_gpus();
  if (wanted <= 1 || count == 0) return 1;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int device = 0; device < count; ++device)
    least = std::min(least, free_on(device).value_or(least));
  return sharers_that_fit({.wanted = wanted,
                           .cores = base::usable_cores(),
                           .gpus = count,
                           .free = least,
                           .reserve = reserve.value});
}

std::vector<Setting> limit_gpu_memory(ByteCount reserve) {
  constexpr std::size_t kMargin = 50;  // a part of what is free: CUDA allocates in pages
  std::vector<Setting> limits;
  if (std::getenv("STARPU_LIMIT_CUDA_MEM") != nullptr) return limits;
  const int count = visible_gpus();
  for (int device = 0; device < count; ++device) {
    const std::optional<std::size_t> left = free_on(device);
    if (!left) break;
    const std::size_t kept = std::min(*left / 2, static_cast<std::size_t>(reserve.value));
    limits.push_back(memory_limit(device, *left - *left / kMargin - kept));
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
  const int count = visible_gpus();
  bool little = false;
  for (int device = 0; device < count; ++device)
    little |= limit_of(device).value_or(2 * kChunks) < 2 * kChunks;
  if (!little) return kChunks;
  settings.emplace_back("STARPU_SUBALLOCATOR", "0");
  return 0;
}

}  // namespace rt::inline v0::detail
