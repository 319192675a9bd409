// What a program prints into: a pipe, or a terminal of its own.
#pragma once

#include "tasks/supervise/protocol.h"

namespace tasks {

/// The two ends. Negative: there is none, and `errno` says why.
struct Outlet {
  int ours = -1;  ///< does not block
  int theirs = -1;
};

/// Opens it, and sets in the environment of this process, which the program inherits, what lets its
/// lines come at once.
[[nodiscard]] Outlet open_outlet(ProgramOutput output);

}  // namespace tasks
