#pragma once
// Device memory for the length of one call of a kernel.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/driver.h"

namespace kern::KERN_ON {

/// One at a time a thread. What it hands out is reused by the thread's next one: calls run in
/// order, so whatever reads it has ended by then. Nothing is allocated after the first call of a
/// size.
class Temporary {
 public:
  Temporary();

  /// Names the thread's memory for this: another number whenever some of it was allocated.
  [[nodiscard]] static std::uint64_t generation() noexcept;

  /// Uninitialised memory for `count` values of T.
  template <class T>
  [[nodiscard]] T* take(std::size_t count) {
    return static_cast<T*>(bytes(count * sizeof(T)));
  }
  /// A copy of `count` values in the host's memory; null stays null.
  template <class T>
  [[nodiscard]] const T* copy(const T* host, std::size_t count) {
    if (host == nullptr) return nullptr;
    T* device = take<T>(count);
    driver::to_device(device, host, count * sizeof(T));
    return device;
  }

 private:
  [[nodiscard]] void* bytes(std::size_t size);
};

}  // namespace kern::KERN_ON
