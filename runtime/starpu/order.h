// What StarPU puts in order, said to ThreadSanitizer.
//
// StarPU hands tasks and buffers from thread to thread under spin locks of its own, and it is built
// without the sanitizer, which therefore sees neither the locks nor the order that they make. Two
// orders are StarPU's word and are repeated here, at our interface to it: a body comes after the
// submission of its task, and after the bodies before it on the same buffers. Without the sanitizer
// nothing of this is left.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

#include <vector>
#endif

#include "runtime/core/launch.h"

namespace rt::inline v0::detail {

/// What this thread has done up to now comes before whatever follows `comes_after(place)`.
inline void comes_before([[maybe_unused]] void* place) noexcept {
#ifdef __SANITIZE_THREAD__
  __tsan_release(place);
#endif
}

inline void comes_after([[maybe_unused]] void* place) noexcept {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(place);
#endif
}

/// A body's turn on its buffers, from StarPU's call to the return to StarPU. The launch may be gone
/// before the turn ends.
class Turn {
 public:
#ifdef __SANITIZE_THREAD__
  explicit Turn(Launch& launch) {
    comes_after(&launch);
    for (unsigned i = 0; i < launch.access_count; ++i) {
      handles_.push_back(launch.accesses[i].handle);
      comes_after(handles_.back());
    }
  }
  ~Turn() {
    for (void* handle : handles_) comes_before(handle);
  }

 private:
  std::vector<void*> handles_;
#else
  explicit Turn(Launch&) noexcept {}
#endif

 public:
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

}  // namespace rt::inline v0::detail
