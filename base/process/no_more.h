// What to do where the system has no process, file or memory left. Not thread-safe: one thread of a
// process raises its limit.
#pragma once

#include <sys/resource.h>

#include <string_view>

#include "base/error.h"

namespace base {

/// The system has no process, file or memory left, for now. Of kind storage.
class NoMore : public Error {
 public:
  /// "cannot WHAT: REASON: what to do about it"; `code` is an errno value.
  NoMore(std::string_view what, int code);
  /// True if that is what an errno value says.
  [[nodiscard]] static bool says(int code);
};

/// From now on this process may open as many files as the system lets it; the processes that it
/// starts, as many as it could before.
void raise_file_limit();

/// The limit of open files before it was raised; null where it never was.
[[nodiscard]] const rlimit* file_limit_before();

/// Throws NoMore where this process cannot open so many files more.
void require_files(int count);

}  // namespace base
