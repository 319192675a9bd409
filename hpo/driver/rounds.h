#pragma once
// Rounds of an adapting network: between what policies see and what the log keeps.

#include <cstdint>
#include <string>
#include <string_view>

#include "hpo/log/event.h"
#include "nn/adapt/policy.h"

namespace hpo {

/// [{"widen": {"layer": "fc1", "by": 16}}]; `spec` and back. Throws rt::Error (storage) for a text
/// that is no such list, nn::SpecError for operations that do not exist.
[[nodiscard]] std::string json_of(const nn::Operations& operations);
[[nodiscard]] nn::Operations operations_from_json(std::string_view json);

[[nodiscard]] Adapted event_of(const nn::Round& round, std::int64_t grid);
[[nodiscard]] nn::Round round_of(const Adapted& event);

}  // namespace hpo
