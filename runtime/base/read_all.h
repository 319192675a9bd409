// The whole of what another process says over a pipe.
#pragma once

#include <string>

namespace rt {

/// Reads a descriptor to its end, or to the first error; blocks until then. Thread-safe.
[[nodiscard]] std::string read_all(int fd);

}  // namespace rt
