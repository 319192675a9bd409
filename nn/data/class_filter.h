#pragma once
// Training on some of the classes only.

#include <cstdint>
#include <string>
#include <vector>

namespace nn {

/// Leaves rows of the `wanted` classes only: `names` become those, in their order before, and
/// `labels` (one a row) are numbered anew. What is returned says of each row before whether it was
/// left; empty where `wanted` is, and everything stays. Throws DataError(path): a class that no row
/// has (with the nearest one), one named twice, fewer than two.
[[nodiscard]] std::vector<bool> keep_classes(const std::string& path,
                                             const std::vector<std::string>& wanted,
                                             std::vector<std::string>& names,
                                             std::vector<std::int32_t>& labels);

/// Whether a row is left, by what keep_classes returned.
[[nodiscard]] inline bool is_left(const std::vector<bool>& kept, std::size_t row) {
  return kept.empty() || kept[row];
}

}  // namespace nn
