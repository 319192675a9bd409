#pragma once
// The fields `by` and `to`, of which an operation that changes a number of units takes exactly one.

#include <cstdint>

#include "nn/reshape/operation.h"

namespace nn {

[[nodiscard]] FieldInfo by_field(std::string doc);
[[nodiscard]] FieldInfo to_field();

/// Throws SpecError unless exactly one of the two is given.
void check_size(const Operation& operation);

/// Units afterwards of a layer that has `units` now and gets `sign` times `by` more.
[[nodiscard]] std::int64_t new_size(const Operation& operation, std::int64_t units, int sign);

}  // namespace nn
