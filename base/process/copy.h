// Copies of this process: fork without exec, for what can be begun only once in a process or must
// outlive this one. Of the threads of this process a copy has the calling one alone.
#pragma once

#include <functional>
#include <string>

#include "base/file.h"
#include "base/process/end.h"

namespace base {

/// What a copy wrote, and how it ended.
struct CopyResult {
  std::string said;
  ProcessOutcome outcome;
};

/// A copy of this process that runs `body` beside it and ends with it. `body` gets the descriptor
/// to write to and must not throw. The copy does not outlive the thread that made it.
class Copy {
 public:
  /// Throws NoMore.
  explicit Copy(const std::function<void(File)>& body);
  /// Kills the copy and waits for it, unless wait() did.
  ~Copy();
  Copy(Copy&& other) noexcept;
  Copy& operator=(Copy&&) = delete;

  void signal(int number) const noexcept;
  /// Waits for the end. May be called once.
  [[nodiscard]] CopyResult wait();

 private:
  File said_;
  int child_ = -1;  ///< -1: nobody to wait for
};

/// Runs `body` in a copy of this process, which ends with it, and waits for that. `body` gets the
/// descriptor to write to and must not throw. Throws NoMore.
[[nodiscard]] CopyResult run_copy(const std::function<void(File)>& body);

/// Runs `body` in a copy that may live on: in a session of its own, with nothing open at its
/// standard streams, and not a child of this process. Returns what it wrote until it closed the
/// descriptor or ended; empty where it could not begin. `body` must not throw. Throws NoMore.
[[nodiscard]] std::string leave_copy(const std::function<void(File)>& body);

}  // namespace base
