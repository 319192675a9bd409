#pragma once
// Copies from the program's memory into a device's that go on beside its kernels.

#include <cstddef>
#include <stdexcept>

#include "kernels/kernels.h"
#include "kernels/step_buffer.h"

namespace kern {

/// What the calling thread can have copied. A slot is one copy at a time.
struct Feed {
  static constexpr int kSlots = 2;
  /// The program's memory that such copies are made from (a device: page-locked).
  const Memory* staging;
  /// Begins a copy. `from` must stay as it is until vacated(); `to` is written at any moment from
  /// now on, but not before the kernels have ended that were called before given_back().
  void (*begin)(int slot, void* to, const void* from, std::size_t bytes);
  /// Kernels that are called from now on find the slot's copy there.
  void (*arrived)(int slot);
  /// The slot's next copy waits for the kernels that were called before this, and for no others.
  void (*given_back)(int slot);
  /// Returns when `from` of the slot's last copy is free to change.
  void (*vacated)(int slot);
};

/// Every memory that is not the program's own and that can be allocated is one of these.
struct DeviceMemory : Memory {
  const Feed* feed;
  const Recorder* recorder;
};

/// Throws std::logic_error for the program's own memory, and for that of plans (device_plans()).
[[nodiscard]] inline const DeviceMemory& device_memory(const Memory& memory) {
  if (memory.own || memory.allocate == nullptr)
    throw std::logic_error("a copy or a recording on memory that is no device's");
  return static_cast<const DeviceMemory&>(memory);
}

/// Of a device's memory; they throw as device_memory() does.
[[nodiscard]] inline const Feed& feed_of(const Memory& memory) {
  return *device_memory(memory).feed;
}
[[nodiscard]] inline const Recorder& recorder_of(const Memory& memory) {
  return *device_memory(memory).recorder;
}

}  // namespace kern
