#pragma once
// What was taken for what.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nn {

/// Rows by their class and by the class that a network gave them. Encodable.
struct Confusion {
  std::int64_t classes = 0;
  std::vector<std::int64_t> counts;  ///< [classes, classes]: row by true class, column by given one
  std::vector<std::int64_t> none;    ///< [classes]: rows of a class that were given no class
  auto operator<=>(const Confusion&) const = default;

  [[nodiscard]] std::int64_t at(std::size_t truth, std::size_t given) const {
    return counts[truth * static_cast<std::size_t>(classes) + given];
  }
  /// Rows of a class, and rows that were given it.
  [[nodiscard]] std::int64_t of_class(std::size_t truth) const;
  [[nodiscard]] std::int64_t given(std::size_t column) const;
};

/// The class that a row of outputs means: the first largest one; -1 where one is no number.
[[nodiscard]] std::int32_t class_of(std::span<const float> outputs);

/// Counts `labels.size()` rows of `classes` outputs each.
[[nodiscard]] Confusion count_confusion(std::span<const float> outputs,
                                        std::span<const std::int32_t> labels, std::size_t classes);

}  // namespace nn
