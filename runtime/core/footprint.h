// What a task takes on its device, counted from its arguments.
#pragma once

#include "runtime/config.h"
#include "runtime/core/backend.h"
#include "runtime/core/node.h"

namespace rt::inline v0::detail {

/// Sets what the node holds on its device, and on a simulated machine the seconds that it takes on
/// each kind. Its arguments must be in place. A buffer that may stay on the host does so where the
/// device then holds the rest. Throws base::Error (internal) with NoRoom in it when no device of
/// its kind holds the node. Any thread.
void count_work(Node& node, const Backend& backend, const Config& config);

}  // namespace rt::inline v0::detail
