// Schedules on a network that is not there: SimGrid moves their messages.
#pragma once

#include "runtime/net/sums/cost.h"

namespace sums_tests {

/// Returns the seconds until the last member has its sum, by SimGrid, in a process of its own: an
/// engine of SimGrid is there once. Throws base::Error (internal) if that process fails.
[[nodiscard]] double simulated_seconds(const rt::net::sums::Way& way,
                                       const rt::net::sums::Shape& shape,
                                       const rt::net::sums::Fabric& fabric);

}  // namespace sums_tests
