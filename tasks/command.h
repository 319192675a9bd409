#pragma once
// The task that runs a user's program. Not pure: what a program answers is its own affair.

#include "base/process/program.h"
#include "runtime/value.h"

namespace tasks {

/// Runs on a worker, never on the driver's thread. How the program ended is a result, not an error;
/// cancelling the group stops it. Fails with kind `study` when it can't be started.
[[nodiscard]] rt::Value<base::ProgramResult> command(const base::Program& program);

}  // namespace tasks
