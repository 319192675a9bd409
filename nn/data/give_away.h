#pragma once
// Columns that give the target away: a copy of it, a code for it, or the same in another unit.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/data/dependence.h"

namespace nn {

/// A column as it stands in the table.
struct ColumnValues {
  std::span<const std::uint32_t> codes;  ///< [rows] of equal values, by first appearance
  std::span<const double> numbers;       ///< [rows] NaN: missing; empty: a column of texts
  std::vector<bool> missing;             ///< [distinct] whether the value means a missing one
};

/// Whether the values, or intervals of the numbers, tell nearly every class. Rows without a value
/// may be exceptions, as they may tell a class themselves.
[[nodiscard]] bool gives_class_away(const ColumnValues& column, const TargetOrder& target);

/// Whether the target is a linear, an ascending or a descending function of the numbers, up to a
/// few exceptions and a little noise. `target` are the numbers behind `order`.
[[nodiscard]] bool gives_number_away(const ColumnValues& column, const TargetOrder& order,
                                     std::span<const double> target);

}  // namespace nn
