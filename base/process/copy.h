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

/// Runs `body` in a copy of this process, which ends with it, and waits for that. `body` gets the
/// descriptor to write to and must not throw. Throws NoMore.
[[nodiscard]] CopyResult run_copy(const std::function<void(File)>& body);

/// Runs `body` in a copy that may live on: in a session of its own, with nothing open at its
/// standard streams, and not a child of this process. Returns what it wrote until it closed the
/// descriptor or ended; empty where it could not begin. `body` must not throw. Throws NoMore.
[[nodiscard]] std::string leave_copy(const std::function<void(File)>& body);

}  // namespace base
