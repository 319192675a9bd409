// The executor's names (handles) for the contents that it was told of.
#pragma once

#include <mutex>

#include "runtime/core/backend.h"
#include "runtime/core/box.h"

namespace rt::inline v0::detail {

/// Keeps a list of the boxes with a handle, so that an ending runtime can take their contents back.
class Handles {
 public:
  explicit Handles(Backend& backend) noexcept : backend_(backend) {}

  /// Returns the executor's handle of the box's bytes, or of the turn on its object; makes it at
  /// the first call. Throws what the executor throws. Any thread.
  [[nodiscard]] void* of(Box& box) {
    if (void* known = box.handle.load(std::memory_order_acquire)) return known;
    return add(box);
  }
  /// Gives the handle of a box that is destroyed back to the executor. Any thread.
  void release(Box& box) noexcept;
  /// Waits until what was submitted on the box has ended and its bytes are on the host. Driver
  /// thread only.
  void fetch(const Box& box) {
    if (void* handle = box.handle.load(std::memory_order_acquire)) backend_.fetch(handle);
  }
  /// Brings all contents to the host and gives their handles back. Driver thread only, when nothing
  /// runs any more.
  void take_back_all();

 private:
  void* add(Box& box);

  Backend& backend_;
  std::mutex mutex_;  ///< guards the list, and what makes a box a part of it
  Box* first_ = nullptr;
};

}  // namespace rt::inline v0::detail
