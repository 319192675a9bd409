#include <cstdlib>
#include <cstring>

#include "kernels/kernels.h"

namespace kern {
namespace {

void* allocate(std::size_t bytes) {
  constexpr std::size_t kBoundary = 64;
  void* memory = std::aligned_alloc(kBoundary, (bytes / kBoundary + 1) * kBoundary);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept { std::free(memory); }

void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void zero(void* memory, std::size_t bytes) {
  if (bytes > 0) std::memset(memory, 0, bytes);
}

}  // namespace

constexpr Memory kOwnMemory{
    .own = true, .allocate = allocate, .release = release, .put = copy, .get = copy, .zero = zero};

}  // namespace kern
