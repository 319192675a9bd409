#pragma once
// Rounds of an adapting network: between what policies see and what the log keeps.

#include <cstdint>

#include "hpo/log/event.h"
#include "nn/adapt/policy.h"

namespace hpo {

/// `fold` 0: the trial has one network.
[[nodiscard]] Adapted event_of(const nn::Round& round, std::int64_t grid, std::int64_t fold);
/// Throws base::Error (storage) for operations that do not exist.
[[nodiscard]] nn::Round round_of(const Adapted& event);

}  // namespace hpo
