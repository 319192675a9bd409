#pragma once
// How a trial ends whose attempt threw.

#include <exception>
#include <optional>

#include "hpo/log/event.h"

namespace hpo {

/// Nothing where it is the whole study that cannot go on: no device, no more work is taken, or the
/// study's own folder cannot be written.
[[nodiscard]] std::optional<Ended> attempt_end(const std::exception_ptr& thrown);

}  // namespace hpo
