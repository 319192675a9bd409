// Pipes between processes. Thread-safe.
#pragma once

#include <string>

#include "base/file.h"

namespace base {

/// The two ends of a pipe; both are close-on-exec.
struct Pipe {
  File read, write;
  explicit operator bool() const noexcept { return static_cast<bool>(write); }
};

/// A new pipe, or none with the reason in `errno`.
[[nodiscard]] Pipe open_pipe() noexcept;

/// Reads a descriptor to its end, or to the first error; blocks until then.
[[nodiscard]] std::string read_all(int fd);

}  // namespace base
