#pragma once
// Ends the poll() of another thread.

#include "base/file.h"

namespace tasks {

/// An eventfd. Thread-safe.
class Waker {
 public:
  /// Throws base::Error (storage) if there is none.
  Waker();

  /// To be polled for POLLIN.
  [[nodiscard]] int fd() const noexcept { return event_.fd(); }
  void wake() const noexcept;
  /// Forgets the calls of wake() until now.
  void reset() const noexcept;

 private:
  base::File event_;
};

}  // namespace tasks
