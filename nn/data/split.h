#pragma once
// Dealing out rows to training, validation and test.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/data/data_spec.h"

namespace nn {

/// Row numbers, disjoint, each list ascending.
struct Parts {
  std::vector<std::uint32_t> train, valid, test;
};

/// Deals out rows 0..count-1: test gets round(count * spec.test) of them, valid
/// round(count * spec.valid), train the rest. With `labels` (count values, 0 <= label < classes)
/// every class is dealt out in these shares as evenly as whole rows allow (largest remainders,
/// lower class first on ties); the totals stay exact. Without labels all rows are one class.
/// Depends on nothing but the arguments and spec.seed. Throws DataError(path) for shares outside
/// [0, 1), and when a part that was asked for, or the training part, would be empty.
[[nodiscard]] Parts split_rows(const std::string& path, std::size_t count,
                               std::span<const std::int32_t> labels, std::size_t classes,
                               const SplitSpec& spec);

}  // namespace nn
